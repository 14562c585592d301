"""Script: a log as the Python calls a person would write."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from hornbeam.editing.operations import RESULT
from hornbeam.io.plain_values import plain_to_parameter
from hornbeam.tree import annotations as tree_annotations


def script(log: Iterable[Mapping[str, Any]]) -> str:
    """A line of Python for each operation of a log.

    >>> print(script([{"op": "split", "node": 8, "on": "Pclass", "at": 1.5, "found": {"rank": 2, "of": 7}},
    ...               {"op": "prune", "leaves": 8}]))
    draft = draft.split(8, on='Pclass', at=1.5)  # chosen by hand, rank 2 of 7
    draft = draft.prune(leaves=8)
    """
    return "\n".join(map(_call, log))


def _call(operation: Mapping[str, Any]) -> str:
    given = {k: plain_to_parameter(v) for k, v in operation.items() if k != "op" and k not in RESULT}
    words = [repr(given.pop("node"))] if "node" in given else []
    words += [f"{name}={value!r}" for name, value in given.items()]
    remark = f"  # {tree_annotations.forced_text(operation['found'])}" if operation.get("found") else ""
    return f"draft = draft.{operation['op']}({', '.join(words)}){remark}"
