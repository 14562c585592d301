"""Reports as facts: what they say of every kind of tree, of metrics, and of input that is refused."""

from __future__ import annotations

import functools
import json
import re
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris
from tests.io.export.cases import CASES
from tests.support.mixed_tables import outcome, random_columns

import hornbeam as hb
from hornbeam.parts import Linear


@functools.cache
def tennis() -> dict[str, Any]:
    table = hb.datasets.load("tennis")
    return hb.report(hb.id3().fit(table.X, table.y), table.X, table.y, title="Tennis").to_dict()


# ---- facts -------------------------------------------------------------------------------------------------


def test_the_root_of_tennis_says_what_the_lecture_says() -> None:
    root = tennis()["nodes"][0]
    assert root["question"] == "Outlook"
    assert root["score"] == "gain 0.247 bits"
    assert root["verdict"] == "Yes 64 %"
    assert (root["n"], root["counts"], root["wrong"]) == (14, [5, 9], 5)
    assert root["say"] == "split on Outlook, 14 records, predicts Yes 64 percent, 3 branches"
    assert root["picture"] == {
        "kind": "bars",
        "more": 0,
        "bars": [
            {"text": "Overcast", "branch": 0, "counts": [0, 4]},
            {"text": "Rain", "branch": 1, "counts": [2, 3]},
            {"text": "Sunny", "branch": 2, "counts": [3, 2]},
        ],
    }


def test_leaves_have_their_rule_and_branches_their_operator() -> None:
    nodes = tennis()["nodes"]
    assert [node["branch"] for node in nodes[1:4]] == ["= Overcast", "= Rain", "= Sunny"]
    assert ["Outlook = Rain", "Wind = Strong"] in [node.get("rule") for node in nodes]


def test_the_tree_in_the_document_is_the_one_that_files_hold() -> None:
    table = hb.datasets.load("tennis")
    tree = hb.id3().fit(table.X, table.y).tree_
    assert hb.Tree.from_dict(tennis()["tree"]) == tree


def test_a_histogram_counts_rows_by_class_on_the_axis_of_the_column() -> None:
    X, y = {"x": [0.0, 1.0, 2.0, 10.0]}, ["a", "a", "b", "b"]
    found = hb.report(hb.TreeClassifier().fit(X, y), X, y).to_dict()["nodes"][0]["picture"]
    assert found["kind"] == "histogram"
    assert found["cuts"] == [0.15]
    assert found["ends"] == ["0", "10"]
    first, second = ([k for k, n in enumerate(bins) for _ in range(n)] for bins in found["bins"])
    assert (first, second) == ([0, 2], [4, 19])


def test_gaps_are_counted_on_the_branch_that_took_them() -> None:
    X, y = {"x": [1.0, 2.0, 3.0, None, None]}, ["a", "a", "b", "b", "b"]
    nodes = hb.report(hb.TreeClassifier().fit(X, y), X, y).to_dict()["nodes"]
    assert [node.get("gaps") for node in nodes[1:]] == [None, "∅ 2"]
    assert ["missing here", "2 (40 %)"] in nodes[0]["facts"]


def test_a_branch_of_its_own_for_gaps_is_marked() -> None:
    X, y = {"x": [1.0, 2.0, 3.0, None]}, ["a", "a", "b", "c"]
    nodes = hb.report(hb.TreeClassifier(missing="branch").fit(X, y), X, y).to_dict()["nodes"]
    own = [node for node in nodes if node.get("own")]
    assert [(node["branch"], node["n"]) for node in own] == [("missing", 1)]


def test_parts_of_rows_add_up() -> None:
    rng = np.random.default_rng(0)
    X = random_columns(rng, 300)
    y = outcome(rng, X, 2)
    found = hb.report(hb.TreeClassifier(missing="fractional", max_depth=4).fit(X, y), X, y).to_dict()
    nodes, first = found["nodes"], found["tree"]["nodes"]["first_child"]
    count = found["tree"]["nodes"]["n_children"]
    for k, node in enumerate(nodes):
        if first[k] >= 0:
            below = sum(nodes[c]["n"] for c in range(first[k], first[k] + count[k]))
            assert below == pytest.approx(node["n"], abs=0.05)
    assert any(str(node.get("gaps", "")).startswith("∅ ×") for node in nodes)


