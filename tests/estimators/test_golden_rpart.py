"""hb.rpart() against R's rpart 4.1.19: the same tests, rows and answers at every node."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from tests.golden.rpart.tables import table
from tests.oracles.rpart_complexity import pruned_as_rpart

import hornbeam as hb
from hornbeam.pruning.risks import node_risks
from hornbeam.tree.arrays import LEAF, THRESHOLD

CASES = json.loads(
    (Path(__file__).parents[1] / "golden" / "rpart" / "trees.json").read_text(encoding="utf-8")
)
TIE = "two tests gain the same, and rpart takes the one that rounding puts first"
EVEN = "both branches weigh the same, and rpart sends a row that no stand-in knows to neither of them"
PRIORS = "rpart counts rows for its stand-ins, here they weigh what priors gave them in growing"
OUTLIVED = "rpart judges a test by what is left of its branches when those collapse, not by its weakest link"
# Where the trees differ, and why. With rpart's own defaults none does.
DIFFERENT = {
    "diabetes-fine": TIE,
    "digits-fine": TIE,
    "made2-fine": TIE,
    "made13-fine": TIE,
    "made14-fine": TIE,
    "made15-fine": TIE,
    "made17-fine": TIE,
    "wide0-fine": TIE,
    "wide1-fine": TIE,
    "gaps0-fine": EVEN,
    "gaps1-fine": EVEN,
    "gaps0-equal": PRIORS,
    "gaps1-equal": PRIORS,
    "made9-equal": OUTLIVED,
    "made16-fine": TIE,
}


def name_of(case):
    return "-".join(
        [case["table"], *(["fine"] if case["control"] else []), *(["equal"] if case["equal"] else [])]
    )


def model_of(case):
    X, y = table(case["table"])
    params = {"minsplit": 20, "minbucket": None, "cp": 0.01} | case["control"]
    params |= {name: int(params[name]) for name in ("minsplit", "minbucket") if params[name] is not None}
    if case["equal"]:
        params["priors"] = "equal"
    return hb.rpart("real" if case["real"] else "classes", **params).fit(X, y)


def first_difference(tree, nodes, mine=0, theirs=1):
    """None if two trees are the same, otherwise what differs first."""
    node = nodes[str(theirs)]
    if tree.n_rows[mine] != node["n"] or not same_answer(tree, mine, node["answer"]):
        return f"node {theirs}: {tree.n_rows[mine]} rows, not {node['n']}, or not the answer {node['answer']}"
    if (tree.kind[mine] == LEAF) != ("column" not in node):
        return f"node {theirs}: a leaf here and a test there"
    if tree.kind[mine] == LEAF:
        return None
    column = tree.columns[tree.column[mine]]
    if column.name != node["column"]:
        return f"node {theirs}: {column.name}, not {node['column']}"
    first, second = tree.children(mine)
    if tree.kind[mine] == THRESHOLD:
        if not math.isclose(tree.threshold[mine], node["cut"], rel_tol=1e-12):
            return f"node {theirs}: cut at {tree.threshold[mine]}, not {node['cut']}"
        swapped = node["left"] == "above"
    else:
        codes, branches = tree.value_map(mine)
        sides = [
            {column.categories[c] for c, b in zip(codes, branches, strict=True) if b == k} for k in (0, 1)
        ]
        left, right = set(node["left"]), set(node["right"])
        if {frozenset(side) for side in sides} != {frozenset(left), frozenset(right)}:
            return f"node {theirs}: {sides}, not {left} and {right}"
        swapped = sides[0] == right
    if swapped:
        first, second = second, first
    return first_difference(tree, nodes, first, 2 * theirs) or first_difference(
        tree, nodes, second, 2 * theirs + 1
    )


def same_answer(tree, node, answer):
    """The same mean; or a class that none is heavier than, since rounding decides ties in rpart."""
    if tree.task == "real":
        return math.isclose(tree.answers()[node], answer, rel_tol=1e-9, abs_tol=1e-9)
    shares = tree.answers()[node]
    return shares[int(answer)] >= shares.max() - 1e-9


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_a_tree_is_rparts(case):
    found = first_difference(model_of(case).tree_, case["nodes"])
    assert (found is None) == (name_of(case) not in DIFFERENT), found


def test_with_rparts_defaults_no_tree_differs():
    assert not any(name_of(case) in DIFFERENT for case in CASES if not case["control"] and not case["equal"])
    others = [name for name, why in DIFFERENT.items() if why is not TIE]
    assert len(others) <= 5


# ---- why: each reason, shown on the trees it is given for --------------------------------------------------


def different(why):
    return [case for case in CASES if DIFFERENT.get(name_of(case)) is why]


def swapped(tree, mine, node):
    """Whether rpart's left is our second branch; None if the two tests are not the same."""
    column = tree.columns[tree.column[mine]]
    if tree.kind[mine] == LEAF or column.name != node.get("column"):
        return None
    if tree.kind[mine] == THRESHOLD:
        same = math.isclose(tree.threshold[mine], node["cut"], rel_tol=1e-12)
        return node["left"] == "above" if same else None
    codes, branches = tree.value_map(mine)
    sides = [{column.categories[c] for c, b in zip(codes, branches, strict=True) if b == k} for k in (0, 1)]
    if sides in ([set(node["left"]), set(node["right"])], [set(node["right"]), set(node["left"])]):
        return sides[0] == set(node["right"])
    return None


