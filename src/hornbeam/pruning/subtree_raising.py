"""Rerouting: the training rows of a tree go through its subtrees, and some of those move up (C4.5).

One idea: the core decides on rows in leaves (`cpp/hornbeam/prune/raise_subtrees.hpp`); it answers with a link
from each node to the one that stands in its place, and from that the tree is put together anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from hornbeam import _core
from hornbeam._base.error_limits import at_the_ends, deviate_of, expected_errors
from hornbeam._base.types import Bools, Floats, Longs
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.pruning.absent_values import apart, together
from hornbeam.pruning.base import Decisions
from hornbeam.tree import answers, apply, routing, subtrees
from hornbeam.tree.answer_rule import answer_rule_of, mistake_costs
from hornbeam.tree.apply import training_entries as reached
from hornbeam.tree.refit import class_codes
from hornbeam.tree.tree import Tree


@dataclass(frozen=True)
class Judge:
    """How many cases and errors a node has, and how many errors that lets expect.

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

    def cases(self, tree: Tree) -> Floats:
        """The cases of each node."""
        found: Floats = (tree.stats * self.factors).sum(axis=1)
        return found

    def errors(self, tree: Tree) -> Floats:
        """The cases that each node answers wrongly as a leaf."""
        others = tree.stats * self.factors
        others[np.arange(len(tree)), tree.label] = 0.0
        found: Floats = others.sum(axis=1)
        return found


def judge_of(tree: Tree, confidence: float, limit: str) -> Judge:
    """The judge of a tree: its priors and costs count as in growing, all cases together are its rows (K3)."""
    voice = answer_rule_of(tree.meta)
    factors = voice.judged(np.ones(len(tree.classes or ())))
    total = float((tree.stats[0] * factors).sum())
    factors = factors * (float(tree.n_rows[0]) / total)
    costs = None
    if voice.costs is not None:
        heavy = mistake_costs(voice.costs)[:, None]
        costs = np.divide(voice.costs, heavy, out=np.zeros_like(voice.costs), where=heavy > 0)
    return Judge(factors, costs, float(confidence), limit)


def raised(
    tree: Tree, table: Table, target: Target, judge: Judge, merged: Bools
) -> tuple[Tree, Decisions, float]:
    """The pruned tree, the decisions, and the errors expected of it.

    `merged` masks the tests that are leaves from the start; rows are those the tree was grown on.
    """
    tree, old = apart(tree)
    merged = merged[old]
    gone = merged
    if merged.any():
        gone = subtrees._below(tree, merged)
        row, leaf, weight = reached(tree.collapse(merged), table, target, None)
        leaf = np.flatnonzero(~gone)[leaf]
    else:
        row, leaf, weight = reached(tree, table, target, None)
    codes = class_codes(tree, target)
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
    found = _core.raise_subtrees(*_tests(tree, table), rows, _numbers(judge), *_asked(tree, table, judge))
    decisions = Decisions(
        old[found["node"]],
        found["action"],
        {"leaf": found["as_leaf"], "tree": found["as_tree"], "branch": found["as_branch"]},
        {
            int(k): f"again, in the place of node {old[found['within'][k]]}"
            for k in np.flatnonzero(found["within"] >= 0)
        },
        np.where(found["child"] >= 0, old[found["child"]], -1),
    )
    return together(_assembled(tree, found, merged)), decisions, float(found["expected"])


def _tests(tree: Tree, table: Table) -> tuple[dict[str, Any], list[Any]]:
    """The tests and the columns as the core reads them; in training a gap keeps to its branch."""
    arrays = dict(apply.tests(tree)) | {"all_paths": False, "unseen_all_paths": False}
    return arrays, list(routing.arrays_for(tree, table)[1])


def _numbers(judge: Judge) -> dict[str, Any]:
    approximate = judge.limit != "exact"
    none, one, top = at_the_ends(judge.limit) if approximate else (0.0, 0.0, 0.0)
    return {
        "factors": judge.factors,
        "costs": None if judge.costs is None else np.ascontiguousarray(judge.costs).reshape(-1),
        "confidence": judge.confidence,
        "deviate2": deviate_of(judge.limit, judge.confidence) ** 2 if approximate else 0.0,
        "none": none,
        "one": one,
        "top": top,
    }


def _asked(tree: Tree, table: Table, judge: Judge) -> tuple[Any, Any]:
    """What the core has to ask for: branches of tests it does not know, and the binomial limit."""
    branches = limit = None
    if not apply.compiled(tree).known:
        arrays = routing.arrays_for(tree, table)[1]
        trained = tree
        if tree.policy["missing"] == "all-paths":  # in training a gap has a branch of its own
            policy = {**tree.policy, "missing": "branch"}
            trained = tree.replace(policy=policy)

        def branches(node: int, rows: Longs) -> Longs:
            return routing.branches(trained, node, arrays, rows).astype(np.int64)

    if judge.limit == "exact":

        @lru_cache(maxsize=100_000)
        def limit(errors: float, cases: float) -> float:
            return float(expected_errors(min(errors, cases), cases, judge.confidence, limit="exact"))

    return branches, limit


def _refuse_other_rows(tree: Tree, codes: Longs, row: Longs, weight: Floats) -> None:
    given = np.bincount(codes[row], weights=weight, minlength=tree.stats.shape[1])
    if not np.allclose(given, tree.stats[0], rtol=1e-6, atol=1e-9 * float(tree.weight[0])):
        own = tree.stats[0].round(6).tolist()
        raise ValueError(
            "raising=True needs the rows that the tree was grown on, but X and y hold others: the classes"
            f" weigh {given.round(6).tolist()} in them and {own} in the tree; give the training rows, or use"
            " ErrorBased(raising=False)"
        )


def _assembled(tree: Tree, found: Mapping[str, Any], merged: Bools) -> Tree:
    """The tree that the links describe, with the Stats of the rows that now reach its nodes."""
    link, refilled = found["link"], found["refilled"].astype(bool)
    moved = np.flatnonzero(link != np.arange(len(tree)))
    leaf = found["is_leaf"].astype(bool) & (tree.first_child >= 0) | merged
    if not len(moved):
        return tree.collapse(leaf)
    stand = link.astype(np.int64)
    while (stand[stand] != stand).any():
        stand = stand[stand]
    fraction = np.where(refilled, np.nan, tree.fraction)
    own = moved[~refilled[moved]]  # what stands in a node's place takes its share of the rows above
    fraction[stand[own]] = tree.fraction[own]
    ended = leaf | (tree.first_child < 0)
    order, first_child = subtrees.number_nodes(tree, stand, ended)
    parts = subtrees.rearranged(tree, order, first_child, leaf[order])
    arrays = {
        "stats": found["stats"].reshape(tree.stats.shape)[order],
        "n_rows": found["n_rows"][order],
        "fraction": fraction[order],
    }
    small = Tree(**(parts | arrays))
    changed = refilled[order]
    summary = answers.summary(small, small.stats, answer_rule_of(small.meta))
    values = {
        name: np.where(changed, summary[name], getattr(small, name)) for name in ("label", "impurity", "gain")
    }
    values["gain"] = np.where(small.first_child >= 0, values["gain"], 0.0)
    return small._answering(**values)
