"""Rows through trees: one leaf, all paths, surrogates, and what several leaves answer together."""

import math
import random

import numpy as np
import pytest

from hornbeam import datasets
from hornbeam.data.columns import Column
from hornbeam.data.table import Table
from hornbeam.tree.routing import labels, probabilities
from hornbeam.tree.tree import Tree

ROBOTS = {
    "column": "body",
    "branches": {
        "circle": {"column": "smile", "branches": {"no": {"counts": [0, 1]}, "yes": {"counts": [2, 0]}}},
        "square": {"counts": [0, 3]},
        "triangle": {"counts": [2, 0]},
    },
}
SMILING = [{"body": None, "smile": "yes"}]


def robots(**policy) -> Tree:
    return Tree.from_nested(ROBOTS, classes=["ally", "enemy"], policy=policy)


def test_p50_a_missing_value_follows_all_paths_weighted_by_leaf_counts():
    for vote in ("leaf", "distribution"):
        tree = robots(vote=vote)
        assert tree.predict_proba(SMILING)[0].tolist() == pytest.approx([0.571429, 0.428571], abs=1e-6)
        assert tree.predict(SMILING).tolist() == ["ally"]


def test_p51_or_weighted_by_the_shares_of_the_branches():
    tree = robots(weights="branch")
    assert tree.predict_proba(SMILING)[0].tolist() == pytest.approx([0.625, 0.375])


def test_p54_fractional_cases_weigh_as_they_were_counted():
    nested = {
        "column": "Humidity",
        "branches": {"High": {"counts": [3, 5 / 13]}, "Normal": {"counts": [0, 2]}},
    }
    tree = Tree.from_nested(nested, classes=["No", "Yes"], policy={"weights": "branch"})
    assert tree.predict_proba([{"Humidity": None}])[0].tolist() == pytest.approx(
        [0.557143, 0.442857], abs=1e-6
    )


def test_p108_an_unseen_value_follows_all_paths_too():
    data = datasets.load("tennis")
    nested = {
        "column": "Outlook",
        "branches": {
            "Overcast": "Yes",
            "Rain": {"column": "Wind", "branches": {"Strong": "No", "Weak": "Yes"}},
            "Sunny": {"column": "Humidity", "branches": {"High": "No", "Normal": "Yes"}},
        },
    }
    tree = Tree.from_nested(nested, Table.learn(data.X)).refit(data.X, data.y)
    row = [{"Outlook": "Fog", "Temperature": "Hot", "Humidity": "High", "Wind": "Weak"}]
    assert tree.predict_proba(row)[0].tolist() == pytest.approx([0.3, 0.7])
    assert tree.predict(row).tolist() == ["Yes"]


def test_routing_lists_the_leaves_of_each_row_with_weights_that_sum_to_one():
    routing = robots().route({"body": ["square", None, "circle"], "smile": ["yes", "yes", None]})
    assert routing.start.tolist() == [0, 1, 4, 6]
    assert routing.leaf.tolist() == [2, 2, 3, 5, 4, 5]
    assert routing.weight.tolist() == pytest.approx([1, 3 / 7, 2 / 7, 2 / 7, 1 / 3, 2 / 3])
    assert routing.heaviest().tolist() == [2, 2, 5]


def test_of_equally_heavy_leaves_the_first_is_the_heaviest():
    tree = Tree.from_nested({"column": "x", "<=": 1, "yes": {"counts": {"p": 2}}, "no": {"counts": {"q": 2}}})
    assert tree.route([{"x": None}]).heaviest().tolist() == [1]
    assert tree.predict([{"x": None}]).tolist() == ["p"]