def first_other_test(tree, nodes, mine=0, theirs=1):
    """(our node, rpart's node) where the tests differ first."""
    node = nodes[str(theirs)]
    if tree.kind[mine] == LEAF and "column" not in node:
        return None
    turned = swapped(tree, mine, node)
    if turned is None:
        return mine, node
    first, second = list(tree.children(mine))[:: -1 if turned else 1]
    below = first_other_test(tree, nodes, first, 2 * theirs)
    return below or first_other_test(tree, nodes, second, 2 * theirs + 1)


def gain(X, y, rows, node, real):
    """How much a test of rpart lowers Gini, or the variance, of some rows without gaps."""
    values = [X[node["column"]][i] for i in rows]
    left = np.array([v in node["left"] if "cut" not in node else v < node["cut"] for v in values])

    def impurity(part):
        if real:
            return np.var(part)
        return 1 - ((np.unique(part, return_counts=True)[1] / len(part)) ** 2).sum()

    outcome = np.array(y)[rows]
    parts = [outcome[left], outcome[~left]]
    return impurity(outcome) - sum(len(part) / len(rows) * impurity(part) for part in parts)


@pytest.mark.parametrize("case", different(TIE), ids=name_of)
def test_where_a_tie_is_the_reason_rparts_test_gains_the_same(case):
    model, (X, y) = model_of(case), table(case["table"])
    mine, node = first_other_test(model.tree_, case["nodes"])
    rows = np.flatnonzero(model.decision_path(X).toarray()[:, mine])
    if "column" not in node:  # made16: rpart took the column c here, and collapsed what came of it
        node = {"column": "c", "cut": 1.5}
    found = gain(X, y, rows, node, case["real"])
    assert found == pytest.approx(float(model.tree_.gain[mine]), rel=1e-12)


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_pruned_by_rparts_rule_the_trees_called_outlived_are_rparts_and_the_others_stay(case):
    """`tests/oracles/rpart_complexity.py` is that rule; it decides otherwise in no other tree."""
    X, y = table(case["table"])
    whole = model_of(case).set_params(pruning=None).fit(X, y).tree_
    cp = ({"cp": 0.01} | case["control"])["cp"]
    found = first_difference(pruned_as_rpart(whole, cp * node_risks(whole)[0]), case["nodes"])
    why = DIFFERENT.get(name_of(case))
    assert (found is None) == (why is None or why is OUTLIVED), found


