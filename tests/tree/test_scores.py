"""What the score of a split is called, and how it is written: the same wherever a person meets it."""

import html
import json
import re

import numpy as np
import pytest
from sklearn.datasets import load_iris

import hornbeam as hb
from hornbeam.cli import main
from hornbeam.growing.criteria import CRITERIA
from hornbeam.studio import reads
from hornbeam.studio.session import Session
from hornbeam.tree.scores import MEASURES, Scores, score_name, score_text

X, Y = load_iris(return_X_y=True, as_frame=True)
X = X.rename(columns=lambda name: name.removesuffix(" (cm)"))
NAMES = {
    "entropy": "gain 0.918 bits",
    "gini": "Gini decrease 0.333",
    "gain-ratio": "gain ratio 1",
    "root": "root decrease 0.",
    "error": "error decrease 0.333",
    "variance": "variance decrease 0.5",
    "sd": "SDR 0.",
    "poisson": "deviance decrease 0.",
    "absolute": "absolute error decrease 0.",
    "quantile": "pinball loss decrease 0.",
}
GROWN = {
    name: hb.TreeClassifier if part.task.is_classes else hb.TreeRegressor
    for name, part in CRITERIA.items()
    if not part.task.is_survival
}


def models():
    for name, estimator in GROWN.items():
        yield pytest.param(estimator(name, max_depth=1), NAMES.get(name, name), id=name)
    yield pytest.param(hb.ctree(max_depth=1), "p < .001 (statistic 140)", id="ctree")
    yield pytest.param(hb.chaid(max_depth=1), "p < .001 (statistic 250, df 6)", id="chaid")


@pytest.mark.parametrize(("model", "expected"), [*models()])
def test_one_score_has_one_name_on_every_surface(model, expected, tmp_path, capsys):
    model.fit(X, Y)
    score = Scores(model.tree_).text(0)
    assert score.startswith(expected)
    assert f"?  {score}  " in hb.show(model)
    for style in ("screen", "paper", "slide"):
        picture = re.sub("<[^>]*>", "\n", hb.draw(model, style=style).svg)
        assert score in html.unescape(picture), style
    report = hb.report(model, X, Y).to_dict()
    assert report["nodes"][0]["score"] == score
    path = str(tmp_path / "m.tree.json")
    hb.save(model, path)
    assert main(["show", path]) == 0
    assert f"?  {score}  " in capsys.readouterr().out
    first = hb.candidates(model, X, Y)[0]
    assert score.startswith(first.measure)
    assert str(first) == f"{first.test}: rank 1, {score.partition(' (')[0]}"


@pytest.mark.parametrize("criterion", ["entropy", "gini", "gain-ratio"])
def test_the_studio_uses_the_same_names(criterion):
    columns = {name: X[name].tolist() for name in X} | {"kind": [f"k{code}" for code in Y]}
    session = Session.open(columns, target="kind", criterion=criterion)
    session.apply(session.head, {"op": "split", "node": 0, "on": "sepal width"})
    view = session.view()
    told = reads.document(session, view)
    score = Scores(view.tree).text(0)
    assert told["nodes"][0]["score"] == score
    assert f"; {score}, the best is" in told["nodes"][0]["forced"]["detail"]
    assert f"({score}; best is" in session.revisions[session.head].say
    listed = reads.candidate_list(view, 0)
    assert listed["measures"] == {name: MEASURES[name] for name in listed["measures"]}
    assert {one["measure"] for one in listed["candidates"]} == {score_name(criterion).score}


@pytest.mark.parametrize("criterion", GROWN)
def test_sentences_and_calculations_use_the_same_names(criterion):
    model = GROWN[criterion](criterion)
    listed = hb.candidates(model, X, Y, work=True)
    name = score_name(criterion).score
    assert f"its {name}" in listed.why(0) or f"a {name} of" in listed.why(0)
    assert f"{name} = " in str(listed[0].work)
    assert name in str(listed).splitlines()[1]
    assert str(listed).startswith(f"node 0: 150 rows, {score_name(criterion).impurity} ")


def test_the_name_of_every_measure_is_that_of_its_score():
    own = {"gain": "entropy", "gain_ratio": "gain-ratio", "gini": "gini", "sdr": "sd", "variance": "variance"}
    assert all(MEASURES[field] == score_name(criterion).score for field, criterion in own.items())


def test_saved_and_loaded_trees_have_the_same_scores(tmp_path):
    model = hb.chaid(max_depth=2).fit(X, Y)
    again = hb.load(hb.save(model, tmp_path / "m.tree.json"))
    assert hb.show(again) == hb.show(model)


def test_p_values_do_not_outlive_their_rows():
    tree = hb.ctree(max_depth=1).fit(X, Y).tree_
    assert "?  Gini decrease 0." in hb.show(tree.refit(X[::2], Y[::2]))


def test_a_tree_without_a_criterion_is_judged_by_the_usual_one():
    tree = hb.Tree.from_nested(
        {"column": "x", "<=": 1.5, "yes": {"counts": [3, 0]}, "no": {"counts": [1, 4]}}, classes=["a", "b"]
    )
    assert f"x?  {score_text('gini', float(tree.gain[0]))}  " in hb.show(tree)
    assert json.dumps(hb.show(tree)).count("gain") == 0


@pytest.mark.parametrize(
    ("criterion", "expected"), [("log-rank", "log-rank "), ("exponential", "deviance decrease ")]
)
def test_scores_of_survival_trees_are_named(criterion, expected):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 2))
    outcome = np.column_stack([rng.exponential(np.exp(-x[:, 0])), rng.random(200) < 0.7])
    model = hb.TreeSurvival(criterion, max_depth=1).fit(x, outcome)
    score = Scores(model.tree_).text(0)
    assert score.startswith(expected)
    assert f"?  {score}  " in hb.show(model)
    assert score in html.unescape(re.sub("<[^>]*>", "\n", hb.draw(model).svg))
