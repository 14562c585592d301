"""The twin of splits judged by their known rows, and of selections by column.

The one idea: a node is a list of (row, weight); a split is judged on the entries it knows, and then each
missing rule says in which branches, with which weights, the others go. Plain floats: choices closer than
1e-9 are marked doubtful.

    fractional    every branch, weight x share of the branch among the known
    majority      the heaviest branch
    surrogates    the first surrogate that knows, else the heaviest branch
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from tests.oracles.candidates import Candidate, buckets_of, candidates_of, midpoint
from tests.oracles.impurity import float_total

from hornbeam.parts import AverageGain, PriceAware

TIE, DOUBT = 1e-12, 1e-9


@dataclass
class Node:
    """A node of the twin's tree."""

    n_rows: int
    stats: np.ndarray
    kind: str = "leaf"
    column: int = -1
    threshold: float = math.nan
    missing: int = -1
    gain: float = 0.0
    doubtful: bool = False
    surrogates: list[tuple[int, float, float]] = field(default_factory=list)  # column, agreement, association
    children: list[Node] = field(default_factory=list)


@dataclass(frozen=True)
class Scored:
    candidate: Candidate
    decrease: float
    information: float
    branch: np.ndarray  # of each entry of the node, -1: unknown


class Twin:
    """Grows the tree of a table of `tests.oracles.tables`; limits: depth, rows, gain."""

    def __init__(self, table: Mapping[str, Any]) -> None:
        self.columns = [
            dict(
                c,
                values=np.where(np.asarray(c["values"]) < 0, np.nan, c["values"])
                if c["n_values"]
                else c["values"],
            )
            for c in table["columns"]
        ]
        self.plan = table["plan"]
        self.criterion = self.plan.get("criterion", "gini")
        goal = table["target"]
        n = len(goal["codes"] if goal["kind"] == "classes" else goal["values"])
        counts = np.ones(n) if table["counts"] is None else np.asarray(table["counts"], float)
        weights = np.ones(n) if table["weights"] is None else np.asarray(table["weights"], float)
        self.copies, self.weight = np.where(weights > 0, counts, 0), weights * counts
        if goal["kind"] == "classes":
            self.rows = np.eye(goal["n_classes"])[goal["codes"]]
        else:
            y = np.asarray(goal["values"], float)
            live = self.weight > 0
            y = y - (y[live].min() + y[live].max()) / 2
            self.rows = np.stack([np.ones(n), y, y * y], axis=1)
        self.real = goal["kind"] != "classes"
        self.n_cases = self.copies.sum()
        self.case_weight = self.weight.sum() / self.n_cases
        self.rule = self.plan["missing"]
        self.selection = self.plan.get("selection")

    def run(self) -> Node:
        rows = np.flatnonzero(self.weight > 0)
        return self.grow(rows, self.weight[rows], 0, frozenset())

    def total(self, stats: np.ndarray) -> float:
        if self.real and stats[2] - stats[1] ** 2 / max(stats[0], 1e-300) <= 1e-12 * stats[2]:
            return 0.0  # equal targets, but for rounding
        return float(float_total(self.criterion, stats))

    def size(self, stats: np.ndarray) -> np.ndarray:
        return stats[..., 0] if self.real else stats.sum(axis=-1)

    def grow(self, rows: np.ndarray, weight: np.ndarray, depth: int, removed: frozenset[int]) -> Node:
        stats = (self.rows[rows] * weight[:, None]).sum(axis=0)
        node = Node(int(self.copies[rows].sum()), stats)
        pure = self.total(stats) == 0 if self.real else (stats > 0).sum() < 2
        if pure or depth == self.plan.get("max_depth") or node.n_rows < self.plan.get("min_samples_split", 2):
            return node
        chosen = self.choose(node, rows, weight, removed)
        if chosen is None:
            return node
        c = chosen.candidate
        node.kind, node.column, node.threshold = c.kind, c.column, c.threshold
        below = removed | {c.column} if c.kind == "multiway" else removed
        for inside, share in self.divide(node, chosen, rows, weight):
            node.children.append(self.grow(rows[inside], weight[inside] * share, depth + 1, below))
        return node

    # ---- choosing ------------------------------------------------------------------------------------------

    def choose(
        self, node: Node, rows: np.ndarray, weight: np.ndarray, removed: frozenset[int]
    ) -> Scored | None:
        impurity = self.total(node.stats) / self.size(node.stats)
        by_ratio = self.criterion == "gain-ratio" and not isinstance(self.selection, AverageGain)
        best: list[tuple[float, Scored, int]] = []  # the best of each column, and how many cuts it had
        every = []
        for index in range(len(self.columns)):
            if index in removed:
                continue
            found = list(self.scored(node, rows, weight, index))
            score = [s.decrease / s.information if by_ratio else s.decrease for s in found]
            every += list(zip(score, found, strict=True))
            if found and self.selection is not None:
                top = self.first(node, list(zip(score, found, strict=True)), impurity)
                best.append((0.0, top, self.tries(rows, weight, index)))
        if self.selection is None:
            if not every:
                return None
            chosen = self.first(node, every, max(s for s, _ in every) if by_ratio else impurity)
            value = chosen.decrease / chosen.information if by_ratio else chosen.decrease
        else:
            priced = [(s, c) for s, c in self.selected(node, rows, best) if s > -math.inf]
            if not priced:
                return None
            if isinstance(self.selection, AverageGain):
                top = max(s for s, _ in priced)
                node.doubtful |= TIE / 100 * impurity < top < DOUBT * impurity
                if top <= TIE / 100 * impurity:  # nothing gained, but for the rounding of the sums
                    return None
            plain = isinstance(self.selection, AverageGain) and self.criterion != "gain-ratio"
            chosen = self.first(node, priced, impurity if plain else abs(max(s for s, _ in priced)))
            value = next(s for s, c in priced if c is chosen)
            value = chosen.decrease if isinstance(self.selection, PriceAware) else value
        node.gain = value
        least = self.plan.get("min_gain")
        return None if least is not None and value - least <= TIE * max(impurity, abs(value)) else chosen

    def first(self, node: Node, scored: list[tuple[float, Scored]], scale: float) -> Scored:
        """K4: the first among those tied with the best."""
        top = max(s for s, _ in scored)
        scale = 0.0 if math.isinf(scale) else scale
        tied = [c for s, c in scored if s >= top or top - s <= TIE * scale]
        node.doubtful |= any(TIE / 100 * scale < top - s < DOUBT * scale for s, _ in scored)
        return min(tied, key=lambda c: (c.candidate.column, c.candidate.order))

    def scored(self, node: Node, rows: np.ndarray, weight: np.ndarray, index: int) -> Iterator[Scored]:
        """Every admissible test of a column, judged on the known entries."""
        values = self.columns[index]["values"][rows]
        known = ~np.isnan(values)
        if not known.any():
            return
        buckets = buckets_of(values[known])
        inside = (self.rows[rows] * weight[:, None])[known]
        total, whole = inside.sum(axis=0), self.size(node.stats)
        gap = whole - self.size(total)
        for candidate in candidates_of(index, self.columns[index], buckets, "branch"):
            place = np.empty(buckets.size, dtype=int)
            for b, part in enumerate(candidate.parts):
                place[list(part)] = b
            of_row = place[buckets.of_row]
            parts = np.array([inside[of_row == b].sum(axis=0) for b in range(len(candidate.parts))])
            n = np.array([self.copies[rows][known][of_row == b].sum() for b in range(len(parts))])
            if (n > 0).sum() < 2 or (n[n > 0] < self.plan.get("min_samples_leaf", 1)).any():
                continue
            sizes = self.size(parts)
            if isinstance(self.selection, AverageGain) and not self.enough(
                candidate, sizes, self.size(total)
            ):
                continue
            decrease = (self.total(total) - sum(self.total(p) for p in parts)) / whole
            shares = [s / whole for s in [*sizes, gap] if s > 0]
            information = -sum(s * math.log2(s) for s in shares)
            if self.criterion == "gain-ratio" and information <= 1e-9:
                continue
            branch = np.full(len(rows), -1)
            branch[known] = of_row
            yield Scored(candidate, max(decrease, 0.0), information, branch)

    def enough(self, candidate: Candidate, sizes: np.ndarray, known: float) -> bool:
        """C4.5: enough cases on both sides of a threshold, or in enough branches."""
        cases = sizes / self.case_weight + 1e-9
        if candidate.kind == "threshold" and (cases < self.least_side(known)).any():
            return False
        return (cases >= self.selection.min_branch).sum() >= self.selection.n_branches

    def tries(self, rows: np.ndarray, weight: np.ndarray, index: int) -> int:
        """Cuts between values that leave enough cases on both sides."""
        if not isinstance(self.selection, AverageGain):
            return 0
        x = self.columns[index]["values"][rows]
        known = weight[~np.isnan(x)].sum()
        least = self.least_side(known) - 1e-9
        below = [weight[x <= v].sum() for v in np.unique(x[~np.isnan(x)])[:-1]]
        return sum(min(b, known - b) / self.case_weight >= least for b in below)

    def least_side(self, known: float) -> float:
        tenth = 0.1 * known / self.case_weight / self.rows.shape[1]
        return max(self.selection.min_branch, min(tenth, 25.0))

    def selected(
        self, node: Node, rows: np.ndarray, best: list[tuple[float, Scored, int]]
    ) -> Iterator[tuple[float, Scored]]:
        """What each column's best test is worth to the selection."""
        how = self.selection
        if isinstance(how, PriceAware):
            top = max((s.decrease for _, s, _ in best), default=0.0)
            scale = 1.0 if top < 900 or how.formula != "nunez" else 0.0
            for _, s, _ in best:
                name = f"c{s.candidate.column}"
                if scale:
                    yield how.score(s.decrease, name), s
                else:  # too large for a double: by its logarithm
                    yield s.decrease * math.log(2.0) - how.w * math.log1p(how.price(name)), s
            return
        cases = self.size(node.stats) / self.case_weight
        gains = []
        for _, s, tried in best:
            gain = s.decrease
            if s.candidate.kind == "threshold" and how.correction is not None:
                values = self.columns[s.candidate.column]["values"][rows]
                distinct = len(np.unique(values[~np.isnan(values)]))
                gain -= math.log2(max(1, tried if how.correction == "code" else distinct - 1)) / cases
                node.doubtful |= abs(gain) < DOUBT
                gain = gain if gain > 0 else -1.0
            gains.append(gain)
        many = [c["kind"] == "nominal" and c["n_values"] >= 0.3 * self.n_cases for c in self.columns]
        counted = [
            g
            for g, (_, s, _) in zip(gains, best, strict=True)
            if g != -1.0 and (all(many) or not many[s.candidate.column])
        ]
        least = (sum(counted) / len(counted) if counted else 1e6) - 1e-3
        for gain, (_, s, _) in zip(gains, best, strict=True):
            if gain == -1.0:
                continue
            if self.criterion != "gain-ratio":
                yield gain, s
                continue
            node.doubtful |= abs(gain - least) < DOUBT
            if gain >= least and s.information > 1e-3:
                yield gain / s.information, s

    # ---- where the gaps go ---------------------------------------------------------------------------------

    def divide(
        self, node: Node, chosen: Scored, rows: np.ndarray, weight: np.ndarray
    ) -> list[tuple[np.ndarray, np.ndarray]]:
        """For each branch the entries that go there, and with what share of their weight."""
        k = len(chosen.candidate.parts)
        heavy = np.array([weight[chosen.branch == b].sum() for b in range(k)])
        if self.rule == "fractional":
            share = heavy / heavy.sum()
            out = []
            for b in range(k):
                inside = np.flatnonzero((chosen.branch == b) | ((chosen.branch < 0) & (share[b] > 0)))
                out.append((inside, np.where(chosen.branch[inside] < 0, share[b], 1.0)))
            return out
        ordered = np.sort(heavy)
        node.doubtful |= 0 < ordered[-1] - ordered[-2] < DOUBT * heavy.sum()
        node.missing = int(heavy.argmax())
        branch = chosen.branch.copy()
        if self.rule == "surrogates":
            for column, agreement, association, sides in self.surrogates(node, chosen, rows, weight):
                node.surrogates.append((column, agreement, association))
                branch = np.where(branch < 0, sides, branch)
        branch = np.where(branch < 0, node.missing, branch)
        return [(np.flatnonzero(branch == b), np.ones((branch == b).sum())) for b in range(k)]

    def surrogates(
        self, node: Node, chosen: Scored, rows: np.ndarray, weight: np.ndarray
    ) -> list[tuple[int, float, float, np.ndarray]]:
        """(column, agreement, association, side of every entry), the five best."""
        judged = chosen.branch >= 0
        whole = weight[judged].sum()
        most = max(weight[chosen.branch == 0].sum(), weight[chosen.branch == 1].sum())
        found = []
        for index, column in enumerate(self.columns):
            if index == chosen.candidate.column:
                continue
            x = column["values"][rows]
            both = judged & ~np.isnan(x)
            tests = self.values(x, both, chosen, weight) if column["kind"] == "nominal" else self.cuts(x)
            best: tuple[float, np.ndarray] | None = None
            for sides in tests:
                inside = sides[both]
                copies = self.copies[rows][both]
                if min(copies[inside == 0].sum(), copies[inside == 1].sum()) < 2:
                    continue
                agree = weight[both][inside == chosen.branch[both]].sum()
                if best is None or agree > best[0] * (1 + 1e-13):
                    best = agree, sides
            if best is not None and best[0] > most * (1 + 1e-13):
                found.append((index, best[0] / whole, (best[0] - most) / (whole - most), best[1]))
        found.sort(key=lambda s: -round(s[2], 11))
        return found[:5]

    def cuts(self, x: np.ndarray) -> Iterator[np.ndarray]:
        values = np.unique(x[~np.isnan(x)])
        for low, high in pairwise(values.tolist()):
            for first in (0, 1):
                side = np.where(x <= midpoint(low, high), first, 1 - first)
                yield np.where(np.isnan(x), -1, side)

    def values(
        self, x: np.ndarray, both: np.ndarray, chosen: Scored, weight: np.ndarray
    ) -> Iterator[np.ndarray]:
        side = np.full(len(x), -1)
        all_sums = [weight[both & (chosen.branch == b)].sum() for b in (0, 1)]
        for value in np.unique(x[both]):
            here = both & (x == value)
            sums = [weight[here & (chosen.branch == b)].sum() for b in (0, 1)]
            if math.isclose(*sums, rel_tol=1e-13):
                sums = all_sums
            side[x == value] = int(sums[1] > sums[0])
        yield side
