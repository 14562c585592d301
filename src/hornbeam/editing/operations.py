"""The operations on a tree: one table, `apply`, which is all a log needs, and a log as lines of Python.

An operation is a small dict, `{"op": "split", "node": 8, "on": "Pclass", "at": 1.5}`, whose other entries are
the arguments of a function of the context and a Tree. Applying it changes nothing; it gives a new tree. What
stands is never changed by growing; open leaves get the subtrees the estimator would give them, and where it
grows best first, the tests worth most are kept until the limit is reached.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from hornbeam._base.parameters import check_least, did_you_mean, is_whole
from hornbeam._base.types import Bools, Floats
from hornbeam.data.target import Rows as TargetRows
from hornbeam.editing.edit_context import LIMITS, EditContext
from hornbeam.editing.edit_words import (
    EditResult,
    checked,
    held_nodes,
    leaves_text,
    locks,
    marked,
    standing_test,
    test_text,
    unlocked,
)
from hornbeam.editing.fill_nodes import refilled
from hornbeam.editing.open_leaves import best_first, grown_on, same_places
from hornbeam.editing.split_node import move, regroup, split
from hornbeam.growing.part import resolve
from hornbeam.io.model_file import plain_to_parameter
from hornbeam.pruning import PRUNING, Pruner
from hornbeam.pruning.base import refuse_unordered_pruning
from hornbeam.pruning.nested_subtrees import strengths
from hornbeam.tree import annotations as tree_annotations
from hornbeam.tree import answers
from hornbeam.tree.arrays import LEAF
from hornbeam.tree.certificate import Certificate
from hornbeam.tree.node_stats import moderate
from hornbeam.tree.subtrees import nodes_below
from hornbeam.tree.tree import Tree


def collapse(context: EditContext, tree: Tree, node: int) -> EditResult:  # noqa: ARG001 (every operation has a context)
    """Make a leaf of a node."""
    node = standing_test(tree, node)
    below = {each for each, _ in tree.walk(node)}
    held = sorted(locks(tree) & below)
    if held:
        raise ValueError(
            f"node={node} cannot be collapsed: node {held[0]} below it is locked; unlock it first"
        )
    mask = np.zeros(len(tree), dtype=np.bool_)
    mask[node] = True
    n = sum(tree.first_child[each] < 0 for each in below)
    return EditResult(
        tree.collapse(mask), f"collapsed node {node} ({test_text(tree, node)}, {leaves_text(n)} below)"
    )


def grow(context: EditContext, tree: Tree, node: int = 0, stopped: Any = None, **limits: Any) -> EditResult:
    """Grow on at the open leaves of a node; `stopped` is the tree that a stopped growth had made.

    Where growing is stopped depends on the time, so that a log has to keep what was grown until then.
    """
    node = unlocked(tree, node)
    if stopped is not None:
        return _taken(context, tree, node, stopped)
    plan = context.planned(limits)
    whole = _as_fitted(context, tree, limits) if node == 0 else None
    if whole is None:
        after, new = grown_on(context, tree, node, limits)
        if "max_leaves" in plan.limits or "max_nodes" in plan.limits:
            after = best_first(after, new, plan.limits)
    else:
        after = whole
    gained = after.n_leaves - tree.n_leaves
    proven = Certificate.of(after.meta)
    say = f"grew below node {node}: {leaves_text(gained)} more, {leaves_text(after.n_leaves)} in all"
    return EditResult(after, say if proven is None else f"{say}. {proven}")


def _taken(context: EditContext, tree: Tree, node: int, stopped: Any) -> EditResult:
    """The tree of a growth that was stopped, with the rows of this table and the marks of this tree."""
    if not isinstance(stopped, Tree) or stopped.columns != tree.columns:
        raise ValueError("stopped must be the tree that growing had made of this one when it was stopped")
    places = same_places(tree, stopped)
    if not np.array_equal(tree.stats[0], stopped.stats[0]):
        stopped = refilled(context, stopped)
        places = same_places(tree, stopped)
    if len(places) < len(tree):
        raise ValueError("stopped does not begin with the tree as it stands: grow again instead")
    after = _with_marks(tree, stopped, places)
    gained = leaves_text(after.n_leaves - tree.n_leaves)
    return EditResult(
        after, f"growing below node {node} was stopped: {gained} more, {leaves_text(after.n_leaves)} in all"
    )


def regrow(context: EditContext, tree: Tree, node: int = 0, **limits: Any) -> EditResult:
    """Forget what is below a node, and grow there anew."""
    node = unlocked(tree, node)
    bare = tree if tree.kind[node] == LEAF else collapse(context, tree, node).tree
    there = tree_annotations.node_at(
        bare, tree_annotations.paths(tree.first_child.tolist(), tree.n_children.tolist(), [node])[0]
    )
    assert there is not None
    after = grow(context, bare, there, **limits).tree
    return EditResult(after, f"grew anew below node {node}: {leaves_text(after.n_leaves)} in all")


ORDERS = ("best", "breadth", "depth")


def step(context: EditContext, tree: Tree, node: int = 0, order: Any = "best") -> EditResult:
    """Split one open leaf below a node: the best one, the nearest one, or the first from the left."""
    node = unlocked(tree, node)
    if order not in ORDERS:
        raise ValueError(f"order={order!r} must be one of {', '.join(ORDERS)}{did_you_mean(order, ORDERS)}")
    after, new = grown_on(context, tree, node, {}, levels=1)
    if not new.any():
        where = "no open leaf" if node == 0 else f"no open leaf below node {node}"
        raise ValueError(f"there is nothing to split: {where} has a test that the estimator's limits allow")
    chosen = _first_split(after, new, order)
    gone = new.copy()
    gone[chosen] = False
    smaller = after.collapse(gone)
    number = int(np.flatnonzero(~nodes_below(after, gone) & (np.arange(len(after)) <= chosen)).size) - 1
    why = {"best": "the best", "breadth": "the nearest", "depth": "the first"}[order]
    return EditResult(
        smaller, f"split node {number} by {test_text(smaller, number)}, {why} of the open leaves"
    )


def _first_split(tree: Tree, new: Bools, order: str) -> int:
    """Which of the new tests comes first; from left to right where they are equals."""
    splits = [(node, depth) for node, depth in tree.walk() if new[node]]
    if order == "depth":
        return splits[0][0]
    if order == "breadth":
        return min(splits, key=lambda split: split[1])[0]
    weight = moderate(answers.judged_weights(tree), tree.impurity)
    worth = answers.decreases(tree.first_child, weight, tree.impurity)
    margin = 1e-12 * float(weight[0] * tree.impurity[0])
    most = worth[new].max()
    return next(node for node, _ in splits if worth[node] >= most - margin)


def _as_fitted(context: EditContext, tree: Tree, limits: Mapping[str, Any]) -> Tree | None:
    """What fitting grows, if it begins as the tree does and nothing is locked; with the tree's marks."""
    if locks(tree):
        return None
    whole = context.grown(limits)
    places = same_places(tree, whole)
    if len(places) < len(tree):
        return None
    return _with_marks(tree, whole, places)


