"""Where the boxes of a tree go: a tidy drawing with boxes of any size, in linear time.

One idea: a subtree is known to its neighbours only by its two contours, one number for each level, so that a
subtree is pushed to the right until its left contour clears the right contour of everything placed before it
(Reingold and Tilford 1981; Buchheim, Jünger and Leipert 2002; van der Ploeg 2014).

The definition, which `display/web/layout.js` repeats and `tests/display/web/layout_fixtures.json` holds
together. All arithmetic is in doubles, in the order written here.

Given: nodes 0..n-1, each (width, height, children); node 0 is the root, children have larger numbers than
their parent and stand in reading order. "Across" is the direction in which siblings stand side by side,
"along" the direction in which depth grows. Orientation "down": across = width, along = height; "right":
across = height, along = width.

1. Along. The level of depth d starts at start[0] = 0, start[d + 1] = start[d] + (largest extent along at
   depth d) + level_gap. Every box begins where its level begins.
2. Across. Nodes are visited from the last to the first. A subtree carries two lists, left and right: the
   extreme coordinate on each of its levels relative to the centre of its root, *deepest level first*, so that
   the root's own level is the last item. Each list has a `shift` added to all its items, so moving a list is
   one addition: the coordinate is item + shift. For a node without children: left = [-e/2], right = [e/2],
   shifts 0, where e is its extent across. For a node with children c0, c1, ..., with level 0 meaning the
   level of the children:
   a. place[0] = 0. The forest's contours are those of c0. The stack `owners` of (child, its number of levels)
      holds (0, levels of c0).
   b. For i = 1, 2, ...: p = (forest right at level 0) + gap - (left of ci at level 0). For each further level
      l that forest and ci have in common, from the top: need = (forest right at l) + gap - (left of ci at l).
      If need > p: let d = need - p; j = the child owning level l, going down from the top of the stack
      (nothing is removed) to the first entry with more than l levels; p = need; and if i - j > 1, the
      children between them share the room: with s = d / (i - j), slope[j + 1] += s, slope[i] -= s, drop[i] +=
      (i - j - 1) * s. place[i] = p. Contours of the forest with ci at p: the right contour is ci's where ci
      has the level, otherwise the forest's; the left contour is the forest's where it has the level,
      otherwise ci's. (The covering list is taken as it is if it is at least as long; otherwise its items are
      written over the end of the longer one as item + (shift of the covering list - shift of the longer
      list). So a merge costs the shorter of the two.) Owners: entries with at most as many levels as ci leave
      the stack; (i, levels of ci) is put on top.
   c. With run = 0 and rise = 0, for i = 0, 1, ...: rise += slope[i]; run += rise - drop[i]; place[i] += run.
   d. centre = (place[0] + place[last]) / 2; offset[ci] = place[i] - centre. The node's contours are the
      forest's, their shifts lowered by the centre, with -e/2 - shift and e/2 - shift appended.
3. The centre across of the root is 0, of another node its parent's plus its offset. Everything is then moved
   so that the smallest (centre - e/2) is 0. The result is the upper left corner of each box.

Hence: boxes of one level are at least `gap` apart and stand in reading order, a parent is centred over its
first and last child, and mirrored trees of two branches give mirrored drawings.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

ORIENTATIONS = ("down", "right")
WIDE = 8  # more leaves than this are drawn from left to right


class Placement(NamedTuple):
    """The upper left corners of the boxes, and the size of the whole."""

    x: list[float]
    y: list[float]
    width: float
    height: float


class _Contour:
    """One side of a subtree: the extreme coordinate of each level, deepest first, all moved by `shift`."""

    __slots__ = ("items", "shift")

    def __init__(self, items: list[float], shift: float = 0.0) -> None:
        self.items = items
        self.shift = shift

    def at(self, level: int) -> float:
        return self.items[len(self.items) - 1 - level] + self.shift

    def under(self, other: _Contour) -> _Contour:
        """Return this contour with `other` covering the levels it has; the longer list is written over."""
        if len(other.items) >= len(self.items):
            return other
        change = other.shift - self.shift
        start = len(self.items) - len(other.items)
        self.items[start:] = [item + change for item in other.items]
        return self


def orientation_for(n_leaves: int) -> str:
    """Return how so many leaves are drawn unless told otherwise: text is wide and flat, pages scroll."""
    return "down" if n_leaves <= WIDE else "right"


def layout(
    nodes: Sequence[tuple[float, float, Sequence[int]]],
    gap: float,
    level_gap: float,
    orientation: str = "down",
) -> Placement:
    """Place the boxes of a tree.

    Parameters
    ----------
    nodes : sequence of (width, height, children)
        Node 0 is the root; children have larger numbers than their parent.
    gap : float
        Least distance between neighbours on one level.
    level_gap : float
        Distance from the largest box of a level to the next level.
    orientation : {"down", "right"}
        Where the children of a node are.

    Returns
    -------
    Placement

    Examples
    --------
    >>> from hornbeam.display.drawing.layout import layout
    >>> layout([(10, 4, [1, 2]), (10, 4, []), (10, 4, [])], gap=2, level_gap=3)
    Placement(x=[6.0, 0.0, 12.0], y=[0.0, 7.0, 7.0], width=22.0, height=11.0)
    """
    down = orientation == "down"
    across = [float(node[0] if down else node[1]) for node in nodes]
    along = [float(node[1] if down else node[0]) for node in nodes]
    children = [node[2] for node in nodes]
    start, length = _along(along, children, float(level_gap))
    offset = _offsets(across, children, float(gap))
    centre = [0.0] * len(nodes)
    for node, below in enumerate(children):
        for child in below:
            centre[child] = centre[node] + offset[child]
    corner = [middle - extent / 2 for middle, extent in zip(centre, across, strict=True)]
    least = min(corner)
    corner = [value - least for value in corner]
    breadth = max(value + extent for value, extent in zip(corner, across, strict=True))
    return Placement(corner, start, breadth, length) if down else Placement(start, corner, length, breadth)


def spread(
    placed: Placement, sizes: Sequence[tuple[float, float]], shape: float, aside: float, above: float
) -> Placement:
    """Return the boxes so far apart that the drawing, `aside` wider and `above` higher, has a page's shape.

    >>> boxes = Placement([6.0, 0.0, 12.0], [0.0, 7.0, 7.0], 22.0, 11.0)
    >>> spread(boxes, [(10, 4)] * 3, shape=4.0, aside=0.0, above=0.0)
    Placement(x=[17.0, 0.0, 34.0], y=[0.0, 7.0, 7.0], width=44.0, height=11.0)
    """
    wide, high = placed.width + aside, placed.height + above
    width = max(shape * high, wide) - aside
    height = max(wide / shape, high) - above
    x = _apart(placed.x, [size[0] for size in sizes], width)
    y = _apart(placed.y, [size[1] for size in sizes], height)
    return Placement(x, y, width, height)


def _apart(corners: list[float], extents: list[float], length: float) -> list[float]:
    """Corners moved apart in proportion, so far that the first box to reach the end of the drawing does."""
    reach = [
        (length - extent) / corner for corner, extent in zip(corners, extents, strict=True) if corner > 0
    ]
    factor = max(min(reach, default=1.0), 1.0)
    return [corner * factor for corner in corners]


def _along(along: list[float], children: list[Sequence[int]], level_gap: float) -> tuple[list[float], float]:
    """Return where each box begins in the direction of depth, and where the last level ends."""
    depth = [0] * len(along)
    for node, below in enumerate(children):
        for child in below:
            depth[child] = depth[node] + 1
    largest = [0.0] * (max(depth) + 1)
    for node, extent in enumerate(along):
        largest[depth[node]] = max(largest[depth[node]], extent)
    starts = [0.0]
    for extent in largest[:-1]:
        starts.append(starts[-1] + extent + level_gap)
    return [starts[d] for d in depth], starts[-1] + largest[-1]


def _offsets(across: list[float], children: list[Sequence[int]], gap: float) -> list[float]:
    """Return where the centre of each node is relative to its parent's."""
    offset = [0.0] * len(across)
    sides: list[tuple[_Contour, _Contour] | None] = [None] * len(across)
    for node in range(len(across) - 1, -1, -1):
        half = across[node] / 2
        below = children[node]
        if not below:
            sides[node] = (_Contour([-half]), _Contour([half]))
            continue
        subtrees = [sides[child] for child in below]
        for child in below:
            sides[child] = None
        place, left, right = _side_by_side([pair for pair in subtrees if pair is not None], gap)
        centre = (place[0] + place[-1]) / 2
        for child, where in zip(below, place, strict=True):
            offset[child] = where - centre
        left.shift -= centre
        right.shift -= centre
        left.items.append(-half - left.shift)
        right.items.append(half - right.shift)
        sides[node] = (left, right)
    return offset


