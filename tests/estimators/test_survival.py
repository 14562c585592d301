"""TreeSurvival as an estimator: what y may be, what it answers, files, texts, pictures, judging, pruning."""

import math
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from tests.estimators.test_golden_survival import NUMBERS, R, gbsg2, stagec, table

import hornbeam as hb
from hornbeam._base.survival_statistics import SurvivalCurve, concordance, concordance_influence
from hornbeam.parts import CostComplexity, Curves
from hornbeam.pruning.risks import node_risks
from hornbeam.tree.survival_curves import curve_of, facts_text

Y = ("time", "cens")


@pytest.fixture(scope="module")
def frame():
    columns = pd.DataFrame(table("gbsg2"))
    return columns.astype(dict.fromkeys(("horTh", "menostat", "tgrade"), "category"))


@pytest.fixture(scope="module")
def model(frame):
    return hb.TreeSurvival(max_depth=3, min_samples_leaf=20).fit(frame, Y)


def forms(frame):
    time, event, X = frame["time"], frame["cens"], frame.drop(columns=list(Y))
    structured = np.zeros(len(frame), dtype=[("event", bool), ("time", float)])
    structured["time"], structured["event"] = time, event
    yield X, structured
    yield X, np.column_stack([time, event])
    yield X, frame[list(Y)]
    yield X, (time, event.astype(bool))
    yield X, {"t": time.tolist(), "e": event.tolist()}
    yield X, np.column_stack([time, event]).tolist()
    yield frame, list(Y)
    yield {name: frame[name] for name in frame}, Y
    yield pl.from_pandas(frame), Y
    yield pl.from_pandas(frame).to_arrow(), Y


def test_every_form_of_y_gives_the_same_tree(frame, model):
    for X, y in forms(frame):
        other = hb.TreeSurvival(max_depth=3, min_samples_leaf=20).fit(X, y)
        assert other.tree_.text() == model.tree_.text()
        assert other.score(X, y) == model.score(frame, Y)
    records = frame.head(60).to_dict("records")
    assert hb.TreeSurvival(max_depth=1).fit(records, Y).tree_.n_leaves == 2


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (None, "requires y"),
        (("time", "dead"), "y names the column 'dead'"),
        ([1, 2, 3], "y has the shape"),
        ([[1, 1], [0, 1], [2, 0]], "the time of row 1 is 0"),
        ([[1, 1], [2, 2], [2, 0]], "the event of row 1 is 2"),
        ([[1, 0], [2, 0], [2, 0]], "no row that counts has an event"),
        ([[1, 1], [2, 0]], "inconsistent numbers of samples"),
        (([1, 2, 3], ["a", "b", "c"]), "says the event"),
        (([1, math.nan, 3], [1, 0, 1]), "says the time"),
        (([1, 2], [1, 0, 1]), "2 times and 3 events"),
        (np.zeros(3, dtype=[("a", float), ("b", float)]), "has the fields 'a', 'b'"),
    ],
    ids=str,
)
def test_what_is_no_survival_is_refused_by_a_sentence(y, words):
    with pytest.raises(ValueError, match=words):
        hb.TreeSurvival().fit({"time": [1.0, 2.0, 3.0]}, y)


def test_curves_and_risks_of_a_leaf_are_those_of_its_rows(frame, model):
    time, event = frame["time"].to_numpy(), frame["cens"].to_numpy() > 0
    leaf = model.apply(frame)
    for node in np.unique(leaf).tolist():
        own = leaf == node
        curve = SurvivalCurve.of(time[own], event[own])
        mine = curve_of(model.tree_, node)
        assert all(np.array_equal(a, b) for a, b in zip(mine, curve, strict=True))
        row = frame[own].head(1)
        assert model.predict_survival_function(row)[0] == pytest.approx(
            curve.at(curve.survival(), model.event_times_, 1.0)
        )
    assert np.array_equal(model.event_times_, np.unique(time[event]))
    exposure = model.tree_.stats[leaf, 0]
    assert (model.predict(frame) * (exposure + 1)).round(6) == pytest.approx(
        (model.tree_.stats[leaf, 0] * model.tree_.stats[leaf, 1] + 1).round(6)
    )
    assert model.tree_.stats[0, 0] == pytest.approx(event.sum())  # all rows expect what they had


def test_rows_with_gaps_answer_with_the_curves_of_all_their_leaves():
    X = {"x": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]}
    y = [[9, 1], [8, 1], [9, 0], [8, 1], [2, 1], [1, 1], [2, 1], [3, 1]]
    model = hb.TreeSurvival("exponential", missing="fractional", max_depth=1).fit(X, y)
    both = model.predict_survival_function({"x": [1.0, 8.0]}, times=[2.5])
    gap = model.predict_survival_function({"x": [math.nan]}, times=[2.5])
    share = model.tree_.weight[1:] / model.tree_.weight[0]  # by the events that rows expect
    assert gap[0] == pytest.approx(share @ both)
    assert model.predict({"x": [math.nan]})[0] == pytest.approx(share @ model.predict({"x": [1.0, 8.0]}))