def _with_marks(tree: Tree, whole: Tree, places: Mapping[int, int]) -> Tree:
    """A larger tree with the marks and the identities of the one it begins with."""
    meta = {**whole.meta, **{key: tree.meta[key] for key in (tree_annotations.KEY,) if key in tree.meta}}
    number = np.array([places[node] for node in range(len(tree))])
    return whole.replace(meta=tree_annotations.with_ids(meta, tree, number, len(whole)))


RESULT = ("say", "facts", "found")  # what a log adds to an operation, replayed anew; older logs say "found"


def lock(context: EditContext, tree: Tree, node: int) -> EditResult:  # noqa: ARG001 (every operation has a context)
    """Keep a node as it is."""
    node = checked(tree, node)
    if node in locks(tree):
        raise ValueError(f"node={node} is locked already")
    return EditResult(marked(tree, node, locked=True), f"locked node {node}")


def unlock(context: EditContext, tree: Tree, node: int) -> EditResult:  # noqa: ARG001
    """Let a node be changed again."""
    node = checked(tree, node)
    if node not in locks(tree):
        held = ", ".join(map(str, sorted(locks(tree)))) or "none"
        raise ValueError(f"node={node} is not locked; locked nodes: {held}")
    return EditResult(marked(tree, node, locked=None), f"unlocked node {node}")


def note(context: EditContext, tree: Tree, node: int, text: Any) -> EditResult:  # noqa: ARG001 (every operation has one)
    """Write a remark; an empty one takes it back."""
    node = checked(tree, node)
    if not isinstance(text, str):
        raise TypeError(f"text={text!r} of a note must be text; '' takes a note back")
    words = " ".join(text.split())
    return EditResult(marked(tree, node, note=words or None), f"noted at node {node}: {words or '(nothing)'}")


def prune(
    context: EditContext, tree: Tree, leaves: Any = None, alpha: Any = None, method: Any = None
) -> EditResult:
    """Make the tree smaller."""
    given = [
        name
        for name, value in (("leaves", leaves), ("alpha", alpha), ("method", method))
        if value is not None
    ]
    if len(given) != 1:
        raise ValueError("prune takes one of leaves=, alpha= and method=, such as prune(leaves=5)")
    after = _by_method(context, tree, method) if method is not None else _at(tree, leaves, alpha)
    return EditResult(after, f"pruned from {leaves_text(tree.n_leaves)} to {after.n_leaves}")


def _at(tree: Tree, leaves: Any, alpha: Any) -> Tree:
    strength, held = strengths(tree), held_nodes(tree) & (tree.kind != LEAF)
    if alpha is not None:
        check_least("alpha", alpha, 0, "the penalty for each leaf")
        return tree.collapse((strength <= alpha) & ~held)
    if not is_whole(leaves) or leaves < 1:
        raise ValueError(f"leaves={leaves!r} must be a whole number of at least 1")
    if tree.n_leaves <= leaves:
        return tree
    for penalty in _penalties(strength, held):
        smaller = tree.collapse((strength <= penalty) & ~held)
        if smaller.n_leaves <= leaves:
            return smaller
    raise ValueError(
        f"leaves={leaves} cannot be reached: locked nodes keep {leaves_text(smaller.n_leaves)}; unlock some"
    )


