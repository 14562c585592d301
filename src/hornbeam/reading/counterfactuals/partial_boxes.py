"""Unfinished boxes: regions that a changed row may lie in, and the nodes it still has to pass.

One idea: one test narrows a box in several ways. A value that is there, or is filled in, is narrowed to
what each branch takes; a gap that is left as it is goes where gaps go: to a surrogate, a learned branch, or
all of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from hornbeam._base.types import AnyArray, Ints
from hornbeam.data.columns import UNSEEN, Column
from hornbeam.reading.counterfactuals import changes
from hornbeam.reading.counterfactuals.changes import GAP, Codes, Gap, NumberRange, Region
from hornbeam.reading.counterfactuals.weighted_sums import weighted_sum
from hornbeam.tree import words
from hornbeam.tree.arrays import COLUMNS, EQUALS, EXPRESSION, HYPERPLANE, INTERVALS, THRESHOLD
from hornbeam.tree.tree import Tree
from hornbeam.tree.words import cut_text


class PartialBox(NamedTuple):
    """A part of the table: regions of columns, sides of hyperplanes, nodes to be passed, leaves reached."""

    regions: Mapping[int, Region]
    todo: tuple[int, ...] = (0,)
    leaves: tuple[int, ...] = ()
    sides: tuple[tuple[int, int], ...] = ()
    changed: int = 0
    distance: float = 0.0


class Narrowing:
    """The boxes below a box, for one row of one tree; columns that are fixed keep their values."""

    def __init__(self, tree: Tree, arrays: tuple[AnyArray, ...], fixed: frozenset[int]) -> None:
        self.tree, self.arrays, self.fixed = tree, arrays, fixed
        self.values = [changes.value_at(arrays, k) for k in range(len(tree.columns))]
        tests = np.flatnonzero(np.isin(tree.kind, (HYPERPLANE, EXPRESSION))).tolist()
        self.sums = {node: weighted for node in tests if (weighted := weighted_sum(tree, node)) is not None}

    def is_gap(self, place: int) -> bool:
        """Whether the row has no known value in a column."""
        value = self.values[place]
        return math.isnan(value) or (self.tree.columns[place].kind != "numeric" and value < 0)

    def below(self, box: PartialBox) -> Iterator[PartialBox]:
        """The boxes that the first node still to be passed makes of a box."""
        node, rest = box.todo[0], box._replace(todo=box.todo[1:])
        kind = int(self.tree.kind[node])
        if kind == 0:
            yield rest._replace(leaves=(*box.leaves, node))
        elif kind in (HYPERPLANE, EXPRESSION):
            yield from self._plane(node, rest)
        elif kind == COLUMNS:
            yield from self._tuples(node, rest)
        else:
            column = int(self.tree.column[node])
            for smaller, branch in self._narrow_by_test(rest, column, self._parts(node)):
                if branch is None and self._is_other(smaller, node, column):
                    branch = 1
                if branch is None:
                    yield from self._gap(node, smaller, int(self.tree.surrogate_offset[node]))
                else:
                    yield self._go(node, smaller, branch)

    def _go(self, node: int, box: PartialBox, branch: int) -> PartialBox:
        return box._replace(todo=(self.tree.children(node)[branch], *box.todo))

    def _is_other(self, box: PartialBox, node: int, column: int) -> bool:
        """Whether a category never seen is simply another value."""
        other = self.tree.kind[node] == EQUALS and self.tree.policy["unseen"] == "other"
        return other and isinstance(box.regions.get(column), Gap) and self.values[column] == UNSEEN

    def narrowed(self, box: PartialBox, column: int, region: Region) -> PartialBox | None:
        """The box with a smaller region of a column; None if it is empty or its change is not allowed."""
        had = box.regions.get(column)
        if isinstance(region, Gap):
            return box if had == GAP else box._replace(regions={**box.regions, column: GAP})
        had = changes.everything(self.tree.columns[column]) if had is None else had
        both = had.meet(region)  # type: ignore[union-attr, arg-type]
        if both is None:
            return None
        cost = changes.price(self.tree.columns[column], self.values[column], both)
        if cost is None or (cost[0] and column in self.fixed):
            return None
        before = box.regions.get(column)
        was = (
            (0, 0.0)
            if before is None
            else changes.price(self.tree.columns[column], self.values[column], before)
        )
        assert was is not None
        return box._replace(
            regions={**box.regions, column: both},
            changed=box.changed + cost[0] - was[0],
            distance=box.distance + cost[1] - was[1],
        )

    def _narrow_by_test(
        self, box: PartialBox, column: int, parts: list[tuple[NumberRange | Codes, int | None]]
    ) -> Iterator[tuple[PartialBox, int | None]]:
        """The boxes of one test on a column, each with its branch; None: the test does not know one."""
        had = box.regions.get(column)
        if had == GAP:
            yield box, None
            return
        if had is None and self.is_gap(column):
            with_gap = self.narrowed(box, column, GAP)
            if with_gap is not None:
                yield with_gap, None
        for region, branch in parts:
            smaller = self.narrowed(box, column, region)
            if smaller is not None:
                yield smaller, branch

    def _parts(self, node: int) -> list[tuple[NumberRange | Codes, int | None]]:
        """What each branch of a test on one column takes; None: what the test does not know."""
        tree, kind = self.tree, int(self.tree.kind[node])
        column = tree.columns[int(tree.column[node])]
        if kind in (THRESHOLD, INTERVALS):
            cuts = tree.cuts(node).tolist()
            if kind == THRESHOLD:
                texts = [cut_text(tree, node)] if math.isfinite(cuts[0]) else [""]
            else:
                texts = [words.interval_ends(tree, node, k)[1] for k in range(len(cuts))]
            return _cut(column.kind, len(column.categories), cuts, texts, range(len(cuts) + 1))
        if kind == EQUALS:
            return _by_code(column, np.array([int(tree.threshold[node])]), np.zeros(1, np.int32), 1)
        absent = int(tree.absent[node])
        return _by_code(column, *tree.value_map(node), absent if absent >= 0 else None)

    def _gap(self, node: int, box: PartialBox, k: int) -> Iterator[PartialBox]:
        """Where a row goes whose value a test does not know: to surrogates from k on, then as learned."""
        tree = self.tree
        everywhere = tree.policy["missing"] == "all-paths"
        if not everywhere and k < int(tree.surrogate_offset[node + 1]):
            for smaller, branch in self._narrow_by_test(
                box, int(tree.surrogate_column[k]), self._surrogate(k)
            ):
                if branch is None:
                    yield from self._gap(node, smaller, k + 1)
                else:
                    yield self._go(node, smaller, branch)
            return
        learned = int(tree.missing[node])
        if tree.policy["missing"] == "learn":
            tested = tree.tested_columns(node)
            everywhere = any(box.regions.get(c) == GAP and self.values[c] == UNSEEN and
                             tree.columns[c].kind != "numeric" for c in tested)  # fmt: skip
        if everywhere or learned < 0:
            yield box._replace(todo=(*tree.children(node), *box.todo))
        else:
            yield self._go(node, box, learned)

    def _surrogate(self, k: int) -> list[tuple[NumberRange | Codes, int | None]]:
        tree = self.tree
        column = tree.columns[int(tree.surrogate_column[k])]
        span = slice(int(tree.surrogate_map_offset[k]), int(tree.surrogate_map_offset[k + 1]))
        if span.stop == span.start:
            cut = float(tree.surrogate_threshold[k])
            text = words.threshold_text(column, cut)
            sides = (int(tree.surrogate_low[k]), int(tree.surrogate_high[k]))
            return _cut(column.kind, len(column.categories), [cut], [text], sides)
        return _by_code(column, tree.surrogate_map_code[span], tree.surrogate_map_branch[span], None)

    def _decided(self, box: PartialBox, columns: tuple[int, ...]) -> Iterator[tuple[PartialBox, bool]]:
        """The box with every gap among some columns filled or kept; and whether one is kept."""
        open_gaps = [c for c in columns if c not in box.regions and self.is_gap(c)]
        if not open_gaps:
            yield box, any(box.regions.get(c) == GAP for c in columns)
            return
        for region in (GAP, changes.everything(self.tree.columns[open_gaps[0]])):
            smaller = self.narrowed(box, open_gaps[0], region)
            if smaller is not None:
                yield from self._decided(smaller, columns)

    def _plane(self, node: int, box: PartialBox) -> Iterator[PartialBox]:
        for smaller, has_gap in self._decided(box, self.tree.tested_columns(node)):
            if has_gap:
                yield from self._gap(node, smaller, int(self.tree.surrogate_offset[node]))
            else:
                for branch in (0, 1):
                    yield self._go(node, smaller._replace(sides=(*box.sides, (node, branch))), branch)

    def _tuples(self, node: int, box: PartialBox) -> Iterator[PartialBox]:
        """One box for each tuple named; of the others only the row's own, which goes where gaps go."""
        tree, columns = self.tree, self.tree.tested_columns(node)
        for smaller, has_gap in self._decided(box, columns):
            if has_gap:
                yield from self._gap(node, smaller, int(tree.surrogate_offset[node]))
                continue
            own_is_named = False
            for values, branch in tree.value_tuples(node):
                own_is_named |= values == [self.values[c] for c in columns]
                named = self._pinned(smaller, columns, values)
                if named is not None:
                    yield self._go(node, named, branch)
            if not own_is_named and not any(self.is_gap(c) for c in columns):
                own = self._pinned(smaller, columns, [self.values[c] for c in columns])
                if own is not None:
                    yield from self._gap(node, own, int(tree.surrogate_offset[node]))

    def _pinned(self, box: PartialBox, columns: tuple[int, ...], values: list[float]) -> PartialBox | None:
        pinned: PartialBox | None = box
        for column, value in zip(columns, values, strict=True):
            region: NumberRange | Codes = Codes(frozenset({int(value)}))
            if self.tree.columns[column].kind == "numeric":
                region = NumberRange(float(np.nextafter(value, -np.inf)), value)
            pinned = None if pinned is None else self.narrowed(pinned, column, region)
        return pinned


