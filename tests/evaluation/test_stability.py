"""hb.stability: how often the tests and answers of a tree come out again on bootstrap samples."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier
from tests.oracles.stability import five_to_ninety_five, slow_stability
from tests.support.mixed_tables import outcome, random_columns

import hornbeam as hb
from hornbeam.evaluation.same_place import Places
from hornbeam.parts import CostComplexity, Linear

IRIS = load_iris(as_frame=True)


def _data(seed: int, n_classes: int, n: int = 90, gaps: float = 0.1) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = random_columns(rng, n, gaps=gaps)
    return X, outcome(rng, X, n_classes)


def _facts(result: Any) -> dict[str, Any]:
    return result.to_dict() | {"changes": result.changes.tolist()}


MODELS = [
    hb.TreeClassifier(max_depth=3),
    hb.TreeClassifier(max_depth=3, split="multiway", missing="branch"),
    hb.TreeClassifier(max_depth=3, split="one-vs-rest", criterion="entropy"),
    hb.TreeClassifier(max_depth=3, class_weight="balanced", max_features=2, random_state=5),
    hb.TreeClassifier(pruning=CostComplexity(alpha=0.02), min_samples_leaf=3),
    hb.TreeRegressor(max_depth=3),
    hb.TreeRegressor(max_depth=2, leaf=Linear()),
]


@pytest.mark.parametrize("model", MODELS, ids=repr)
@pytest.mark.parametrize("counted", [False, True])
def test_it_is_what_plain_loops_count(model: Any, counted: bool) -> None:
    for seed in range(3):
        X, y = _data(seed, 0 if isinstance(model, hb.TreeRegressor) else 3)
        counts = np.random.default_rng(seed).integers(0, 4, len(X)) if counted else None
        weighing = {} if counts is None else {"counts": counts}
        model.fit(X, y, **weighing)
        result = hb.stability(model, X, y, n=7, random_state=seed, **weighing)
        slow = slow_stability(model, X, y, 7, seed, **weighing)
        for test in result.tests:
            fact = slow["tests"].get(test.node, {"reached": 0, "chosen": 0, "others": {}, "cuts": []})
            assert (test.reached, test.chosen) == (fact["reached"], fact["chosen"])
            names = {", ".join(X.columns[c] for c in cols): k for cols, k in fact["others"].items()}
            assert test.others == {name or "no test": k for name, k in names.items()}
            assert list(test.others.values()) == sorted(test.others.values(), reverse=True)
            ends = five_to_ninety_five(fact["cuts"]) if fact["cuts"] else (None, None)
            assert (test.low, test.high) == ends
        assert set(slow["tests"]) <= {test.node for test in result.tests}
        assert result.same_columns == slow["same"]
        assert result.tested == slow["tested"]
        own, weight = model.predict(X), np.ones(len(X)) if counts is None else counts
        if model.tree_.classes:
            changed = (slow["answers"] != own).mean(axis=0)
            assert result.changes == pytest.approx(changed)
            assert result.agreement == pytest.approx(1 - np.average(changed, weights=weight))
        else:
            assert result.changes == pytest.approx(slow["answers"].std(axis=0), abs=1e-9)
            assert result.spread == pytest.approx(
                np.sqrt(np.average(slow["answers"].var(axis=0), weights=weight))
            )


def test_values_of_sets_are_counted_where_they_lie() -> None:
    rng = np.random.default_rng(0)
    city = rng.choice(["a", "b", "c", "d"], 400)
    share = pd.Series(city).map({"a": 0.9, "b": 0.9, "c": 0.1, "d": 0.5}).to_numpy()
    y = np.where(rng.random(400) < share, "yes", "no")
    X = {"city": city}
    model = hb.TreeClassifier(max_depth=1).fit(X, y)
    test = hb.stability(model, X, y, n=50)[0]
    assert test.chosen == test.reached == 50
    assert (test.values["a"], test.values["b"], test.values["c"]) == (50, 50, 50)
    assert 0 < test.values["d"] < 50
    assert "d on the same side in" in str(hb.stability(model, X, y, n=50))


def test_the_seed_decides_and_neither_threads_nor_the_order_of_rows() -> None:
    X, y = _data(1, 3, 200)
    model = hb.TreeClassifier(max_depth=4, n_jobs=1).fit(X, y)
    first = hb.stability(model, X, y, n=9)
    assert _facts(hb.stability(model, X, y, n=9)) == _facts(first)
    assert _facts(hb.stability(model, X, y, n=9, random_state=1)) != _facts(first)
    assert _facts(hb.stability(model.set_params(n_jobs=2), X, y, n=9)) == _facts(first)
    order = np.random.default_rng(2).permutation(len(X))
    moved = hb.stability(model, X.iloc[order], y[order], n=9)
    assert moved.to_dict() == first.to_dict()
    assert moved.changes.tolist() == first.changes[order].tolist()


def test_a_strong_signal_is_always_chosen_and_noise_seldom() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 8))
    y = X[:, 3] > 0.2
    sure = hb.stability(hb.TreeClassifier().fit(X, y), X, y)
    assert sure[0].share_text == "100 of 100"
    assert sure.same_columns == 100
    assert sure.agreement > 0.98
    assert sure[0].low <= 0.2 <= sure[0].high
    noise = rng.permutation(y)
    unsure = hb.stability(hb.TreeClassifier(max_depth=3).fit(X, noise), X, noise)
    assert unsure[0].chosen < 60
    assert unsure.same_columns < 5
    assert unsure.agreement < 0.9


def test_rows_of_weight_0_never_matter() -> None:
    X, y = _data(4, 2, 80)
    model = hb.TreeClassifier(max_depth=3).fit(X, y)
    weight = np.ones(80)
    weight[60:] = 0
    part = hb.stability(model, X[:60], y[:60], n=8)
    whole = hb.stability(model, X, y, n=8, sample_weight=weight)
    assert [test.chosen for test in whole.tests] == [test.chosen for test in part.tests]
    assert whole.changes[:60].tolist() == part.changes.tolist()
    assert whole.agreement == part.agreement


def test_every_learner_of_one_tree_is_grown_again(tmp_path: Any) -> None:
    X, y = _data(5, 2, 120, gaps=0.0)
    saved = hb.save(hb.TreeClassifier(max_depth=2).fit(X, y), tmp_path / "m.tree.json")
    models = [
        hb.auto(budget=8).fit(X, y),
        hb.id3().fit(X, y),
        hb.c45().fit(X, y),
        hb.chaid().fit(X, y),
        hb.ctree().fit(X, y),
        hb.TreeClassifier(split="oblique", max_depth=2).fit(X, y),
        hb.edit(hb.TreeClassifier(max_depth=1), X, y),
        GridSearchCV(hb.TreeClassifier(), {"max_depth": [1, 2]}, cv=2).fit(X[["age", "city"]], y),
        saved,
    ]
    for model in models:
        result = hb.stability(model, X, y, n=3)
        assert result.n == 3
        assert len(result.tests) == result.tree.n_tests
        assert 0.4 < result.agreement <= 1
        assert str(result)
    result = hb.stability(hb.m5().fit(X, np.arange(120.0)), X, np.arange(120.0), n=3)
    assert result.spread > 0


def test_where_trees_agree_entirely_they_are_the_same_throughout() -> None:
    X, y = _data(6, 3, 150)
    model = hb.TreeClassifier(split="multiway", missing="branch", max_depth=3).fit(X, y)
    places = Places(model.tree_, model.learn_table(X), None)
    notes = places.compare(model.tree_)
    assert {note.node for note in notes if note.columns} == set(np.flatnonzero(model.tree_.kind != 0))
    assert all(note.columns == places.tested[note.node] for note in notes)


def test_what_was_grown_so_far_is_kept(monkeypatch: Any) -> None:
    X, y = IRIS.data, IRIS.target
    model = hb.TreeClassifier(max_depth=2).fit(X, y)
    shares: list[float] = []

    def stop(share: float) -> bool:
        shares.append(share)
        return share > 0.3

    with pytest.warns(hb.PartialFitWarning, match=r"growing was stopped after \d of 10 trees"):
        result = hb.stability(model, X, y, n=10, progress=stop)
    assert 3 <= result.n <= 4  # growth is asked at its beginning, or at its end
    assert result.asked == 10
    assert f"{result.n} trees (of 10 asked for) grown again" in str(result)
    assert _facts(result) | {"asked": result.n} == _facts(hb.stability(model, X, y, n=result.n))
    assert shares == sorted(shares)
    with pytest.warns(hb.PartialFitWarning, match="time_limit was over after 1 of 10"):
        assert hb.stability(model, X, y, n=10, time_limit=1e-9).n == 1

    grown = []
    predict = hb.TreeClassifier.predict

    def interrupted(self: Any, rows: Any) -> Any:
        grown.append(self)
        if len(grown) == 4:  # the model's own answers come first
            raise KeyboardInterrupt
        return predict(self, rows)

    monkeypatch.setattr(hb.TreeClassifier, "predict", interrupted)
    with pytest.warns(hb.PartialFitWarning, match="Ctrl-C was pressed after 2 of 10"):
        assert hb.stability(model, X, y, n=10).n == 2


def test_the_result_reads_as_facts_and_as_a_table() -> None:
    model = hb.TreeClassifier(max_depth=2).fit(IRIS.data, IRIS.target)
    result = hb.stability(model, IRIS.data, IRIS.target, n=20)
    facts = json.loads(json.dumps(result.to_dict()))
    assert facts["schema"] == "hornbeam/stability/1"
    assert facts["tests"][0]["test"] == "petal length (cm) <= 2.45"
    assert result.to_frame().shape == (2, 11)
    assert result.columns()["node"] == [0, 2]
    with pytest.raises(KeyError, match="node 1 is no test of the tree: the tests are the nodes 0, 2"):
        result[1]


def test_show_and_report_have_the_shares() -> None:
    model = hb.TreeClassifier(max_depth=2).fit(IRIS.data, IRIS.target)
    result = hb.stability(model, IRIS.data, IRIS.target, n=20)
    root, below = result[0].share_text, result[2].share_text
    lines = hb.show(model, stability=result, charset="ascii").splitlines()
    plain = hb.show(model, charset="ascii").splitlines()
    assert lines[0] == f"{root}  {plain[0]}"
    assert lines[1] == " " * (len(root) + 2) + plain[1]
    assert lines[2] == f"{below:>{len(root)}}  {plain[2]}"
    assert "test the same column here" in lines[-1]
    assert all(len(line) <= 50 for line in hb.show(model, stability=result, width=50).splitlines())
    report = hb.report(model, IRIS.data, IRIS.target, stability=result)
    document = report.to_dict()
    assert document["nodes"][0]["again"].startswith(root)
    assert document["stability"]["tests"][1][:2] == [2, "petal width (cm) ≤ 1.75"]
    assert ["tested again", document["stability"]["tests"][1][2]] in document["nodes"][2]["facts"]
    assert f"{root}  petal length (cm)?" in str(report)
    assert "stability" not in hb.report(model, IRIS.data, IRIS.target).to_dict()


def test_bad_input_gets_a_sentence() -> None:
    X, y = IRIS.data, IRIS.target
    model = hb.TreeClassifier(max_depth=2).fit(X, y)
    forest = hb.ForestClassifier(n_estimators=3).fit(X, y)
    cases: list[tuple[Any, Any, str]] = [
        (hb.TreeClassifier(), {}, "this TreeClassifier is not fitted"),
        (forest, {}, "grown on bootstrap samples already: give a single tree"),
        (model.tree_, {}, "does not say how it was learned"),
        (hb.TreeDensity().fit(X), {}, "density"),
        (DecisionTreeClassifier().fit(X, y), {}, "give a fitted tree of Hornbeam"),
        (model, {"n": 0}, "n=0 must be a whole number of at least 1"),
        (model, {"n": 2.5}, "n=2.5 must be a whole number of at least 1"),
        (model, {"time_limit": 0}, "time_limit=0 must be a number above 0"),
        (model, {"random_state": -1}, "random_state=-1 must be"),
        (model, {"y": y + 1}, "y has the class 3, which the model does not know"),
        (model, {"y": y[:10]}, "inconsistent"),
    ]
    for given, options, sentence in cases:
        with pytest.raises((ValueError, TypeError), match=sentence):
            hb.stability(given, X, **({"y": y} | options))
    other = hb.TreeClassifier(max_depth=1).fit(X, y)
    for call in (hb.show, lambda m, stability: hb.report(m, X, y, stability=stability)):
        with pytest.raises(ValueError, match="stability is that of another tree"):
            call(model, stability=hb.stability(other, X, y, n=1))
        with pytest.raises(TypeError, match=r"must be what hb.stability\(model, X, y\) returns"):
            call(model, stability=True)