@pytest.mark.parametrize("missing", ["learn", "branch", "majority", "surrogates"])
def test_counts_of_training_rows_are_those_of_the_tree(missing: str) -> None:
    rng = np.random.default_rng(1)
    X = random_columns(rng, 250)
    y = outcome(rng, X, 3)
    model = hb.TreeClassifier(missing=missing, max_depth=5).fit(X, y)
    found = hb.report(model, X, y).to_dict()
    assert [node["n"] for node in found["nodes"]] == model.tree_.n_rows.tolist()
    np.testing.assert_allclose([node["counts"] for node in found["nodes"]], model.tree_.stats)
    assert found["quality"][0]["name"] == "training"
    accuracy = found["quality"][0]["metrics"][0]
    assert accuracy["value"] == pytest.approx(model.score(X, y))
    matrix = np.array(found["quality"][0]["confusion"])
    assert matrix.sum() == 250
    assert np.trace(matrix) / 250 == pytest.approx(accuracy["value"])


def test_numbers_have_spreads_on_a_common_axis_and_residuals() -> None:
    X, y = {"x": [1, 2, 3, 4, 5, 6]}, [0.0, 2.0, 1.0, 9.0, 10.0, 8.0]
    found = hb.report(hb.TreeRegressor(max_depth=1).fit(X, y), X, y).to_dict()
    assert [node["verdict"] for node in found["nodes"]] == ["5 ± 4.082", "1 ± 0.8165", "9 ± 0.8165"]
    assert found["nodes"][1]["picture"] == {"kind": "box", "five": [0.0, 0.0, 0.1, 0.2, 0.2], "value": 0.1}
    assert found["nodes"][0]["picture"]["means"] == [0.1, 0.9]
    assert np.sum(found["nodes"][0]["picture"]["grid"]) == 6
    assert [m["name"] for m in found["quality"][0]["metrics"]] == ["RMSE", "MAE", "R2", "mean bias"]
    assert sum(found["quality"][0]["residuals"]["bins"]) == 6


def test_equations_are_told_in_short_and_in_full() -> None:
    X = {"x": np.arange(20.0), "z": np.tile([0.0, 1.0], 10)}
    y = 3 + 2 * X["x"]
    found = hb.report(hb.TreeRegressor(leaf=Linear(columns=["x"]), max_depth=0).fit(X, y), X, y).to_dict()
    node = found["nodes"][0]
    assert node["verdict"] == "≈ 3 + 2·x"
    assert node["equation"]["terms"][0][:2] == ["x", "2"]
    assert node["picture"]["kind"] == "line"
    assert node["picture"]["line"] == [[0.0, 0.0], [1.0, 1.0]]


def test_validation_rows_stand_beside_and_are_never_mixed() -> None:
    X, y = {"x": [1, 2, 3, 4]}, ["a", "a", "b", "b"]
    held = {"x": [1, 4, 4]}, ["b", "b", "a"]
    found = hb.report(hb.TreeClassifier().fit(X, y), X, y, validation=held).to_dict()
    assert [node["held"] for node in found["nodes"]] == [[3, 2], [1, 1], [2, 1]]
    assert [node["n"] for node in found["nodes"]] == [4, 2, 2]
    assert [one["name"] for one in found["quality"]] == ["training", "validation"]
    assert found["pruning"]["validation"] == pytest.approx([2 / 3, 2 / 3])


def test_the_tree_as_grown_stands_before_a_path_that_begins_smaller() -> None:
    nested = {"column": "x", "<=": 1, "yes": {"counts": {"a": 3, "b": 1}}, "no": {"counts": {"a": 2, "b": 1}}}
    tree = hb.Tree.from_nested(nested)
    X, y = {"x": [0, 0, 0, 0, 2, 2, 2]}, list("aaabaab")
    found = hb.report(tree, X, y, validation=(X, y)).to_dict()["pruning"]
    assert found["leaves"] == [2, 1]
    assert found["alpha"] == [None, 0.0]
    assert found["texts"] == ["as grown", "α = 0"]
    assert found["training"] == found["validation"] == pytest.approx([2 / 7, 2 / 7])