def _side_by_side(
    subtrees: list[tuple[_Contour, _Contour]], gap: float
) -> tuple[list[float], _Contour, _Contour]:
    """Return where the subtrees of one node stand, and the contours of all of them together."""
    left, right = subtrees[0]
    place = [0.0] * len(subtrees)
    slope = [0.0] * len(subtrees)
    drop = [0.0] * len(subtrees)
    owners = [(0, len(right.items))]
    for i in range(1, len(subtrees)):
        own_left, own_right = subtrees[i]
        levels = len(own_left.items)
        p = right.at(0) + gap - own_left.at(0)
        top = len(owners) - 1
        for level in range(1, min(len(right.items), levels)):
            need = right.at(level) + gap - own_left.at(level)
            if need > p:
                d = need - p
                p = need
                while owners[top][1] <= level:
                    top -= 1
                j = owners[top][0]
                if i - j > 1:
                    share = d / (i - j)
                    slope[j + 1] += share
                    slope[i] -= share
                    drop[i] += (i - j - 1) * share
        place[i] = p
        own_left.shift += p
        own_right.shift += p
        left, right = own_left.under(left), right.under(own_right)
        while owners and owners[-1][1] <= levels:
            owners.pop()
        owners.append((i, levels))
    run = rise = 0.0
    for i in range(len(place)):
        rise += slope[i]
        run += rise - drop[i]
        place[i] += run
    return place, left, right
