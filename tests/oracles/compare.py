"""Is the product's tree the twin's? The one idea: walk both from the root, say the first difference.

`tree` is the product's Tree or the dict of arrays its core returns: arrays are found by attribute or by key.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from tests.oracles.twin import Node

KINDS = ("leaf", "threshold", "subset", "equals", "multiway", "hyperplane", "columns", "expression")
TOLERANCE = 1e-9


def same_tree(root: Node, tree: Any) -> str | None:
    """None if the trees are equal (gains and Stats within 1e-9), else the first difference in words."""
    return _Comparison(root, tree).compare(root, 0, "root")


class _Comparison:
    def __init__(self, root: Node, tree: Any) -> None:
        self.tree = tree
        self.weight = max(root.weight, 1e-300)
        self.impurity = max(root.impurity, 1e-300)
        self.real, self.sd = root.mean is not None, root.sd

    def get(self, name: str) -> Any:
        if isinstance(self.tree, Mapping):
            return self.tree.get(name)
        return getattr(self.tree, name, None)

    def at(self, name: str, i: int, default: Any) -> Any:
        array = self.get(name)
        return default if array is None or len(array) == 0 else array[i]

    def compare(self, node: Node, i: int, path: str) -> str | None:
        difference = self.answers_differ(node, i) or self.splits_differ(node, i)
        if difference:
            return f"{path} (node {i}): {difference}; twin {brief(node)}; tree {self.brief(i)}"
        first = int(self.at("first_child", i, -1))
        for offset, child in zip(stored_offsets(node), node.children, strict=True):
            if below := self.compare(child, first + offset, f"{path}/{offset}"):
                return below
        return self.empty_child_differs(node, first, path)

    def answers_differ(self, node: Node, i: int) -> str | None:
        """What the node says of its rows."""
        if int(self.at("n_rows", i, -1)) != node.n_rows:
            return f"n_rows {self.at('n_rows', i, None)} is not {node.n_rows}"
        if self.real:
            if difference := self.moments_differ(node, i):
                return difference
        else:
            stats = np.asarray(self.at("stats", i, ()))
            if (
                stats.shape != (len(node.stats),)
                or np.abs(stats - node.stats).max() > TOLERANCE * self.weight
            ):
                return f"class weights {stats.tolist()} are not {list(node.stats)}"
            if int(self.at("label", i, -1)) != node.label:
                return f"label {self.at('label', i, None)} is not {node.label}"
        impurity = float(self.at("impurity", i, node.impurity))
        if not self.close(impurity, node.impurity):
            return f"impurity {impurity!r} is not {node.impurity!r}"
        return None

    def moments_differ(self, node: Node, i: int) -> str | None:
        """(weight, mean, squares) against weight, mean and standard deviation."""
        weight, mean, squares = (float(v) for v in self.at("stats", i, (math.nan,) * 3))
        if not math.isclose(weight, node.weight, rel_tol=TOLERANCE):
            return f"weight {weight!r} is not {node.weight!r}"
        assert node.mean is not None
        if not abs(mean - float(node.mean)) <= TOLERANCE * self.sd + 1e-15 * abs(float(node.mean)):
            return f"mean {mean!r} is not {float(node.mean)!r}"
        variance = squares / weight
        rounding = 4 * 5e-324 / weight  # of squares too small for doubles
        if not (self.close_to(variance, node.sd**2, self.sd**2) or abs(variance - node.sd**2) <= rounding):
            return f"variance from the Stats {variance!r} is not {node.sd**2!r}"
        return None

    def splits_differ(self, node: Node, i: int) -> str | None:
        """The test at the node and where it sends each value."""
        kind = KINDS[int(self.at("kind", i, 0))]
        if kind != node.kind:
            return f"kind {kind} is not {node.kind}"
        if kind == "leaf":
            return None if int(self.at("first_child", i, -1)) < 0 else "a leaf has children"
        facts: dict[str, tuple[Any, Any]] = {
            "column": (int(self.at("column", i, -1)), node.column),
            "n_children": (int(self.at("n_children", i, 0)), len(node.children) + bool(node.absent)),
            "missing": (int(self.at("missing", i, -1)), stored_missing(node)),
            "absent": (int(self.at("absent", i, -1)), _known_branches(node) if node.absent else -1),
        }
        if kind in ("threshold", "equals"):
            facts["threshold"] = float(self.at("threshold", i, math.nan)), node.threshold
        else:
            facts["value map"] = self.value_map(i), wanted_map(node)
        if node.gap is not None and self.get("gap") is not None:
            facts["gap"] = tuple(float(v) for v in self.at("gap", i, ())), node.gap
        for name, (found, wanted) in facts.items():
            if found != wanted:
                return f"{name} {found!r} is not {wanted!r}"
        gain = float(self.at("gain", i, math.nan))
        close = self.close_to(gain, node.gain, max(self.impurity, node.impurity))
        return None if close else f"gain {gain!r} is not {node.gain!r}"

    def close(self, found: float, wanted: float) -> bool:
        """Within 1e-9 of the root's impurity, and never asking for more than 1e-9 of the number itself."""
        return self.close_to(found, wanted, self.impurity)

    @staticmethod
    def close_to(found: float, wanted: float, scale: float) -> bool:
        return abs(found - wanted) <= TOLERANCE * max(scale, abs(wanted))

    def value_map(self, i: int) -> dict[int, int]:
        offset = self.get("map_offset")
        if offset is None or len(offset) == 0:
            return {}
        span = slice(int(offset[i]), int(offset[i + 1]))
        pairs = zip(self.get("map_code")[span], self.get("map_branch")[span], strict=True)
        return {int(code): int(branch) for code, branch in pairs}

    def empty_child_differs(self, node: Node, first: int, path: str) -> str | None:
        """Absent values of a multiway node share one child: zero Stats, the parent's label."""
        if not node.absent:
            return None
        i = first + _known_branches(node)
        if KINDS[int(self.at("kind", i, 0))] != "leaf" or int(self.at("n_rows", i, -1)) != 0:
            return f"{path}: the shared child {i} of absent values is not an empty leaf"
        if int(self.at("label", i, node.label)) != node.label or np.any(
            np.asarray(self.at("stats", i, 0)) != 0
        ):
            return f"{path}: the empty leaf {i} has Stats or not its parent's label {node.label}"
        return None

    def brief(self, i: int) -> str:
        kind = KINDS[int(self.at("kind", i, 0))]
        if kind == "leaf":
            return f"leaf of {self.at('n_rows', i, '?')} rows"
        where = (
            f"{self.at('threshold', i, math.nan)!r}"
            if kind in ("threshold", "equals")
            else f"{self.value_map(i)}"
        )
        return (
            f"{kind} column {self.at('column', i, -1)} {where} missing {self.at('missing', i, -1)} gain "
            + str(self.at("gain", i, math.nan))
        )


def brief(node: Node) -> str:
    """One node of the twin in a line."""
    if not node.children:
        return f"leaf of {node.n_rows} rows"
    where = repr(node.threshold) if node.kind in ("threshold", "equals") else str(wanted_map(node))
    return f"{node.kind} column {node.column} {where} missing {stored_missing(node)} gain {node.gain!r}"


def _known_branches(node: Node) -> int:
    """Children that hold known values; the shared empty child of a multiway node comes after them."""
    return len(node.children) - node.own_missing


def stored_offsets(node: Node) -> list[int]:
    """Where the product stores each of the twin's children: an empty child precedes a Missing branch."""
    known = _known_branches(node)
    return [o if o < known or not node.absent else o + 1 for o in range(len(node.children))]


def stored_missing(node: Node) -> int:
    return -1 if node.missing < 0 else stored_offsets(node)[node.missing]


def wanted_map(node: Node) -> dict[int, int]:
    offsets = stored_offsets(node)
    return {code: offsets[branch] for branch, codes in enumerate(node.branches) for code in codes}