def test_one_vote_a_leaf_counts_labels_and_a_single_leaf_keeps_its_shares():
    nested = {"column": "x", "<=": 1, "yes": {"counts": {"p": 3, "q": 2}}, "no": {"counts": {"p": 1, "q": 9}}}
    by_vote = Tree.from_nested(nested, policy={"vote": "leaf"})
    assert by_vote.predict_proba([{"x": None}, {"x": 0}]).tolist() == [
        pytest.approx([5 / 15, 10 / 15]),
        pytest.approx([0.6, 0.4]),
    ]
    assert Tree.from_nested(nested).predict_proba([{"x": None}])[0].tolist() == pytest.approx(
        [4 / 15, 11 / 15]
    )


def test_empty_leaves_weigh_nothing_unless_nothing_else_is_reached():
    column = Column("c", "nominal", ("u", "v", "w", "z"))
    nested = {"column": "c", "branches": {"u": {"counts": [4, 0]}, "v": {"counts": [0, 0], "label": "q"}}}
    tree = Tree.from_nested(nested, [column], ["p", "q"])
    routing = tree.route([{"c": None}, {"c": "w"}, {"c": "v"}])
    assert routing.leaf.tolist() == [1, 3, 2]
    assert labels(tree, routing).tolist() == [0, 0, 1]
    branches = {("u",): {"counts": [0, 0], "label": "q"}, ("v", "w"): {"counts": [0, 0]}}
    empty = Tree.from_nested({"column": "c", "branches": branches}, [column], ["p", "q"])
    assert empty.route([{"c": None}]).weight.tolist() == [0.5, 0.5]


def test_a_learned_branch_takes_missing_values_unless_the_policy_is_all_paths():
    nested = {
        "column": "x",
        "<=": 1,
        "yes": {"counts": {"p": 1}},
        "no": {"counts": {"q": 3}},
        "missing_to": "yes",
    }
    assert Tree.from_nested(nested).predict_proba([{"x": None}])[0].tolist() == [1, 0]
    everywhere = Tree.from_nested(nested, policy={"missing": "all-paths"})
    assert everywhere.predict_proba([{"x": None}])[0].tolist() == [0.25, 0.75]


def test_all_paths_include_the_branch_of_missing_values():
    nested = {
        "column": "x",
        "<=": 1,
        "yes": {"counts": {"p": 1}},
        "no": {"counts": {"q": 2}},
        "missing": {"counts": {"r": 5}},
    }
    tree = Tree.from_nested(nested, policy={"missing": "all-paths"})
    assert tree.predict_proba([{"x": None}])[0].tolist() == [1 / 8, 2 / 8, 5 / 8]


def test_surrogates_are_asked_in_order_before_the_learned_branch():
    tree = Tree.from_nested(
        {
            "column": "x",
            "<=": 1,
            "yes": "p",
            "no": "q",
            "missing_to": "yes",
            "surrogates": [
                {"column": "y", "<=": 5, "low": "no", "high": "yes"},
                {"column": "c", "branches": {"u": "yes", "v": "no"}},
            ],
        }
    )
    rows = [
        {"x": 2, "y": 9, "c": "u"},
        {"x": None, "y": 5, "c": "u"},
        {"x": None, "y": 6, "c": "v"},
        {"x": None, "y": None, "c": "v"},
        {"x": None, "y": None, "c": None},
    ]
    assert tree.predict(rows).tolist() == ["q", "q", "p", "q", "p"]


def test_a_code_outside_a_subset_goes_the_way_of_missing_values():
    column = Column("c", "nominal", ("u", "v", "w"))
    nested = {"column": "c", "branches": {("u",): {"counts": {"p": 1}}, ("v",): {"counts": {"q": 3}}}}
    assert Tree.from_nested(nested, [column]).predict_proba([{"c": "w"}])[0].tolist() == [0.25, 0.75]
    learned = Tree.from_nested(nested | {"missing_to": "u"}, [column])
    assert learned.predict([{"c": "w"}]).tolist() == ["p"]


