"""C4.5's subtree raising: the training rows of a tree go through its subtrees, and some of those move up.

The core decides on rows in leaves (`cpp/hornbeam/prune/raise_subtrees.hpp`); it answers with a link from each
node to the one that takes its place, and from that the tree is put together anew.

A Tree keeps one empty leaf for all values of a column that have no row at a node (its absent values). Rows
may still arrive there in a subtree that is raised, so each value gets a leaf of its own first; afterwards
those that stayed empty are merged again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from hornbeam import _core
from hornbeam._base.error_limits import ENDS, deviate_of, expected_errors
from hornbeam._base.types import AnyArray, Bools, Floats, Longs
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.pruning.record import Decisions
from hornbeam.tree import answers, apply, routing, subtrees
from hornbeam.tree.answer_rule import answer_rule_of, mistake_costs
from hornbeam.tree.apply import training_entries
from hornbeam.tree.arrays import LEAF, MULTIWAY
from hornbeam.tree.refit import in_class_order
from hornbeam.tree.tree import Tree


class _Branches(NamedTuple):
    """The children of a test as they are to be: old node numbers, and the codes that lead to each."""

    kids: list[int]
    codes: list[int]  # of the first branches, one each, ascending
    absent: int  # the branch of all other codes, -1 for none
    missing: int


def separate_absent(tree: Tree) -> tuple[Tree, Longs]:
    """Give each absent value a leaf of its own; also return the number each node had before.

    >>> from hornbeam.data.columns import Column
    >>> tree = Tree.from_nested({"column": "a", "branches": {"u": "p", "w": "q"}},
    ...                         columns=[Column("a", "nominal", ("t", "u", "v", "w"))])
    >>> wide, old = separate_absent(tree)
    >>> len(tree), len(wide), old.tolist(), wide.text() == tree.text()
    (4, 5, [0, 3, 1, 3, 2], True)
    """
    if not (tree.absent >= 0).any():
        return tree, np.arange(len(tree))

    def branches(node: int) -> _Branches | None:
        if tree.absent[node] < 0:
            return None
        place = {code: branch for branch, code in enumerate(tree.value_map(node)[0].tolist())}
        domain = range(len(tree.columns[int(tree.column[node])].categories))
        old = [place.get(code, int(tree.absent[node])) for code in domain]
        return _branches(tree, node, old, list(domain), -1)

    return _rebuild(tree, branches)


def merge_absent(tree: Tree) -> Tree:
    """Give a node one leaf for all its values that no row has.

    >>> from hornbeam.data.columns import Column
    >>> seen = {"u": {"counts": {"p": 1}}, "w": {"counts": {"q": 2}}}
    >>> columns = [Column("a", "nominal", ("t", "u", "v", "w"))]
    >>> tree = Tree.from_nested({"column": "a", "branches": seen}, columns=columns)
    >>> merge_absent(separate_absent(tree)[0]) == tree
    True
    """
    empty = (tree.kind == LEAF) & (tree.weight == 0)
    if not empty.any() or not ((tree.kind == MULTIWAY) & (tree.absent < 0)).any():
        return tree

    def branches(node: int) -> _Branches | None:
        if tree.kind[node] != MULTIWAY or tree.absent[node] >= 0:
            return None
        first, codes = int(tree.first_child[node]), tree.value_map(node)[0].tolist()
        full = [branch for branch in range(len(codes)) if not empty[first + branch]]
        if len(full) == len(codes):
            return None
        spare = next(branch for branch in range(len(codes)) if empty[first + branch])
        return _branches(tree, node, [*full, spare], [codes[b] for b in full], len(full))

    return _rebuild(tree, branches)[0]


def _branches(tree: Tree, node: int, old: list[int], codes: list[int], absent: int) -> _Branches:
    """The branches of a node, given their old numbers; a branch of missing values comes last, as before."""
    old = [*old, int(tree.n_children[node]) - 1] if tree.own_missing[node] else old
    missing = int(tree.missing[node])
    kids = [int(tree.first_child[node]) + branch for branch in old]
    return _Branches(kids, codes, absent, old.index(missing) if missing in old else -1)


def _rebuild(tree: Tree, branches: Callable[[int], _Branches | None]) -> tuple[Tree, Longs]:
    """Give some tests other children, level by level; also return the number each node had before."""
    order: list[int] = []
    first: list[int] = []
    changed: dict[int, _Branches] = {}
    level, total = [0], 1
    while level:
        below: list[int] = []
        for node in level:
            new = branches(node)
            kids = list(tree.children(node)) if new is None else new.kids
            if new is not None:
                changed[len(order)] = new
            order.append(node)
            first.append(total if kids else -1)
            total += len(kids)
            below += kids
        level = below
    old = np.array(order, dtype=np.int64)
    parts = subtrees.rearranged(tree, old, np.array(first), np.zeros(len(old), dtype=np.bool_))
    for place, new in changed.items():
        parts["n_children"][place] = len(new.kids)
        parts["absent"][place], parts["missing"][place] = new.absent, new.missing
    return Tree.unchecked(**parts | _maps(tree, old, changed)), old


def _maps(tree: Tree, old: Longs, changed: dict[int, _Branches]) -> dict[str, AnyArray]:
    """The value maps of the nodes in their new order."""
    maps = [
        (changed[place].codes, range(len(changed[place].codes))) if place in changed else tree.value_map(node)
        for place, node in enumerate(old.tolist())
    ]
    codes, branch = ([np.array(part, dtype=np.int32) for part in parts] for parts in zip(*maps, strict=True))
    return {
        "map_offset": np.concatenate(([0], np.cumsum([len(part) for part in codes]))),
        "map_code": np.concatenate(codes),
        "map_branch": np.concatenate(branch),
    }


@dataclass(frozen=True)
class CaseCounts:
    """How the cases and errors of a node are counted, and how many errors are then to be expected.

    Attributes
    ----------
    factors : what the weight of each class counts for, in cases
    costs : of answering (columns) where a class is true (rows), for weights so counted; None: each mistake 1
    confidence, limit : of the upper limit
    """

    factors: Floats
    costs: Floats | None
    confidence: float
    limit: str

    def total(self, tree: Tree) -> Floats:
        """The cases of each node."""
        cases: Floats = (tree.stats * self.factors).sum(axis=1)
        return cases

    def errors(self, tree: Tree) -> Floats:
        """The cases that each node answers wrongly as a leaf."""
        others = tree.stats * self.factors
        others[np.arange(len(tree)), tree.label] = 0.0
        errors: Floats = others.sum(axis=1)
        return errors


def case_counts(tree: Tree, confidence: float, limit: str) -> CaseCounts:
    """How cases of a tree are counted: priors and costs as in growing, all cases together are its rows."""
    rule = answer_rule_of(tree.meta)
    factors = rule.judged(np.ones(len(tree.classes or ())))
    total = float((tree.stats[0] * factors).sum())
    factors = factors * (float(tree.n_rows[0]) / total)
    costs = None
    if rule.costs is not None:
        heavy = mistake_costs(rule.costs)[:, None]
        costs = np.divide(rule.costs, heavy, out=np.zeros_like(rule.costs), where=heavy > 0)
    return CaseCounts(factors, costs, float(confidence), limit)


def raise_subtrees(
    tree: Tree, table: Table, target: Target, cases: CaseCounts, merged: Bools
) -> tuple[Tree, Decisions, float]:
    """Return the pruned tree, the decisions, and the errors expected of it.

    `merged` masks the tests that are leaves from the start; rows are those the tree was grown on.
    """
    tree, old = separate_absent(tree)
    merged = merged[old]
    gone = subtrees.nodes_below(tree, merged)
    row, leaf, weight = training_entries(tree.collapse(merged) if merged.any() else tree, table, target, None)
    leaf = np.flatnonzero(~gone)[leaf]
    codes = np.asarray(in_class_order(tree, target).codes, dtype=np.int64)
    _refuse_other_rows(tree, codes, row, weight)
    here = weight > 0
    if not here.all():
        row, leaf, weight = row[here], leaf[here], weight[here]
    rows = {
        "first_child": np.where(merged | gone, -1, tree.first_child).astype(np.int32),
        "stats": np.ascontiguousarray(tree.stats).reshape(-1),
        "n_rows": tree.n_rows,
        "codes": codes.astype(np.int32),
        "copies": None if target.counts is None else np.ascontiguousarray(target.counts, dtype=np.int64),
        "row": row,
        "leaf": leaf.astype(np.int32),
        "weight": weight,
        "n_threads": apply.threads_for(table.n_rows, None),
    }
    # In training a missing value follows one branch, whatever the tree does in prediction.
    tests = dict(apply.tests(tree)) | {"all_paths": False, "unseen_all_paths": False}
    columns = list(routing.arrays_for(tree, table)[1])
    raised = _core.raise_subtrees(tests, columns, rows, _core_numbers(cases), *_callbacks(tree, table, cases))
    decisions = Decisions(
        old[raised["node"]],
        raised["action"],
        {"leaf": raised["as_leaf"], "tree": raised["as_tree"], "branch": raised["as_branch"]},
        {
            int(k): f"again, in the place of node {old[raised['within'][k]]}"
            for k in np.flatnonzero(raised["within"] >= 0)
        },
        np.where(raised["child"] >= 0, old[raised["child"]], -1),
    )
    return merge_absent(_assemble(tree, raised, merged)), decisions, float(raised["expected"])


def _core_numbers(cases: CaseCounts) -> dict[str, Any]:
    """How cases are counted, and the constants of the upper limit, as the core reads them."""
    approximate = cases.limit != "exact"
    none, one, top = ENDS[cases.limit] if approximate else (0.0, 0.0, 0.0)
    return {
        "factors": cases.factors,
        "costs": None if cases.costs is None else np.ascontiguousarray(cases.costs).reshape(-1),
        "confidence": cases.confidence,
        "deviate2": deviate_of(cases.limit, cases.confidence) ** 2 if approximate else 0.0,
        "none": none,
        "one": one,
        "top": top,
    }


def _callbacks(tree: Tree, table: Table, cases: CaseCounts) -> tuple[Any, Any]:
    """Functions the core calls: for branches of tests it does not know, and for the binomial limit."""
    branches = limit = None
    if not apply.compiled(tree).known:
        arrays, trained = routing.arrays_for(tree, table)[1], routing.as_in_training(tree)

        def branches(node: int, rows: Longs) -> Longs:
            return routing.branches(trained, node, arrays, rows).astype(np.int64)

    if cases.limit == "exact":

        @lru_cache(maxsize=100_000)
        def limit(errors: float, total: float) -> float:
            return float(expected_errors(min(errors, total), total, cases.confidence, limit="exact"))

    return branches, limit


def _refuse_other_rows(tree: Tree, codes: Longs, row: Longs, weight: Floats) -> None:
    weighs = np.bincount(codes[row], weights=weight, minlength=tree.stats.shape[1])
    if not np.allclose(weighs, tree.stats[0], rtol=1e-6, atol=1e-9 * float(tree.weight[0])):
        own = tree.stats[0].round(6).tolist()
        raise ValueError(
            "raising=True needs the rows that the tree was grown on, but X and y hold others: the classes"
            f" weigh {weighs.round(6).tolist()} in them and {own} in the tree; give the training rows, or use"
            " ErrorBased(raising=False)"
        )


def _assemble(tree: Tree, raised: Mapping[str, Any], merged: Bools) -> Tree:
    """Make the tree that the links describe, with the Stats of the rows that now reach its nodes."""
    link, refilled = raised["link"], raised["refilled"].astype(bool)
    moved = np.flatnonzero(link != np.arange(len(tree)))
    leaf = raised["is_leaf"].astype(bool) & (tree.first_child >= 0) | merged
    if not len(moved):
        return tree.collapse(leaf)
    stand = link.astype(np.int64)
    while (stand[stand] != stand).any():
        stand = stand[stand]
    fraction = np.where(refilled, np.nan, tree.fraction)
    own = moved[~refilled[moved]]  # a node in the place of another takes its share of the rows above
    fraction[stand[own]] = tree.fraction[own]
    arrays = {"stats": raised["stats"].reshape(tree.stats.shape), "n_rows": raised["n_rows"]}
    return move_subtrees(tree, stand, leaf, refilled, arrays | {"fraction": fraction})


def move_subtrees(
    tree: Tree, stand: Longs, leaf: Bools, refilled: Bools, arrays: Mapping[str, AnyArray]
) -> Tree:
    """Make the tree in which `stand` names the node in each place, with other arrays by node.

    `leaf` masks the tests that become leaves, `refilled` the nodes whose Stats changed.
    """
    order, first_child = subtrees.number_nodes(tree, stand, leaf | (tree.first_child < 0))
    parts = subtrees.rearranged(tree, order, first_child, leaf[order])
    moved = Tree.unchecked(**(parts | {name: values[order] for name, values in arrays.items()}))
    return resummarise(moved, refilled[order])


def resummarise(tree: Tree, changed: Bools) -> Tree:
    """Derive labels, impurities and gains anew for the nodes whose Stats changed."""
    costs = tree.cost_value.reshape(len(tree), -1) if len(tree.cost_value) else None
    summary = answers.summary(tree, tree.stats, answer_rule_of(tree.meta), costs)
    values = {
        name: np.where(changed, summary[name], getattr(tree, name))
        for name in ("label", "impurity", "gain")
        if name in summary
    }
    values["gain"] = np.where(tree.first_child >= 0, values["gain"], 0.0)
    return Tree.unchecked(**(tree.attributes() | tree.arrays() | values))