@pytest.mark.parametrize("case", different(EVEN), ids=name_of)
def test_where_even_branches_are_the_reason_rpart_leaves_rows_behind(case):
    X, y = table(case["table"])
    model = model_of(case).set_params(pruning=None).fit(X, y)
    mine, theirs = first_other_rows(model.tree_, case["nodes"])
    node = case["nodes"][str(theirs)]
    below = [case["nodes"][str(2 * theirs + k)]["n"] for k in (0, 1)]
    rows = np.flatnonzero(model.decision_path(X).toarray()[:, mine])
    values = [X[node["column"]][i] for i in rows]
    left = sum(v is not None and v < node["cut"] for v in values)
    known = sum(v is not None for v in values)
    assert sum(below) < node["n"] == len(rows)
    assert 2 * left == known < len(rows)
    assert sum(model.tree_.n_rows[list(model.tree_.children(mine))]) == len(rows)


@pytest.mark.parametrize("case", different(PRIORS), ids=name_of)
def test_counted_by_rows_the_stand_ins_under_priors_are_rparts(case):
    """At the first node whose rows differ: by rows other columns imitate its test than by weights."""
    model, (X, y) = model_of(case), table(case["table"])
    mine, theirs = first_other_rows(model.tree_, case["nodes"])
    rows = np.flatnonzero(model.decision_path(X).toarray()[:, mine])
    node = case["nodes"][str(theirs)]
    assert len(rows) == node["n"]
    share = {label: 1 / y.count(label) for label in set(y)}  # what equal priors make a row weigh
    by_weight = stand_ins(X, rows, node, np.array([share[y[i]] for i in rows]))
    by_rows = stand_ins(X, rows, node, np.ones(len(rows)))
    assert by_rows == node["surrogates"]
    assert by_weight == [one.column for one in hb.teaching.surrogates(model, node=mine)]
    assert by_weight != by_rows


def first_other_rows(tree, nodes, mine=0, theirs=1):
    """The first test, from the root down, that both share and whose branches have other numbers of rows."""
    turned = swapped(tree, mine, nodes[str(theirs)])
    if turned is None:
        return None
    kids = list(tree.children(mine))[:: -1 if turned else 1]
    if any(tree.n_rows[kid] != nodes[str(2 * theirs + k)]["n"] for k, kid in enumerate(kids)):
        return mine, theirs
    found = [first_other_rows(tree, nodes, kid, 2 * theirs + k) for k, kid in enumerate(kids)]
    return found[0] or found[1]


def stand_ins(X, rows, node, weight):
    """The columns that imitate a test better than the majority, best first."""
    own = [X[node["column"]][i] for i in rows]
    known = np.array([v is not None for v in own])
    left = np.array(
        [v is not None and (v in node["left"] if "cut" not in node else v < node["cut"]) for v in own]
    )
    most = max(weight[known & left].sum(), weight[known & ~left].sum())
    found = {}
    for name in X:
        values = [X[name][i] for i in rows]
        if name != node["column"]:
            best = max((agreement(values, side, known, left, weight) for side in sides(values)), default=0)
            if best > most * (1 + 1e-12):
                found[name] = best
    return sorted(found, key=lambda name: -round(found[name], 12))[:5]


def sides(values):
    """Every way to part values: cuts, or for words the one that parts each by itself (None)."""
    there = sorted({v for v in values if v is not None})
    return [None] if there and isinstance(there[0], str) else there[1:]


def agreement(values, side, known, left, weight):
    both = known & np.array([v is not None for v in values])
    if side is None:
        words = {v: np.array([w == v for w in values]) & both for v in set(values) - {None}}
        return sum(max(weight[at & left].sum(), weight[at & ~left].sum()) for at in words.values())
    low = np.array([v is not None and v < side for v in values])
    if min((both & low).sum(), (both & ~low).sum()) < 2:
        return 0
    same = weight[both & (low == left)].sum()
    return max(same, weight[both].sum() - same)


def test_surrogates_are_rparts():
    """At the root, where nothing before it can differ, the same columns stand in, best first."""
    compared = 0
    for case in CASES:
        node = case["nodes"]["1"]
        if node.get("surrogates") and not case["equal"] and node["n"] >= 14:  # rpart lets one row be a side
            found = hb.teaching.surrogates(model_of(case))
            assert [one.column for one in found] == node["surrogates"], name_of(case)
            compared += 1
    assert compared > 10