def test_a_model_is_saved_copied_and_pickled_whole(tmp_path, frame, model):
    hb.save(model, tmp_path / "model.json")
    for other in (hb.load(tmp_path / "model.json"), pickle.loads(pickle.dumps(model))):
        assert other.tree_ == model.tree_
        assert np.array_equal(
            other.predict_cumulative_hazard_function(frame), model.predict_cumulative_hazard_function(frame)
        )
    part = hb.TreeSurvival("exponential", leaf=Curves(m=0.5), max_depth=1).fit(frame, Y)
    hb.save(part, tmp_path / "part.json")
    assert hb.load(tmp_path / "part.json").leaf.m == 0.5
    assert clone(part).fit(frame, Y).tree_ == part.tree_


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"curve_events": -1.0}, "not at risk"),
        ({"curve_at_risk": 0.0}, "not at risk"),
        ({"curve_time": 5.0}, "do not ascend"),
    ],
)
def test_a_tree_with_broken_curves_is_refused(model, changes, words):
    tree = model.tree_
    arrays = {name: np.full(len(tree.curve_time), value) for name, value in changes.items()}
    with pytest.raises(ValueError, match=words):
        tree.replace(**arrays)


def test_a_collapsed_node_keeps_its_curve_and_other_rows_refit_it(frame, model):
    tree = model.tree_
    small = tree.collapse(np.arange(len(tree)) == 1)
    assert facts_text(small, 1) == facts_text(tree, 1)
    again = tree.refit(frame, Y)
    assert again.gain == pytest.approx(tree.gain, rel=1e-10)
    assert again.stats == pytest.approx(tree.stats, rel=1e-10)
    assert np.array_equal(again.curve_at_risk, tree.curve_at_risk)


def test_texts_say_risk_events_and_median(frame, model):
    shown = hb.show(model)
    assert "log-rank 69.7" in shown
    assert "→ risk" in shown
    assert "events, median" in shown
    assert "risk: events relative to" in hb.show(model, details=False)
    assert str(hb.rules(model)[0]).count("events, median") == 1
    told = str(hb.explain(model, frame.head(1)))
    assert told.startswith("risk ")
    assert "events, median" in told


def test_pictures_have_a_curve_for_each_leaf(frame, model):
    svg = hb.draw(model).svg
    assert svg.count("risk ") >= model.tree_.n_leaves
    assert svg.count(" events, median") == model.tree_.n_leaves
    assert hb.draw(model, style="paper").svg.startswith("<svg")
    assert hb.draw(model, frame, Y).svg.count("<path") > 2 * model.tree_.n_leaves


def test_a_report_measures_concordance_and_brier_score(frame, model):
    report = hb.report(model, frame, Y, validation=(frame.head(300), Y))
    assert report.to_dict()["title"] == "Decision tree for time and cens"
    quality = report.to_dict()["quality"]
    assert [metric["name"] for metric in quality[0]["metrics"]] == ["concordance", "integrated Brier"]
    assert quality[0]["metrics"][0]["value"] == pytest.approx(model.score(frame, Y))
    assert "concordance" in report.to_html()


def test_evaluations_are_those_of_the_score_and_have_intervals(frame, model):
    evaluation = hb.evaluate(model, frame, Y)
    assert evaluation["concordance"].value == pytest.approx(model.score(frame, Y))
    assert evaluation["concordance"].low < evaluation["concordance"].value < evaluation["concordance"].high
    assert evaluation["integrated_brier"].value < evaluation.baseline.value
    assert evaluation.meets({"concordance": 0.6, "integrated_brier": 0.2})
    assert not evaluation.meets({"concordance": 0.9})
    assert "one curve for all" in str(evaluation)
    assert hb.evaluate(model.tree_, frame, Y).to_dict() == evaluation.to_dict()
    twice = hb.evaluate(model, frame, Y, counts=np.full(len(frame), 2))
    assert twice["integrated_brier"].value == pytest.approx(evaluation["integrated_brier"].value, abs=2e-3)
    folds = hb.evaluate(hb.TreeSurvival(max_depth=2), frame, Y, cv=3)
    assert len(folds.folds["concordance"]) == 3
    assert 0.55 < folds["concordance"].value < model.score(frame, Y) + 0.05