def _by_code(
    column: Column, codes: Ints, branches: Ints, other: int | None
) -> list[tuple[NumberRange | Codes, int | None]]:
    """The codes of each branch of a value map; those that it does not have go to the branch `other`."""
    grouped: dict[int, list[int]] = {}
    for code, branch in zip(codes.tolist(), branches.tolist(), strict=True):
        grouped.setdefault(branch, []).append(code)
    parts: list[tuple[NumberRange | Codes, int | None]] = [
        (Codes(frozenset(grouped[branch])), branch) for branch in sorted(grouped)
    ]
    rest = frozenset(range(len(column.categories))).difference(codes.tolist())
    return [*parts, (Codes(rest), other)] if rest else parts


def _cut(
    kind: str, n_codes: int, cuts: list[float], texts: list[str], branches: range | tuple[int, ...]
) -> list[tuple[NumberRange | Codes, int | None]]:
    """The regions between cuts, each with its branch."""
    ends, names = [-math.inf, *cuts, math.inf], ["", *texts, ""]
    parts: list[tuple[NumberRange | Codes, int | None]] = []
    for k, branch in enumerate(branches):
        if kind == "numeric":
            if ends[k] < ends[k + 1]:
                parts.append((NumberRange(ends[k], ends[k + 1], names[k], names[k + 1]), int(branch)))
        else:
            codes = frozenset(c for c in range(n_codes) if ends[k] < c <= ends[k + 1])
            if codes:
                parts.append((Codes(codes), int(branch)))
    return parts
