"""hb.j48() against Weka's J48 3.6.14: the same tests, thresholds, labels, cases and errors at every node."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tests.golden.j48.tables import GAPS, NAMES, table

import hornbeam as hb
from hornbeam.tree.arrays import LEAF, MULTIWAY

TREES = json.loads((Path(__file__).parents[1] / "golden" / "j48" / "trees.json").read_text(encoding="utf-8"))
RUNS = {
    "default": {},
    "no-raising": {"raising": False},
    "unpruned": {"pruning": "collapse"},
    "strict": {"confidence": 0.05, "min_cases": 5},
}
WHOLE = [name for name in NAMES if name not in GAPS]
NEAR = "J48 puts no cut between numbers that are at most 0.00001 apart"
# Where the trees differ, and why.
DIFFERENT = {("near", run): NEAR for run in ("default", "no-raising", "unpruned")}


def as_weka(tree, node=0):
    """A tree as the golden file has it."""
    if tree.kind[node] == LEAF:
        cases = tree.weight[node]
        wrong = cases - tree.stats[node, tree.label[node]]
        return [str(tree.classes[tree.label[node]]), round(float(cases), 2), round(float(wrong), 2)]
    column = tree.columns[tree.column[node]]
    if tree.kind[node] != MULTIWAY:
        below = [as_weka(tree, child) for child in tree.children(node)]
        cut = float(tree.threshold[node])
        return [column.name, "<=", [[cut, below[0]], [cut, below[1]]]]
    branch_of = dict(zip(*(a.tolist() for a in tree.value_map(node)), strict=True))
    branches = [
        [value, as_weka(tree, tree.first_child[node] + branch_of.get(code, int(tree.absent[node])))]
        for code, value in enumerate(column.categories)
    ]
    return [column.name, "=", branches]


def same(mine, theirs):
    """Whether two trees are the same, thresholds to the six decimals that Weka prints."""
    if len(mine) != len(theirs) or isinstance(mine[1], str) != isinstance(theirs[1], str):
        return False
    if not isinstance(mine[1], str):
        empty = mine[1] == theirs[1] == 0  # an empty leaf answers as its parent; Weka's label says nothing
        return (empty or mine[0] == theirs[0]) and mine[1:] == pytest.approx(theirs[1:], abs=0.011)
    if mine[:2] != theirs[:2] or len(mine[2]) != len(theirs[2]):
        return False
    for (value, subtree), (other, other_subtree) in zip(mine[2], theirs[2], strict=True):
        if mine[1] == "=" and value != other:
            return False
        if mine[1] != "=" and not np.isclose(value, float(other), atol=1e-6):
            return False
        if not same(subtree, other_subtree):
            return False
    return True


def grown(name, run):
    X, y = table(name)
    return hb.j48(**RUNS[run]).fit(X, y).tree_


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("name", WHOLE)
def test_a_tree_is_j48s(name, run):
    found = same(as_weka(grown(name, run)), TREES[run][name])
    assert found == ((name, run) not in DIFFERENT)


def test_a_thousand_times_as_large_the_numbers_j48_does_not_tell_apart_make_its_tree():
    """The two tables differ in the unit of one column, which changes no gain and no order."""
    near, apart = table("near"), table("apart")
    assert near[0] | {"b": None} == apart[0] | {"b": None}
    assert np.array(apart[0]["b"]) == pytest.approx(1000 * np.array(near[0]["b"]), rel=1e-12)
    gaps = np.diff(np.unique(near[0]["b"]))
    assert (gaps <= 1e-5).mean() > 0.5
    for run in RUNS:
        assert leaves(as_weka(grown("near", run))) == leaves(as_weka(grown("apart", run)))
        assert ("apart", run) not in DIFFERENT
    assert any(why is NEAR for why in DIFFERENT.values())


def test_nine_trees_of_ten_are_the_same():
    assert len(DIFFERENT) <= 0.1 * len(WHOLE) * len(RUNS)


def test_the_tables_have_something_to_raise_and_to_collapse():
    raised = 0
    for name in WHOLE:
        X, y = table(name)
        raised += int((hb.j48().fit(X, y).pruning_.decisions.action == 2).sum())
    assert raised > 5


def leaves(tree):
    return 1 if not isinstance(tree[1], str) else sum(leaves(below) for _, below in tree[2])


@pytest.mark.parametrize("name", GAPS)
def test_with_gaps_the_tree_begins_as_j48s(name):
    mine, theirs = as_weka(grown(name, "default")), TREES["default"][name]
    assert mine[:2] == theirs[:2]
    assert leaves(mine) == pytest.approx(leaves(theirs), rel=0.35)
