"""The twin of criteria that are no function of (w, wy, wyy): Poisson deviance, absolute error, pinball loss.

The one idea: the loss of a group is computed from its rows by the definition, in fractions (Poisson: to 60
digits), for every branch of every candidate at every node. Nothing is kept from one cut to the next.

    absolute   sum w |y - m|                             m the median
    quantile   sum w (q (y - m)+ + (1 - q) (m - y)+)     m the quantile
    poisson    sum w (y ln(y / m) - y + m)               m the mean; no branch may have y = 0 in all its rows
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
from tests.oracles.candidates import Buckets, Candidate, buckets_of, candidates_of

TIE = Fraction(1, 10**12)
DIGITS = Context(prec=60)


@dataclass(eq=False)
class Node:
    """A node of the twin's tree."""

    rows: np.ndarray
    depth: int
    usable: tuple[int, ...]
    low: Fraction | None = None  # what a monotonic constraint asks of the answer
    high: Fraction | None = None
    loss: Fraction = Fraction(0)
    value: Fraction = Fraction(0)
    chosen: tuple[Candidate, Buckets] | None = None
    gain: Fraction = Fraction(0)
    missing: int = -1
    children: list[Node] = field(default_factory=list)
    path: tuple[int, ...] = ()


class Twin:
    """Grows the tree of a table of `tests.oracles.tables`; `level` is the quantile, None for Poisson."""

    def __init__(self, table: Mapping[str, Any], level: Fraction | None, scale: int = 1) -> None:
        self.level, self.scale, self.plan = level, scale, table["plan"]
        n = len(table["target"]["values"])
        self.counts = np.ones(n, dtype=int) if table["counts"] is None else np.asarray(table["counts"])
        given = [1] * n if table["weights"] is None else table["weights"]
        self.w = [Fraction(float(w)) * int(c) for w, c in zip(given, self.counts, strict=True)]
        self.y = [Fraction(float(y)) for y in table["target"]["values"]]
        self.columns = [
            dict(c, values=np.asarray(c["values"], dtype=float)) if c["kind"] == "numeric" else coded(c)
            for c in table["columns"]
        ]
        self.total = sum(self.w)

    def run(self) -> Node:
        live = np.flatnonzero([w > 0 for w in self.w])
        root = self.node(live, 0, tuple(range(len(self.columns))))
        root_loss = root.loss / self.total
        leaves, nodes = 1, 1
        front = [root] if self.wants(root) else []
        while front:
            top = max(self.priority(node) for node in front)
            node = min((f for f in front if top - self.priority(f) <= TIE * root_loss), key=lambda f: f.path)
            front.remove(node)
            added = self.n_added(node)
            too_many = leaves + added - 1 > self.plan.get("max_leaf_nodes", math.inf)
            if too_many or nodes + added > self.plan.get("max_nodes", math.inf):
                node.chosen = None
                continue
            leaves, nodes = leaves + added - 1, nodes + added
            front += [child for child in self.split(node) if self.wants(child)]
        return root

    # ---- groups of rows ------------------------------------------------------------------------------------

    def weight(self, rows: np.ndarray) -> Fraction:
        return sum((self.w[i] for i in rows), Fraction(0))

    def answer(self, rows: np.ndarray) -> Fraction:
        if self.level is None:
            return sum((self.w[i] * self.y[i] for i in rows), Fraction(0)) / self.weight(rows)
        order = sorted(rows, key=lambda i: self.y[i])
        wanted, upto = self.level * self.weight(rows), Fraction(0)
        for at, i in enumerate(order):
            upto += self.w[i]
            if upto == wanted:
                return (self.y[i] + self.y[order[at + 1]]) / 2
            if upto > wanted:
                return self.y[i]
        raise AssertionError

    def loss(self, rows: np.ndarray) -> Fraction:
        if not len(rows):
            return Fraction(0)
        m = self.answer(rows)
        if self.level is not None:
            q = self.level
            each = (self.w[i] * max(q * (self.y[i] - m), (1 - q) * (m - self.y[i])) for i in rows)
            return self.scale * sum(each, Fraction(0))
        with localcontext(DIGITS):
            logs = (exact(self.w[i] * self.y[i]) * exact(self.y[i] / m).ln() for i in rows if self.y[i] > 0)
            return Fraction(sum(logs, Decimal(0)))

    # ---- one node ------------------------------------------------------------------------------------------

    def node(self, rows: np.ndarray, depth: int, usable: tuple[int, ...], **more: Any) -> Node:
        return Node(rows, depth, usable, loss=self.loss(rows), value=self.answer(rows), **more)

    def wants(self, node: Node) -> bool:
        plan, n = self.plan, int(self.counts[node.rows].sum())
        least = plan.get("min_samples_leaf", 1)
        if node.depth == plan.get("max_depth") or n < plan.get("min_samples_split", 2) or n < 2 * least:
            return False
        if len({self.y[i] for i in node.rows}) < 2:
            return False
        found = list(self.scored(node))
        if not found:
            return False
        margin = TIE * node.loss / self.weight(node.rows)
        best = max(score for score, _, _ in found)
        tied = [one for one in found if best - one[0] <= margin]
        node.gain, *chosen = min(tied, key=lambda one: self.place(one[1]))
        node.chosen = chosen[0], chosen[1]
        worth = self.priority(node)
        return node.gain - margin > Fraction(plan.get("min_gain", -1)) and worth + Fraction(
            2.0**-52
        ) >= Fraction(plan.get("min_impurity_decrease", 0.0))

    def scored(self, node: Node) -> Iterator[tuple[Fraction, Candidate, Buckets]]:
        rows, known_only = node.rows, self.plan["missing"] == "majority"
        for j in node.usable:
            values = self.columns[j]["values"][rows]
            judged = rows[~np.isnan(values)] if known_only else rows
            if not len(judged):
                continue
            buckets = buckets_of(self.columns[j]["values"][judged])
            before = self.loss(judged) if len(judged) < len(rows) else node.loss
            for candidate in self.offered(node, j, buckets):
                parts = [judged[np.isin(buckets.of_row, part)] for part in candidate.parts]
                if self.admits(node, parts, candidate):
                    after = sum((self.loss(part) for part in parts), Fraction(0))
                    yield (before - after) / self.weight(rows), candidate, buckets

    def offered(self, node: Node, j: int, buckets: Buckets) -> Iterator[Candidate]:
        """The tests of a column at a node."""
        return iter(candidates_of(j, self.columns[j], buckets, self.plan["missing"]))

    def place(self, candidate: Candidate) -> Any:
        """Of tests that tie the one with the least place is chosen."""
        return candidate.column, candidate.order

    def admits(self, node: Node, parts: list[np.ndarray], candidate: Candidate) -> bool:
        filled = [part for part in parts if len(part)]
        least = Fraction(self.plan.get("min_weight_fraction_leaf", 0.0)) * self.total
        if len(filled) < 2 or any(self.weight(part) < least for part in filled):
            return False
        if any(self.counts[part].sum() < self.plan.get("min_samples_leaf", 1) for part in filled):
            return False
        if self.level is None and any(not any(self.y[i] for i in part) for part in filled):
            return False
        if "monotonic" not in self.plan:
            return True
        values = [self.answer(part) for part in filled]
        if any(node.low is not None and v < node.low for v in values):
            return False
        if any(node.high is not None and v > node.high for v in values):
            return False
        sign = self.sign(candidate)
        return sign * self.answer(parts[0]) <= sign * self.answer(parts[1]) if sign else True

    def sign(self, candidate: Candidate) -> int:
        ordered = candidate.kind == "threshold" and candidate.threshold != math.inf
        pairs = self.plan.get("monotonic", {}).get(candidate.column, ()) if ordered else ()
        return int(pairs[0][1]) if pairs else 0

    def priority(self, node: Node) -> Fraction:
        return node.gain * self.weight(node.rows) / self.total

    def n_added(self, node: Node) -> int:
        assert node.chosen is not None
        candidate, buckets = node.chosen
        absent = self.columns[candidate.column]["n_values"] - len(buckets.values)
        return len(candidate.parts) + (absent if candidate.kind == "multiway" else 0)

    def split(self, node: Node) -> list[Node]:
        assert node.chosen is not None
        candidate, buckets = node.chosen
        values = self.columns[candidate.column]["values"][node.rows]
        judged = node.rows[~np.isnan(values)] if self.plan["missing"] == "majority" else node.rows
        parts = [judged[np.isin(buckets.of_row, part)] for part in candidate.parts]
        node.missing = candidate.missing
        if self.plan["missing"] == "majority":
            weights = [self.weight(part) for part in parts]
            node.missing = weights.index(max(weights))
            parts[node.missing] = np.union1d(parts[node.missing], node.rows[np.isnan(values)])
        usable = tuple(j for j in node.usable if candidate.kind != "multiway" or j != candidate.column)
        node.children = [
            self.node(part, node.depth + 1, usable, low=node.low, high=node.high, path=(*node.path, b))
            for b, part in enumerate(parts)
        ]
        sign = self.sign(candidate)
        if sign:
            middle = (node.children[0].value + node.children[1].value) / 2
            below, above = node.children[:2] if sign > 0 else node.children[1::-1]
            below.high = middle if below.high is None else min(below.high, middle)
            above.low = middle if above.low is None else max(above.low, middle)
        return node.children


