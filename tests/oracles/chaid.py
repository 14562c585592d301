"""The slow, obvious twin of CHAID: lists of rows, exact X2 in fractions, every pair compared at every step.

A table is {column name: (kind, values)}, a gap is None; the answer is the canonical text of the tree and the
branch of missing values of each test, in pre-order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any

from scipy import stats

Groups = list[list[Any]]  # categories that belong together; a gap is None


def x2(rows: Sequence[Sequence[int]]) -> tuple[Fraction, int]:
    """Pearson's X2 and the degrees of freedom of a table of counts."""
    rows = [row for row in rows if sum(row)]
    columns = [column for column in zip(*rows, strict=True) if sum(column)]
    n = sum(map(sum, columns))
    total = Fraction(0)
    for row in zip(*columns, strict=True):
        for k, observed in enumerate(row):
            expected = Fraction(sum(row) * sum(columns[k]), n)
            total += (observed - expected) ** 2 / expected
    return total, (len(rows) - 1) * (len(columns) - 1)


def log_p_classes(groups: Sequence[Sequence[Any]], classes: Sequence[Any]) -> float:
    """Log p of the chi-square test of lists of labels."""
    value, df = x2([[list(group).count(c) for c in classes] for group in groups])
    return float(stats.chi2.logsf(float(value), df)) if df else 0.0


def log_p_real(groups: Sequence[Sequence[float]]) -> float:
    """Log p of the F test of lists of numbers."""
    exact = [[Fraction(y) for y in group] for group in groups]
    every = [y for group in exact for y in group]
    mean = sum(every) / len(every)
    between = sum(len(g) * (sum(g) / len(g) - mean) ** 2 for g in exact)
    within = sum((y - sum(g) / len(g)) ** 2 for g in exact for y in g)
    df, rest = len(exact) - 1, len(every) - len(exact)
    if not between or df < 1 or rest < 1:
        return 0.0
    return float(stats.f.logsf(float(between / df / (within / rest)), df, rest)) if within else -math.inf