def _penalties(strength: Floats, held: Bools) -> list[float]:
    open_tests = ~np.isnan(strength) & ~held
    return np.unique(strength[open_tests]).tolist() or [0.0]


def _by_method(context: EditContext, tree: Tree, method: Any) -> Tree:
    if locks(tree):
        raise ValueError(
            f"method={method!r} cannot go around locked nodes: unlock them, or use leaves= or alpha="
        )
    pruner = resolve("method", method, PRUNING, Pruner)
    pruner.check_task(tree.task)
    refuse_unordered_pruning(pruner, context.estimator.monotonic_cst)
    if not pruner.uses_rows:
        return pruner.prune(tree, context.table, context.target).tree
    sample = context.held_out_rows(tree, method)
    if pruner.uses_training:
        grown_on = TargetRows(context.table, context.target)
        return pruner.prune_between(tree, grown_on, sample, context.estimator.fit_equations).tree
    return pruner.prune(tree, *sample).tree


# By name: what it does to a tree.
OPERATIONS: Mapping[str, Callable[..., EditResult]] = {
    "split": split,
    "move": move,
    "regroup": regroup,
    "collapse": collapse,
    "grow": grow,
    "regrow": regrow,
    "step": step,
    "prune": prune,
    "lock": lock,
    "unlock": unlock,
    "note": note,
}


def apply(tree: Tree, operation: Mapping[str, Any], context: EditContext) -> Tree:
    """The tree after an operation.

    Examples
    --------
    >>> import hornbeam as hb
    >>> tennis = hb.datasets.load("tennis")
    >>> context = EditContext.of(hb.id3(), tennis.X, tennis.y)
    >>> tree = apply(context.start(), {"op": "split", "node": 0, "on": "Wind", "multiway": True}, context)
    >>> tree.text()
    'Wind[Strong: No(3:3) | Weak: Yes(2:6)]'
    """
    return perform(tree, operation, context).tree


def perform(tree: Tree, operation: Mapping[str, Any], context: EditContext) -> EditResult:
    """The same, with what happened in words."""
    name, given = parse_operation(operation)
    return OPERATIONS[name](context, tree, **given)


def parse_operation(operation: Any) -> tuple[str, dict[str, Any]]:
    """The name and the arguments of an operation, refused with a sentence if they are not."""
    if not isinstance(operation, Mapping) or "op" not in operation:
        raise ValueError(f"an operation is a dict with an 'op', such as {{'op': 'step'}}, not {operation!r}")
    name = operation["op"]
    if not isinstance(name, str) or name not in OPERATIONS:
        raise ValueError(
            f"op={name!r} is no operation{did_you_mean(name, OPERATIONS)}: operations are"
            f" {', '.join(OPERATIONS)}"
        )
    given = {
        key: plain_to_parameter(value)
        for key, value in operation.items()
        if key != "op" and key not in RESULT
    }
    known, needed = _arguments(name)
    for key in given:
        if key not in known:
            allowed = ", ".join(known) or "none"
            raise ValueError(
                f"{name} has no argument {key!r}{did_you_mean(key, known)}: its arguments are {allowed}"
            )
    lacking = [key for key in needed if key not in given]
    if lacking:
        raise ValueError(f"{name} needs the argument {lacking[0]!r}")
    return name, given


def _arguments(name: str) -> tuple[list[str], list[str]]:
    """The arguments an operation takes, and those it must have."""
    listed = list(inspect.signature(OPERATIONS[name]).parameters.values())[2:]
    plain = [one for one in listed if one.kind is not one.VAR_KEYWORD]
    known = [one.name for one in plain] + (list(LIMITS) if len(plain) < len(listed) else [])
    return known, [one.name for one in plain if one.default is one.empty]


def script(log: Iterable[Mapping[str, Any]]) -> str:
    """A line of Python for each operation of a log.

    >>> print(script([{"op": "split", "node": 8, "on": "Pclass", "at": 1.5, "facts": {"rank": 2, "of": 7}},
    ...               {"op": "prune", "leaves": 8}]))
    draft = draft.split(8, on='Pclass', at=1.5)  # chosen by hand, rank 2 of 7
    draft = draft.prune(leaves=8)
    """
    return "\n".join(map(_call, log))


def _call(operation: Mapping[str, Any]) -> str:
    given = {k: plain_to_parameter(v) for k, v in operation.items() if k != "op" and k not in RESULT}
    words = [repr(given.pop("node"))] if "node" in given else []
    words += [f"{name}={value!r}" for name, value in given.items()]
    remark = f"  # {tree_annotations.forced_text(operation['facts'])}" if operation.get("facts") else ""
    return f"draft = draft.{operation['op']}({', '.join(words)}){remark}"