def coded(column: Mapping[str, Any]) -> dict[str, Any]:
    """Codes as floats, missing as NaN."""
    values = np.asarray(column["values"], dtype=float)
    return dict(column, values=np.where(values < 0, np.nan, values))


def exact(number: Fraction) -> Decimal:
    return Decimal(number.numerator) / Decimal(number.denominator)


def difference(node: Node, tree: Any, twin: Twin, answers: np.ndarray, i: int = 0) -> str | None:
    """The first node where the product's tree is not the twin's, in words."""
    candidate = node.chosen[0] if node.children and node.chosen else None
    n = int(twin.counts[node.rows].sum())
    weight = twin.weight(node.rows)
    pairs: dict[str, tuple[Any, Any]] = {
        "n_rows": (int(tree.n_rows[i]), n),
        "kind": (int(tree.kind[i]), kind_of(candidate)),
        "column": (int(tree.column[i]), candidate.column if candidate else -1),
    }
    if candidate and candidate.kind in ("threshold", "equals"):
        pairs["threshold"] = float(tree.threshold[i]), candidate.threshold
    for name, (found, wanted) in pairs.items():
        if found != wanted:
            return f"node {i}: {name} {found!r} is not {wanted!r} (twin's gain {float(node.gain)!r})"
    for name, found, wanted in (
        ("answer", answers[i], node.value),
        ("impurity", tree.impurity[i], node.loss / weight),
        ("gain", tree.gain[i], node.gain if candidate else 0),
    ):
        scale = max(abs(float(wanted)), float(node.loss / weight), 1e-9)
        if not abs(float(found) - float(wanted)) <= 1e-9 * scale:
            return f"node {i}: {name} {found!r} is not {float(wanted)!r}"
    first, stored = int(tree.first_child[i]), list(range(len(node.children)))
    if candidate and tree.absent[i] >= 0:  # the shared empty child stands before a branch for gaps
        stored = [b if b < tree.absent[i] else b + 1 for b in stored]
    if candidate and node.missing >= 0 and int(tree.missing[i]) != stored[node.missing]:
        return f"node {i}: missing {tree.missing[i]} is not {stored[node.missing]}"
    for b, child in zip(stored, node.children, strict=True):
        if below := difference(child, tree, twin, answers, first + b):
            return below
    return None


def kind_of(candidate: Candidate | None) -> int:
    names = ("leaf", "threshold", "subset", "equals", "multiway")
    return names.index(candidate.kind) if candidate else 0