def test_neighbouring_doubles_fall_on_either_side_of_a_threshold():
    t = 0.1
    tree = Tree.from_nested({"column": "x0", "<=": t, "yes": "p", "no": "q"})
    assert tree.predict(np.array([[t], [np.nextafter(t, 1)]])).tolist() == ["p", "q"]
    singles = np.array([[0.1]], dtype=np.float32)  # a little more than the double 0.1
    assert tree.predict(singles).tolist() == ["q"]


def test_regression_averages_the_leaves_reached():
    tree = Tree.from_nested(
        {"column": "x", "<=": 1, "yes": {"value": 10, "n": 1}, "no": {"value": 20, "n": 3}}
    )
    assert tree.predict([{"x": 0}, {"x": None}]).tolist() == [10, 17.5]
    with pytest.raises(ValueError, match="task='real'"):
        probabilities(tree, tree.route([{"x": 0}]))


def test_a_table_with_another_domain_is_translated_by_value():
    tree = Tree.from_nested({"column": "c", "branches": {"u": "p", "w": "q"}})
    table = Table.learn({"z": [1.0, 2.0, 3.0], "c": ["w", "a", "u"]})
    assert tree.route(table).leaf.tolist() == [2, 1, 2, 1]
    with pytest.raises(ValueError, match="no column 'c'"):
        tree.route(Table.learn({"z": [1.0]}))


def test_a_leaf_with_an_equation_answers_with_it():
    line = {"intercept": 1.0, "terms": {"x": 2.0}}
    tree = Tree.from_nested({"column": "x", "<=": 1, "yes": {"value": 1, "model": line}, "no": {"value": 2}})
    assert tree.predict([{"x": 2}, {"x": 0.5}]).tolist() == [2, 2]


def test_no_rows_reach_no_leaves():
    tree = Tree.from_nested({"column": "x0", "<=": 1, "yes": "p", "no": "q"})
    assert tree.predict(np.empty((0, 1))).tolist() == []
    assert tree.route(np.empty((0, 1))).n_rows == 0


# --- the obvious twin: one row at a time, straight from the nested structure --------------------------------


def random_tree(rng: random.Random, depth: int):
    """A nested tree over x, y (numeric), c, d (nominal), s (ordinal) with every kind of test."""
    if depth == 0 or rng.random() < 0.2:
        return {"counts": [rng.choice([0, 1, 2, 5]), rng.choice([0, 1, 3])], "label": rng.choice("pq")}

    def sub():
        return random_tree(rng, depth - 1)

    pair = {"yes": sub(), "no": sub()}
    node = rng.choice(
        [
            {"column": rng.choice("xy"), "<=": rng.choice([-1, 0, 0.5]), **pair},
            {"column": "s", "<=": rng.choice("SM"), **pair},
            {"column": rng.choice("cd"), "equals": rng.choice("uvw"), **pair},
            {"column": "c", "branches": {"u": sub(), "w": sub()}},
            {"column": "d", "branches": {("u", "v"): sub(), "w": sub()}},
            {"column": "c", "branches": {("u",): sub(), ("v",): sub()}},
            {"weights": {"x": 1, "y": -1}, "<=": 0.5, **pair},
            {"columns": ["c", "s"], "branches": {(("u", "S"), ("v", "M")): sub(), ("w", "L"): sub()}},
            {"expression": "x > 0 and c == 'u' or y < x", **pair},
        ]
    )
    what = rng.random()
    if what < 0.3:
        return node | {"missing": sub()}
    if what < 0.6 and "yes" in node:
        return node | {"missing_to": rng.choice(["yes", "no"])}
    return node


