"""Merging: categories that do not differ become one group (Kass 1980, steps 2 and 3).

    while some allowed pair of groups differs with p > merge: join the pair with the largest p
    for every group of three or more categories: if its best half differs with p <= resplit, undo it there

Which pairs are allowed depends on the kind of the categories: nominal, all; ordinal, neighbours; floating,
neighbours, and the last category (a gap, say) with any group.

One idea: log p of all pairs is kept in a triangle; joining two groups changes one row and column of it. Among
pairs whose log p is within 1e-12 of the largest the first is joined. A merging asks for the pairs it wants
compared and waits for the answer, so that many of them are tested in one go (`together`).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from hornbeam._base.significance.bins_and_halves import halves, runs, runs_with_floating
from hornbeam._base.significance.contingency import GroupTest
from hornbeam._base.types import TIE, Bools, Floats, Longs

Group = tuple[int, ...]
Questions = Generator[Floats, Floats, None]  # pairs of groups to compare: [pairs, 2, lanes]; sent back: log p

KINDS = ("nominal", "ordinal", "floating")
MOST = 5000  # categories whose triangle of pairs fits in memory
_PAIRS = 100_000  # compared at a time


@dataclass(frozen=True)
class MergeStep:
    """Two groups joined, or (`joined` is False) one parted into these two, and log p of their difference."""

    left: Group
    right: Group
    log_p: float
    joined: bool = True


class Merging:
    """Categories being merged; `groups` and `steps` are the outcome of `run`.

    Parameters
    ----------
    lanes : one row per category, the sums by which groups are compared; if floating, the last one floats
    kind : "nominal", "ordinal" or "floating"
    test : how groups are compared
    merge, resplit : logarithms of the two levels; resplit None skips the second step
    small : which groups (rows of lanes) are too small to stand alone; they are joined in the end
    """

    def __init__(
        self,
        lanes: Floats,
        kind: str,
        test: GroupTest,
        merge: float,
        resplit: float | None = None,
        small: Callable[[Floats], Bools] | None = None,
    ) -> None:
        self.lanes, self.kind, self.test = lanes, kind, test
        self.merge, self.resplit, self.small = merge, resplit, small
        self.steps: list[MergeStep] = []
        # By place: groups in the order of their first categories, None where one has joined an earlier one.
        self._groups: list[Group | None] = [(k,) for k in range(len(lanes))]
        self._sums = lanes
        self._pairs = np.empty((0, 0))
        self._best = np.empty(0)  # the largest log p of each row of the triangle
        if kind == "nominal":
            self._join_equal()

    @property
    def groups(self) -> tuple[Group, ...]:
        """The groups in the order of their first categories."""
        return tuple(group for group in self._groups if group is not None)

    def run(self) -> Merging:
        """Merge until nothing changes."""
        together([self])
        return self

    def process(self) -> Questions:
        """Merge until nothing changes; at most `MOST` groups can be compared."""
        assert len(self.groups) <= MOST
        yield from self._start(self.groups)
        states = set()
        while True:
            yield from self._join_alike()
            if self.resplit is None or self.groups in states:  # a state seen before would come again for ever
                break
            states.add(self.groups)
            if not (yield from self._part_first()):
                break
        yield from self._join_small()

    # ---- joining -------------------------------------------------------------------------------------------

    def _join_equal(self) -> None:
        """Join categories of equal shares: their p is 1, the largest there is."""
        if len(self.lanes) < 2 or not (self.lanes == np.floor(self.lanes)).all() or self.lanes.max() > 2**53:
            return
        whole = self.lanes.astype(np.int64)
        reduced = whole // np.maximum(np.gcd.reduce(whole, axis=1), 1)[:, None]
        # Not by numpy's unique rows, which turn an exception that a signal raises into one of numpy's.
        alike: dict[bytes, list[int]] = {}
        for i, shares in enumerate(reduced):
            alike.setdefault(shares.tobytes(), []).append(i)
        for i, *others in alike.values():
            for j in others:
                self._unite(i, j, 0.0)

    def _join_alike(self) -> Questions:
        while True:
            i, j = self._largest()
            if not self._pairs[i, j] > self.merge:
                return
            yield from self._join(i, j)

    def _join_small(self) -> Questions:
        """Each group that is too small, the smallest first, joins the one it differs from least."""
        while self.small is not None and len(self.groups) > 1:
            alive = self._alive()
            small = alive[self.small(self._sums[alive])]
            if not len(small):
                return
            k = int(small[np.argmin(self._sums[small, -1])])
            others = self._allowed(k)
            log_p = self._pairs[np.minimum(others, k), np.maximum(others, k)]
            other = int(others[np.argmax(log_p >= _bar(float(log_p.max())))])
            yield from self._join(min(k, other), max(k, other))

    def _join(self, i: int, j: int) -> Questions:
        self._unite(i, j, float(self._pairs[i, j]))
        self._sums[i] += self._sums[j]
        stale = (self._best == self._pairs[:, i]) | (self._best == self._pairs[:, j])
        self._pairs[[i, j]] = -np.inf
        self._pairs[:, [i, j]] = -np.inf
        others = self._allowed(i)
        low, high = np.minimum(others, i), np.maximum(others, i)
        self._pairs[low, high] = yield np.stack([self._sums[low], self._sums[high]], axis=1)
        stale &= self._best > -np.inf
        stale[[i, j]] = True
        self._best = np.maximum(self._best, self._pairs[:, i])
        self._best[stale] = self._pairs[stale].max(axis=1)

    def _unite(self, i: int, j: int, log_p: float) -> None:
        left, right = self._groups[i], self._groups[j]
        assert left is not None
        assert right is not None
        self.steps.append(MergeStep(left, right, log_p))
        self._groups[i], self._groups[j] = tuple(sorted(left + right)), None

    # ---- parting -------------------------------------------------------------------------------------------

    def _part_first(self) -> Generator[Floats, Floats, bool]:
        """Part the first group of three or more categories whose best half is significant."""
        assert self.resplit is not None
        for group in self.groups:
            if len(group) > 2:
                left, right, log_p = yield from self._best_half(group)
                if log_p <= self.resplit:
                    self.steps.append(MergeStep(left, right, log_p, joined=False))
                    yield from self._start([g for g in self.groups if g != group] + [left, right])
                    return True
        return False

    def _best_half(self, group: Group) -> Generator[Floats, Floats, tuple[Group, Group, float]]:
        lanes = self.lanes[list(group)]
        if self.kind == "nominal":
            sides = halves(self.test.order(lanes))
        elif self.kind == "floating" and group[-1] == len(self.lanes) - 1:
            sides = runs_with_floating(len(group))
        else:
            sides = runs(len(group))
        left = sides.astype(float) @ lanes
        log_p = yield np.stack([left, lanes.sum(axis=0) - left], axis=1)
        best = int(np.argmax(-log_p >= _bar(float(-log_p.min()))))
        members = np.array(group)
        first, second = members[sides[best]], members[~sides[best]]
        return tuple(first.tolist()), tuple(second.tolist()), float(log_p[best])

    # ---- comparing -----------------------------------------------------------------------------------------

    def _start(self, groups: Iterable[Group]) -> Questions:
        """Take up a set of groups and compare them all."""
        ordered = sorted(groups)
        self._groups = list(ordered)
        self._sums = np.array([self.lanes[list(group)].sum(axis=0) for group in ordered])
        self._pairs = np.full((len(ordered), len(ordered)), -np.inf)
        for i, j in self._all_pairs():
            self._pairs[i, j] = yield np.stack([self._sums[i], self._sums[j]], axis=1)
        self._best = self._pairs.max(axis=1)

    def _all_pairs(self) -> Iterator[tuple[Longs, Longs]]:
        """The pairs that may be joined, in parts that fit in memory."""
        n = len(self._groups)
        if self.kind == "nominal":
            step = max(1, _PAIRS // n)
            for start in range(0, n, step):
                i, j = np.nonzero(np.tri(n, dtype=bool).T[start : start + step])
                yield i[i + start != j] + start, j[i + start != j]
            return
        alone = self.kind == "floating" and self._groups[-1] == (len(self.lanes) - 1,)
        ordered = np.arange(n - alone)
        yield ordered[:-1], ordered[1:]
        if alone:
            yield ordered, np.full(n - 1, n - 1)

    def _alive(self) -> Longs:
        return np.array([k for k, group in enumerate(self._groups) if group is not None], dtype=np.int64)

    def _allowed(self, i: int) -> Longs:
        """The places of the groups that group i may join, ascending."""
        alive = self._alive()
        if self.kind == "nominal":
            others: Longs = alive[alive != i]
            return others
        alone = self.kind == "floating" and self._groups[int(alive[-1])] == (len(self.lanes) - 1,)
        ordered, last = (alive[:-1], alive[-1:]) if alone else (alive, alive[:0])
        if alone and i == last[0]:
            return ordered
        position = int(np.searchsorted(ordered, i))
        near = [k for k in (position - 1, position + 1) if 0 <= k < len(ordered)]
        return np.concatenate([ordered[near], last])

    def _largest(self) -> tuple[int, int]:
        """The first pair whose log p ties with the largest."""
        bar = _bar(float(self._best.max()))
        i = int(np.argmax(self._best >= bar))
        return i, int(np.argmax(self._pairs[i] >= bar))


def together(mergings: Sequence[Merging]) -> None:
    """Run mergings that use the same test; what they want compared at a step is compared in one go."""
    going = [(process, next(process)) for process in (merging.process() for merging in mergings)]
    while going:
        log_p = mergings[0].test(np.concatenate([question for _, question in going])).log_p
        ends = np.cumsum([len(question) for _, question in going])[:-1]
        unfinished = []
        for (process, _), answer in zip(going, np.split(log_p, ends), strict=True):
            with suppress(StopIteration):
                unfinished.append((process, process.send(answer)))
        going = unfinished


def _bar(largest: float) -> float:
    """What a log p must reach to tie with the largest."""
    return largest - TIE * max(1.0, abs(largest)) if np.isfinite(largest) else largest
