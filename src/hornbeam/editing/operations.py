"""The operations: one table, and `apply`, which is all a log needs.

One idea: an operation is a small dict, `{"op": "split", "node": 8, "on": "Pclass", "at": 1.5}`, whose other
entries are the arguments of a function of a Ground and a Tree. Applying it changes nothing; it gives a new
tree.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from hornbeam._base.parameters import did_you_mean
from hornbeam.editing.collapse_node import collapse
from hornbeam.editing.edit_context import LIMITS, Ground
from hornbeam.editing.edit_result import Done
from hornbeam.editing.lock import lock, unlock
from hornbeam.editing.move import move, regroup
from hornbeam.editing.note import note
from hornbeam.editing.prune_draft import prune
from hornbeam.editing.regrow import grow, regrow, step
from hornbeam.editing.split_leaf import split
from hornbeam.io.plain_values import plain_to_parameter
from hornbeam.tree.tree import Tree

# By name: what it does to a tree.
OPERATIONS: Mapping[str, Callable[..., Done]] = {
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

RESULT = ("say", "found")  # what a log adds to an operation; replaying finds it anew


def apply(tree: Tree, operation: Mapping[str, Any], ground: Ground) -> Tree:
    """The tree after an operation.

    Examples
    --------
    >>> import hornbeam as hb
    >>> tennis = hb.datasets.load("tennis")
    >>> ground = Ground.of(hb.id3(), tennis.X, tennis.y)
    >>> tree = apply(ground.start(), {"op": "split", "node": 0, "on": "Wind", "multiway": True}, ground)
    >>> tree.text()
    'Wind[Strong: No(3:3) | Weak: Yes(2:6)]'
    """
    return perform(tree, operation, ground).tree


def perform(tree: Tree, operation: Mapping[str, Any], ground: Ground) -> Done:
    """The same, with what happened in words."""
    name, given = taken_apart(operation)
    return OPERATIONS[name](ground, tree, **given)


def taken_apart(operation: Any) -> tuple[str, dict[str, Any]]:
    """The name and the arguments of an operation, refused with a sentence if they are not."""
    if not isinstance(operation, Mapping) or "op" not in operation:
        raise ValueError(f"an operation is a dict with an 'op', such as {{'op': 'step'}}, not {operation!r}")
    name = operation["op"]
    if name not in OPERATIONS:
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
