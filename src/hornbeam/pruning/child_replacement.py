"""Replacing: the core's search for the best of keep, leaf and each child's subtree, and the tree it leaves.

One idea: the core moves rows and says which node stands where and what its rows add up to; from that the
smaller tree is put together without looking at a row again. Where the core does not know every test of a
tree, `hornbeam.pruning.best_replacements` searches.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hornbeam import _core
from hornbeam._base.types import AnyArray, Bools, Floats, Longs
from hornbeam.data.target import Rows, Target
from hornbeam.pruning.best_replacements import in_training
from hornbeam.pruning.levels import leaf_counts, tests_up
from hornbeam.pruning.record import Decisions
from hornbeam.pruning.sample_risks import known_codes, known_costs, reached, training_codes
from hornbeam.tree import answers
from hornbeam.tree.answer_rule import answer_rule_of
from hornbeam.tree.apply import compiled, tests, threads_for
from hornbeam.tree.routing import arrays_for, branch_shares
from hornbeam.tree.subtrees import number_nodes, rearranged
from hornbeam.tree.tree import Tree


class Replaced(NamedTuple):
    """The smaller tree, the decisions, and how many subtrees moved."""

    tree: Tree
    decisions: Decisions
    raised: int


def core_can_replace(tree: Tree) -> bool:
    """Whether the core knows every test of the tree and how its nodes answer."""
    return compiled(tree).known and answer_rule_of(tree.meta).label == "majority"


def answers_by_sums(tree: Tree) -> bool:
    """Whether nodes keep nothing but Stats that move with the rows: no quantiles, rates or equations."""
    width = 3 if tree.task == "real" else tree.stats.shape[1]
    return not tree.has_models and not tree.quantile_offset[-1] and tree.stats.shape[1] == width


def replaced_by_core(tree: Tree, training: Rows, held: Rows) -> Replaced:
    """Search with the core."""
    grown = in_training(tree)
    outcome, known = _outcome(tree, training.target, held.target)
    nodes = {
        "share": np.ascontiguousarray(branch_shares(tree)),
        "leaf_size": leaf_counts(tree),
        "given": _given(tree),
        "n_rows": tree.n_rows,
        "n_threads": threads_for(training.table.n_rows, None),
    }
    copies = {"copies": training.target.counts}
    found = _core.replace_by_children(
        tests(grown),
        tests(tree),
        nodes,
        _sample(grown, training, None) | copies,
        _sample(tree, held, known),
        outcome,
    )
    order = tests_up(tree)
    raised = np.where(np.isfinite(found["raised"]), found["raised"], np.nan)
    numbers = {
        "errors kept": found["kept"][order],
        "errors as a leaf": found["leaf"][order],
        "errors raised": raised[order],
        "sample": found["weight"][order],
    }
    decisions = Decisions(order, found["action"][order], numbers, child=found["child"][order])
    return Replaced(_smaller(tree, found), decisions, int((found["action"] == 2).sum()))


def _sample(tree: Tree, rows: Rows, known: Bools | None) -> dict[str, Any]:
    found = reached(tree, *rows)
    if known is not None and not known.all():
        some = known[found.row]
        found = type(found)(found.row[some], found.leaf[some], found.weight[some])
    columns = list(arrays_for(tree, rows.table)[1])
    return {"row": found.row, "leaf": found.leaf.astype(np.int32), "weight": found.weight, "columns": columns}


def _given(tree: Tree) -> Floats:
    """What each node answers: its class, or its mean less the tree's centre."""
    if tree.task == "classes":
        return tree.label.astype(np.float64)
    own = np.divide(tree.stats[:, 1], tree.weight, out=np.zeros(len(tree)), where=tree.weight > 0)
    return np.where(tree.weight > 0, own, tree.answers() - tree.center)


def _outcome(tree: Tree, training: Target, held: Target) -> tuple[dict[str, Any], Bools | None]:
    """The outcomes as the core reads them, and which held rows can be judged."""
    if tree.task != "classes":
        assert training.values is not None
        assert held.values is not None
        values = {"training_values": training.values - tree.center, "held_values": held.values - tree.center}
        return values, None
    voice, own, other = answer_rule_of(tree.meta), training_codes(tree, training), known_codes(tree, held)
    found: dict[str, Any] = {"n_classes": tree.stats.shape[1], "training_codes": own.astype(np.int32)}
    costs = [known_costs(tree, target) for target in (training, held)]
    if costs[0] is None and costs[1] is None:
        found |= {"held_codes": other.astype(np.int32), "factors": voice.factors}
        return found | {"costs": None if voice.costs is None else voice.costs.ravel()}, other >= 0
    for name, cost, codes in zip(("training_costs", "held_costs"), costs, (own, other), strict=True):
        if cost is None:
            raise ValueError("row_costs must be given for the training rows and the rows to prune on alike")
        weighed = cost if voice.factors is None else cost * voice.factors[codes][:, None]
        found[name] = np.ascontiguousarray(weighed).ravel()
    return found, other >= 0


def _smaller(tree: Tree, found: dict[str, AnyArray]) -> Tree:
    """The tree that stands now."""
    ended = found["is_leaf"].astype(np.bool_)
    leaf, stand = ended & (tree.first_child >= 0), found["stand"].astype(np.int64)
    if (stand == np.arange(len(tree))).all():
        return tree.collapse(leaf)
    fresh = found["refilled"].astype(np.bool_)
    order, first_child = number_nodes(tree, stand, ended)
    parts = rearranged(tree, order, first_child, leaf[order])
    moved = Tree(**(parts | _filled(tree, found, fresh, order)))
    burdens = moved.cost_value.reshape(len(moved), -1) if len(moved.cost_value) else None
    summed = answers.summary(moved, moved.stats, answer_rule_of(moved.meta), burdens)
    changed = {
        name: np.where(fresh[order], summed[name], getattr(moved, name))
        for name in ("impurity", "gain", "label")
        if name in summed
    }
    changed["gain"] = np.where(moved.first_child >= 0, changed["gain"], 0.0)
    return moved._answering(**changed)


def _filled(tree: Tree, found: dict[str, AnyArray], fresh: Bools, order: Longs) -> dict[str, AnyArray]:
    """The Stats, costs and rows of the nodes of `order`, other ones for those whose rows changed."""
    new = fresh[order]
    changed: dict[str, AnyArray] = {
        "stats": np.where(new[:, None], found["stats"].reshape(len(tree), -1)[order], tree.stats[order]),
        "n_rows": np.where(new, found["n_rows"][order], tree.n_rows[order]),
        "fraction": np.where(fresh[np.maximum(tree.parent[order], 0)], np.nan, tree.fraction[order]),
    }
    if len(tree.cost_value):
        costs, own = found["costs"].reshape(len(tree), -1), tree.cost_value.reshape(len(tree), -1)
        changed["cost_value"] = np.where(new[:, None], costs[order], own[order]).ravel()
    return changed