def outcome(node, row):
    """The answer of a row at a node: "yes", "no", a value or values; None if it is missing."""
    if "expression" in node:
        left = None if row["x"] is None else row["x"] > 0
        right = None if row["c"] is None else row["c"] == "u"
        both = False if False in (left, right) else None if None in (left, right) else True
        other = None if None in (row["x"], row["y"]) else row["y"] < row["x"]
        value = True if True in (both, other) else None if None in (both, other) else False
    elif "weights" in node:
        value = None if None in (row["x"], row["y"]) else row["x"] - row["y"] <= node["<="]
    elif "columns" in node:
        return None if None in (row["c"], row["s"]) else (row["c"], row["s"])
    else:
        x = row[node["column"]]
        if x is None or "branches" in node:
            return x
        if "equals" in node:
            value = x == node["equals"]
        else:
            value = "SML".index(x) <= "SML".index(node["<="]) if node["column"] == "s" else x <= node["<="]
    return None if value is None else "yes" if value else "no"


def twin(node, row, all_paths):
    """The class counts of the leaves a row reaches, by the identity of the leaf's dict."""
    if "counts" in node:
        return {id(node): node["counts"]}
    items = (
        [(k, v) for k, v in node["branches"].items()]
        if "branches" in node
        else [(k, node[k]) for k in ("yes", "no")]
    )
    answer = outcome(node, row)
    fits = [
        v for k, v in items if answer is not None and (k == answer or (isinstance(k, tuple) and answer in k))
    ]
    plain = "branches" in node and "columns" not in node and not any(isinstance(k, tuple) for k, _ in items)
    if plain and not fits and answer is not None:
        return {("empty", id(node)): [0, 0]}
    if not fits and not all_paths and "missing" in node:
        fits = [node["missing"]]
    elif not fits and not all_paths and "missing_to" in node:
        fits = [node[node["missing_to"]]]
    elif not fits:
        fits = [v for _, v in items] + ([node["missing"]] if "missing" in node else [])
    found = {}
    for child in fits:
        found |= twin(child, row, all_paths)
    if plain and answer is None and len(fits) > 1:
        found[("empty", id(node))] = [0, 0]
    return found


@pytest.mark.parametrize("all_paths", [False, True])
@pytest.mark.parametrize("seed", range(60))
def test_routing_agrees_with_its_obvious_twin(seed, all_paths):
    rng = random.Random(seed)
    columns = [
        Column("x", "numeric"),
        Column("y", "numeric"),
        Column("c", "nominal", tuple("uvw")),
        Column("d", "nominal", tuple("uvw")),
        Column("s", "ordinal", tuple("SML")),
    ]
    nested = random_tree(rng, 4)
    tree = Tree.from_nested(nested, columns, "pq", policy={"missing": "all-paths"} if all_paths else None)
    values = {
        "x": [-1, 0, 0.25, 1, None],
        "y": [-2, 0, 0.5, None],
        "c": [*"uvw", None],
        "d": [*"uvw", None],
        "s": [*"SML", None],
    }
    rows = [{name: rng.choice(choices) for name, choices in values.items()} for _ in range(30)]
    arrays = {name: [row[name] for row in rows] for name in values}
    arrays["s"] = np.array(["SML".find(v) if v else -1 for v in arrays["s"]], dtype=np.int32)
    coded = {n: np.array(["uvw".find(v) if v else -1 for v in arrays[n]], dtype=np.int32) for n in "cd"}
    floats = {n: np.array([math.nan if v is None else v for v in arrays[n]]) for n in "xy"}
    table = Table(columns, 30, (floats["x"], floats["y"], coded["c"], coded["d"], arrays["s"]))
    routing = tree.route(table)
    for k, row in enumerate(rows):
        found = twin(nested, row, all_paths)
        counts = np.array(list(found.values()))
        weights = sorted(w for w in counts.sum(axis=1).tolist() if w > 0) or [1] * len(found)
        got = sorted(routing.weight[routing.start[k] : routing.start[k + 1]].tolist())
        assert got == pytest.approx([w / sum(weights) for w in weights])
        if counts.any():  # weighted by their counts, the leaves answer with the shares of all their rows
            shares = counts.sum(axis=0) / counts.sum()
            assert probabilities(tree, routing)[k].tolist() == pytest.approx(shares.tolist())