def test_rows_never_seen_and_classes_never_seen_are_described_too() -> None:
    X, y = {"c": ["u", "v", "u", "v"]}, ["a", "b", "a", "b"]
    found = hb.report(hb.TreeClassifier().fit(X, y), {"c": ["u", "w", None]}, ["a", "z", "b"]).to_dict()
    assert found["quality"][0]["name"] == "given rows"
    assert ["rows the model was fitted on", "4"] in found["provenance"]
    assert np.sum(found["quality"][0]["confusion"]) == 2  # the class z has no line


@pytest.mark.parametrize("name", [name for name in CASES if not name.startswith("density")])
def test_every_kind_of_tree_has_a_report_that_json_can_hold(name: str) -> None:
    case = CASES[name]()
    answers = case.tree.predict(case.frame)
    report = hb.report(case.tree, case.frame, answers)
    assert json.loads(report.to_json()) == report.to_dict()
    assert len(report.to_dict()["nodes"]) == len(case.tree)
    assert str(report)


# ---- sentences for what cannot be --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"validation": ([1],)}, "validation must be a tuple"),
        ({"title": 3}, "title=3 must be text"),
        ({"rows": "yes"}, "rows='yes' must be True or False"),
        ({"y": ["a"]}, "inconsistent numbers"),
        ({"random_state": "x"}, "random_state='x'"),
    ],
)
def test_bad_input_gets_one_clear_sentence(change: dict[str, Any], words: str) -> None:
    X, y = {"x": [1, 2]}, ["a", "b"]
    given = {"model": hb.TreeClassifier().fit(X, y), "X": X, "y": y} | change
    with pytest.raises((ValueError, TypeError), match=re.escape(words)):
        hb.report(**given)


def test_models_without_one_outcome_are_refused_by_name() -> None:
    density = hb.TreeDensity().fit(np.random.default_rng(0).normal(size=(30, 1)))
    with pytest.raises(ValueError, match="density tree has no outcome"):
        hb.report(density, [[1.0]], [1])
    forest = hb.ForestClassifier(n_estimators=2).fit([[1], [2]], ["a", "b"])
    with pytest.raises(ValueError, match="read one of them"):
        hb.report(forest, [[1], [2]], ["a", "b"])


# ---- metrics -----------------------------------------------------------------------------------------------


def test_metrics_are_those_of_evaluate() -> None:
    X, y = load_iris(return_X_y=True)
    model = hb.TreeClassifier(max_depth=2).fit(X, y)
    shown = hb.report(model, X, y).to_dict()["quality"][0]["metrics"]
    told = hb.evaluate(model, X, y)
    for metric, name in zip(
        shown, ("accuracy", "balanced_accuracy", "auc", "log_loss", "brier"), strict=True
    ):
        assert (metric["value"], metric["low"], metric["high"]) == (
            told[name].value,
            told[name].low,
            told[name].high,
        )


def test_outcomes_that_are_all_the_same_leave_nothing_to_explain() -> None:
    shown = hb.report(hb.TreeRegressor().fit([[1], [2]], [3.0, 3.0]), [[1], [2]], [3.0, 3.0]).to_dict()
    r2 = next(m for m in shown["quality"][0]["metrics"] if m["name"] == "R2")
    assert (r2["value"], r2["text"], r2["interval"]) == (None, "not defined", "")


def test_a_class_the_tree_does_not_know_counts_as_wrong() -> None:
    model = hb.TreeClassifier().fit([[1], [2]], ["a", "b"])
    held = hb.report(model, [[1], [2]], ["a", "b"], validation=([[1], [2], [2]], ["a", "b", "c"]))
    accuracy = held.to_dict()["quality"][1]["metrics"][0]
    assert accuracy["value"] == pytest.approx(2 / 3)


def test_one_leaf_of_one_row_is_not_spoken_of_as_several():
    table, y = {"x": [1]}, ["a"]
    report = hb.report(hb.TreeClassifier().fit(table, y), table, y)
    assert "1 leaf, 1 node, depth 0\ntraining, 1 row\n" in str(report)
