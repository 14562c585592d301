"""hb.rpart() against R's rpart 4.1.19: the same tests, rows and answers at every node."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from tests.golden.rpart.tables import table

import hornbeam as hb
from hornbeam.arrays import LEAF, THRESHOLD

CASES = json.loads((Path(__file__).parent / "golden" / "rpart" / "trees.json").read_text(encoding="utf-8"))
TIE = "two tests gain the same, and rpart takes the one that rounding puts first"
STAND_IN = (
    "two cuts of a stand-in agree equally often, or both branches are of one size: another row goes there"
)
PRIORS = "rpart counts rows for its stand-ins, here they weigh what growing gave them"
OUTLIVED = (
    "rpart judges a test by what is left below it when parts of that have gone, not by its weakest link"
)
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
    "gaps0-fine": STAND_IN,
    "gaps1-fine": STAND_IN,
    "gaps0-equal": PRIORS,
    "gaps1-equal": PRIORS,
    "made9-equal": OUTLIVED,
    "made16-fine": OUTLIVED,
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
    assert len(others) <= 0.1 * len(CASES)


def test_surrogates_are_rparts():
    """At the root, where nothing before it can differ, the same columns stand in, best first."""
    compared = 0
    for case in CASES:
        node = case["nodes"]["1"]
        if node.get("surrogates") and not case["equal"] and node["n"] >= 14:  # rpart lets one row be a side
            found = hb.surrogates(model_of(case))
            assert [one.column for one in found] == node["surrogates"], name_of(case)
            compared += 1
    assert compared > 10
