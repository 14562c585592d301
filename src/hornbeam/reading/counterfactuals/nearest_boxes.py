"""Searching: the boxes of a tree in the order of how near they are to a row.

One idea: best first. A box costs (columns changed, distance), and no box below it costs less; so the first
box taken out that is down at its leaves is the nearest there is. A box with hyperplanes comes back with its
true cost.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

from hornbeam.reading.counterfactuals.partial_boxes import Box, Narrowing
from hornbeam.reading.counterfactuals.planes import Point, most_changes, plain_point, points

_MOST_BOXES = 200_000


@dataclass(frozen=True)
class Found:
    """A box down at its leaves, and its nearest point."""

    box: Box
    point: Point


def nearest_boxes(narrowing: Narrowing) -> Iterator[Found]:
    """All boxes with their nearest points, the nearest first; the row's own box is the first."""
    order = count()
    start = Box({})
    waiting: list[tuple[int, float, int, Box, Point | None, int]] = [(0, 0.0, next(order), start, None, 0)]
    for taken in count():
        if not waiting:
            return
        if taken >= _MOST_BOXES:
            raise ValueError(
                f"more than {_MOST_BOXES} combinations of paths would have to be looked at, because missing"
                " values of the row follow all paths: fill in some of them, or name columns with fixed="
            )
        changed, _, _, box, point, size = heapq.heappop(waiting)
        if box.todo:
            for found in narrowing.below(box):
                heapq.heappush(
                    waiting, (found.changed, found.distance, next(order), found, None, found.changed)
                )
        elif point is not None:
            yield Found(box, point)
        elif not box.sides:
            there = plain_point(narrowing, box)
            if there is not None:
                yield Found(box, there)
        else:  # try one more column at a time: the points of this size now, the next size when its turn comes
            best = min(points(narrowing, box, size), key=lambda p: p.distance, default=None)
            if best is not None:
                heapq.heappush(waiting, (changed, best.distance, next(order), box, best, size))
            elif size < most_changes(narrowing, box):
                heapq.heappush(waiting, (size + 1, 0.0, next(order), box, None, size + 1))