class Twin:
    """Grows CHAID trees on small tables."""

    def __init__(
        self,
        table: dict[str, tuple[str, list[Any]]],
        y: list[Any],
        *,
        real: bool = False,
        alpha: float = 0.05,
        merge: float = 0.05,
        resplit: float | None = None,
        n_bins: int = 10,
        min_rows: int = 30,
        min_leaf: int = 1,
    ) -> None:
        self.y, self.real = y, real
        self.classes = sorted(set(y))
        self.alpha, self.merge, self.resplit = alpha, merge, resplit
        self.min_rows, self.min_leaf = min_rows, min_leaf
        self.kinds = {name: kind for name, (kind, _) in table.items()}
        self.cuts = {name: binned(v, n_bins) for name, (kind, v) in table.items() if kind == "numeric"}
        self.values = {name: self._coded(name, values) for name, (_, values) in table.items()}
        self.domain = {name: sorted({v for v in vs if v is not None}) for name, vs in self.values.items()}
        self.missing: list[int] = []
        self.known: dict[tuple[tuple[int, ...], ...], float] = {}

    def _coded(self, name: str, values: list[Any]) -> list[Any]:
        if self.kinds[name] != "numeric":
            return values
        return [None if v is None else sum(v > cut for cut in self.cuts[name]) for v in values]

    def log_p(self, groups: Sequence[Sequence[int]]) -> float:
        """Log p of the difference of some groups of rows; known ones are not computed again."""
        key = tuple(map(tuple, groups))
        if key not in self.known:
            targets = [[self.y[i] for i in group] for group in groups]
            self.known[key] = log_p_real(targets) if self.real else log_p_classes(targets, self.classes)
        return self.known[key]

    # ---- merging -------------------------------------------------------------------------------------------

    def merged(self, name: str, rows: list[int]) -> tuple[Groups, int, str]:
        """The groups of a column's categories, how many categories there were, and their kind."""
        values = self.values[name]
        present = [v for v in self.domain[name] if any(values[i] == v for i in rows)]
        gaps = any(values[i] is None for i in rows)
        nominal = self.kinds[name] == "nominal"
        kind = "nominal" if nominal else "floating" if gaps else "ordinal"
        groups: Groups = [[v] for v in present] + ([[None]] if gaps else [])
        n = len(groups)
        seen: list[Groups] = []
        while True:
            self._join_alike(groups, kind, name, rows)
            if self.resplit is None or groups in seen:
                break
            seen.append([list(g) for g in groups])
            if not self._part(groups, kind, name, rows):
                break
        self._join_small(groups, kind, name, rows)
        return groups, n, kind

    def _rows(self, name: str, rows: list[int], group: list[Any]) -> list[int]:
        return [i for i in rows if self.values[name][i] in group]

    def _pairs(self, groups: Groups, kind: str) -> list[tuple[int, int]]:
        every = list(combinations(range(len(groups)), 2))
        if kind == "nominal":
            return every
        alone = groups[-1] == [None]
        return [(i, j) for i, j in every if (alone and j == len(groups) - 1) or j == i + 1]

    def _likest(
        self, pairs: list[tuple[int, int]], groups: Groups, name: str, rows: list[int]
    ) -> tuple[float, int, int]:
        found = [(self.log_p([self._rows(name, rows, groups[k]) for k in pair]), *pair) for pair in pairs]
        largest = max(log_p for log_p, _, _ in found)
        bar = largest - 1e-12 * max(1.0, abs(largest)) if math.isfinite(largest) else largest
        return next(one for one in found if one[0] >= bar)

    def _join(self, groups: Groups, i: int, j: int) -> None:
        both = groups[i] + groups[j]
        groups[i] = sorted(v for v in both if v is not None) + [None] * (None in both)
        del groups[j]

    def _join_alike(self, groups: Groups, kind: str, name: str, rows: list[int]) -> None:
        while len(groups) > 1:
            log_p, i, j = self._likest(self._pairs(groups, kind), groups, name, rows)
            if log_p <= math.log(self.merge):
                return
            self._join(groups, i, j)

    def _join_small(self, groups: Groups, kind: str, name: str, rows: list[int]) -> None:
        while len(groups) > 1:
            sizes = [len(self._rows(name, rows, group)) for group in groups]
            small = [k for k, size in enumerate(sizes) if size < self.min_leaf]
            if not small:
                return
            k = min(small, key=lambda g: (sizes[g], g))
            pairs = [pair for pair in self._pairs(groups, kind) if k in pair]
            _, i, j = self._likest(pairs, groups, name, rows)
            self._join(groups, i, j)

    def _part(self, groups: Groups, kind: str, name: str, rows: list[int]) -> bool:
        assert self.resplit is not None
        for k, group in enumerate(groups):
            if len(group) < 3:
                continue
            found = []
            for left in self._halves(group, kind):
                right = [v for v in group if v not in left]
                found.append(
                    (self.log_p([self._rows(name, rows, side) for side in (left, right)]), left, right)
                )
            least = min(log_p for log_p, _, _ in found)
            bar = least + 1e-12 * max(1.0, abs(least)) if math.isfinite(least) else least
            log_p, left, right = next(one for one in found if one[0] <= bar)
            if log_p <= math.log(self.resplit):
                groups[k : k + 1] = [left, right]
                groups.sort(key=lambda g: (g[0] is None, g[0] if g[0] is not None else 0))
                return True
        return False

    def _halves(self, group: list[Any], kind: str) -> list[list[Any]]:
        """The sides that hold the first value, in the order of K4."""
        if kind == "nominal":
            return [[group[0], *rest] for k in range(len(group) - 1) for rest in combinations(group[1:], k)]
        ordered = [v for v in group if v is not None]
        found = []
        for k in range(1, len(ordered)):
            found += [ordered[:k], [*ordered[:k], None]] if None in group else [ordered[:k]]
        return found + ([ordered] if None in group else [])

    # ---- growing -------------------------------------------------------------------------------------------

    def text(self) -> str:
        """The canonical text of the tree."""
        self.missing = []
        return self._node(list(range(len(self.y))))

    def _node(self, rows: list[int]) -> str:
        best = None
        if len(rows) >= max(self.min_rows, 2, 2 * self.min_leaf) and len({self.y[i] for i in rows}) > 1:
            for name in self.values:
                groups, n, kind = self.merged(name, rows)
                if len(groups) > 1:
                    log_p = self.log_p([self._rows(name, rows, group) for group in groups])
                    log_p = min(0.0, log_p + math.log(ways(n, len(groups), kind)))
                    if best is None or log_p < best[0] - 1e-12 * abs(best[0]):
                        best = (log_p, name, groups)
        if best is None or best[0] > math.log(self.alpha):
            return self._leaf(rows)
        _, name, groups = best
        self.missing.append(next((k for k, group in enumerate(groups) if None in group), -1))
        branches = [
            f"{label}: {self._node(self._rows(name, rows, group))}"
            for label, group in zip(self._labels(name, groups), groups, strict=True)
        ]
        return f"{name}[{' | '.join(branches)}]"

    def _labels(self, name: str, groups: Groups) -> list[str]:
        known = [[v for v in group if v is not None] for group in groups]
        if self.kinds[name] == "nominal":
            return ["{" + ",".join(map(str, group)) + "}" if group else "Missing" for group in known]
        filled = [group for group in known if group]
        if self.kinds[name] == "ordinal":
            ends = [
                -1,
                *(self.domain[name].index(group[-1]) for group in filled[:-1]),
                len(self.domain[name]) - 1,
            ]
            runs = [self.domain[name][a + 1 : b + 1] for a, b in pairwise(ends)]
            labels = ["{" + ",".join(map(str, run)) + "}" for run in runs]
        else:
            cuts = [f"{self.cuts[name][group[-1]]:.17g}" for group in filled[:-1]]
            inner = [f"({a},{b}]" for a, b in pairwise(cuts)]
            labels = [f"<={cuts[0]}", *inner, f">{cuts[-1]}"] if cuts else ["<=inf"]
        alone = ["Missing" if self.kinds[name] == "ordinal" or cuts else ">inf"] if [] in known else []
        return labels + alone

    def _leaf(self, rows: list[int]) -> str:
        if self.real:
            return f"{float(sum(Fraction(self.y[i]) for i in rows) / len(rows)):.4f}(n={len(rows)})"
        counts = [sum(self.y[i] == c for i in rows) for c in self.classes]
        return f"{self.classes[counts.index(max(counts))]}({':'.join(map(str, counts))})"


def binned(values: list[Any], n_bins: int) -> list[float]:
    """Cuts of a numeric column: a bin ends at the first value where its share of the rows is full."""
    known = sorted(v for v in values if v is not None)
    distinct = sorted(set(known))
    if len(distinct) <= n_bins:
        ends = distinct[:-1]
    else:
        full = [
            next(v for v in distinct if sum(x <= v for x in known) * n_bins >= k * len(known))
            for k in range(1, n_bins)
        ]
        ends = [v for v in sorted(set(full)) if v != distinct[-1]]
    return [(v + distinct[distinct.index(v) + 1]) / 2 for v in ends]


def ways(c: int, r: int, kind: str) -> int:
    """The number of ways to merge c categories into r groups, by recursion."""
    if r < 1 or r > c:
        return 0
    if r == c or r == 1:
        return 1
    if kind == "nominal":  # the last category joins one of r groups, or stands alone
        return r * ways(c - 1, r, kind) + ways(c - 1, r - 1, kind)
    if kind == "ordinal":
        return ways(c - 1, r, kind) + ways(c - 1, r - 1, kind)
    return ways(c - 1, r - 1, "ordinal") + r * ways(c - 1, r, "ordinal")