def test_the_interval_of_concordance_is_that_of_samples_drawn_again():
    X, event, time = gbsg2()
    risk = X[:, 2] + X[:, 1] / 10
    value, moves = concordance_influence(time, event, risk, np.ones(len(time)))
    assert abs(moves.sum()) < 1e-12
    rng = np.random.default_rng(0)
    drawn = [
        concordance(time[rows], event[rows], risk[rows])
        for rows in rng.integers(0, len(time), (200, len(time)))
    ]
    assert math.sqrt(moves @ moves) == pytest.approx(np.std(drawn), rel=0.15)
    assert value == pytest.approx(concordance(time, event, risk))
    weight = rng.integers(0, 4, len(time))
    repeated = np.repeat(np.arange(len(time)), weight)
    written = concordance(time[repeated], event[repeated], risk[repeated])
    # repetitions of one row are pairs of equal times, whose order is not known
    assert concordance(time, event, risk, weight.astype(float)) == pytest.approx(written, rel=1e-12)


def test_what_judges_classes_and_numbers_refuses_survival(frame, model):
    for call in (
        lambda: hb.compare(model, model, frame, Y),
        lambda: hb.importance(model, frame, Y),
        lambda: hb.stability(model, frame, Y),
        lambda: hb.candidates(model, frame, Y),
    ):
        with pytest.raises(ValueError, match=r"not (for )?survival"):
            call()
    assert hb.importance(model)[0].column == "pnodes"


def test_pruning_weighs_leaves_against_the_deviance(frame):
    full = hb.TreeSurvival(min_samples_leaf=10).fit(frame, Y)
    path = hb.pruning_path(full, frame, Y, cv=5, random_state=0)
    assert path.risk[0] * full.tree_.weight[0] == pytest.approx(
        node_risks(full.tree_, "loss")[full.tree_.leaves()].sum()
    )
    assert path.cv.min() < path.cv[0]  # the largest tree is not the best
    pruned = hb.TreeSurvival(min_samples_leaf=10, pruning=CostComplexity(rule="min")).fit(frame, Y)
    assert 1 < pruned.tree_.n_leaves < full.tree_.n_leaves
    small = hb.prune(full, CostComplexity(alpha=0.02))
    assert small.tree_.n_leaves < full.tree_.n_leaves
    assert small.predict_survival_function(frame).shape == (len(frame), len(full.event_times_))


def test_cross_validated_errors_are_close_to_those_of_rpart():
    case = R["exp"][0]
    rows = stagec(complete=True)
    model = hb.rpart("survival", maxsurrogate=0, cp=0.0, pruning=None).fit(rows, ("pgtime", "pgstat"))
    folds = [i % 5 for i in range(len(rows["age"]))]
    path = hb.pruning_path(model, rows, ("pgtime", "pgstat"), cv=folds)
    places = {int(leaves) - 1: k for k, leaves in enumerate(path.leaves)}
    steps = [places[splits] for splits in case["splits"]]
    assert path.cv[steps] / path.risk[-1] == pytest.approx(np.array(case["xerror"]), rel=0.01)
    assert path.cv_error[steps] / path.risk[-1] == pytest.approx(np.array(case["xstd"]), rel=0.04)
    assert path.cv[steps[0]] / path.risk[-1] == pytest.approx(case["xerror"][0], rel=1e-12)


def test_risks_are_exported(model, frame):
    code = hb.export(model, "python")
    scope: dict = {}
    exec(code, scope)
    row = {name: (v.item() if hasattr(v, "item") else v) for name, v in frame.iloc[3].items()}
    predict = next(f for name, f in scope.items() if name == "predict")
    assert predict(row) == pytest.approx(model.predict(frame.iloc[[3]])[0])
    for language in ("sql", "c", "javascript", "json", "dot", "markdown"):
        assert hb.export(model, language)


def test_monotonic_risks_are_kept_by_the_exponential_criterion():
    X, event, time = gbsg2()
    model = hb.TreeSurvival("exponential", leaf=Curves(m=0), monotonic_cst={"x2": 1}, min_samples_leaf=20)
    model.fit(X, (time, event))
    risks = []
    for nodes in range(1, 50):
        row = X[:1].copy()
        row[0, NUMBERS.index("pnodes")] = nodes
        risks.append(model.predict(row)[0])
    assert (np.diff(risks) >= 0).all()
    assert risks[-1] > risks[0]


def test_the_page_of_a_report_draws_curves_and_observed_times(frame, model):
    document = hb.report(model, frame, Y).to_dict()
    tree, nodes = model.tree_, document["nodes"]
    facts = nodes if isinstance(nodes, list) else [nodes[str(node)] for node in range(len(tree))]
    for node, fact in enumerate(facts):
        picture = fact["picture"]
        assert fact["verdict"].startswith("risk ")
        assert ["survival", facts_text(tree, node)] in fact["facts"]
        if tree.kind[node] == 0:
            assert picture["kind"] == "line"
            assert picture["line"][0] == [0.0, 1.0]
            heights = [height for _, height in picture["line"]]
            assert heights == sorted(heights, reverse=True)
        else:
            assert picture["kind"] in ("cloud", "bars")
