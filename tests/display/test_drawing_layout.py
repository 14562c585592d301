"""The tidy layout: boxes never overlap, parents are centred, order is kept, deep trees are drawn."""

from __future__ import annotations

import json
import random
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.display.web.make_layout_fixtures import FILE, fixtures, grown, text
from tests.support.selection import examples

from hornbeam.display.drawing.layout import layout, orientation_for


def boxes_of(nodes, placed):
    return [(x, y, x + node[0], y + node[1]) for x, y, node in zip(placed.x, placed.y, nodes, strict=True)]


def apart(one, other, gap):
    """Whether two boxes are at least `gap` apart across, or do not share a row at all."""
    return one[2] + gap <= other[0] + 1e-9 or other[2] + gap <= one[0] + 1e-9


def depths(nodes):
    depth = [0] * len(nodes)
    for node, (_, _, below) in enumerate(nodes):
        for child in below:
            depth[child] = depth[node] + 1
    return depth


def obvious_places(nodes, gap):
    """The slow twin without sharing of room: each subtree is pushed right until it clears all before it."""

    def spread(node):
        half = nodes[node][0] / 2
        below = nodes[node][2]
        rows = [[(-half, half, node)]]
        if not below:
            return rows, {node: 0.0}
        placed, where = [], {}
        for child in below:
            own, inside = spread(child)
            shift = 0.0
            if placed:
                shift = max(
                    max(right for _, right, _ in placed[level]) + gap - min(left for left, _, _ in own[level])
                    for level in range(min(len(placed), len(own)))
                )
            for level, row in enumerate(own):
                if level == len(placed):
                    placed.append([])
                placed[level] += [(left + shift, right + shift, name) for left, right, name in row]
            where |= {name: x + shift for name, x in inside.items()}
        centre = (where[below[0]] + where[below[-1]]) / 2
        rows += [[(left - centre, right - centre, name) for left, right, name in row] for row in placed]
        return rows, {node: 0.0} | {name: x - centre for name, x in where.items()}

    return spread(0)[1]


@pytest.mark.parametrize("seed", range(40))
def test_boxes_of_random_trees_do_not_overlap_and_keep_their_order(seed):
    nodes = grown(seed, 3 + 4 * seed, 2 + seed % 7, (seed % 5) / 5)
    placed = layout(nodes, 6.0, 10.0)
    depth = depths(nodes)
    boxes = boxes_of(nodes, placed)
    for row in range(max(depth) + 1):
        inside = [node for node in range(len(nodes)) if depth[node] == row]
        for one in inside:
            for other in inside:
                assert one == other or apart(boxes[one], boxes[other], 6.0)
    for _, _, below in nodes:
        assert all(placed.x[a] < placed.x[b] for a, b in pairwise(below))


@pytest.mark.parametrize("seed", range(20))
def test_a_parent_is_centred_over_its_first_and_last_child(seed):
    nodes = grown(seed, 60, 5, 0.3)
    placed = layout(nodes, 4.0, 10.0)
    middle = [x + node[0] / 2 for x, node in zip(placed.x, nodes, strict=True)]
    for node, (_, _, below) in enumerate(nodes):
        if below:
            assert middle[node] == pytest.approx((middle[below[0]] + middle[below[-1]]) / 2)


@pytest.mark.parametrize("seed", range(20))
def test_trees_of_two_branches_are_placed_like_the_obvious_twin(seed):
    nodes = grown(seed, 41, 2, 0.5)
    placed = layout(nodes, 5.0, 10.0)
    middle = [x + node[0] / 2 for x, node in zip(placed.x, nodes, strict=True)]
    twin = obvious_places(nodes, 5.0)
    for node in range(len(nodes)):
        assert middle[node] - middle[0] == pytest.approx(twin[node] - twin[0])


@pytest.mark.parametrize("seed", range(20))
def test_sharing_room_never_makes_a_wide_tree_wider(seed):
    nodes = grown(seed, 60, 9, 0.2)
    placed = layout(nodes, 5.0, 10.0)
    twin = obvious_places(nodes, 5.0)
    left = min(twin[node] - nodes[node][0] / 2 for node in twin)
    right = max(twin[node] + nodes[node][0] / 2 for node in twin)
    assert placed.width == pytest.approx(right - left)


def test_small_children_between_large_ones_share_the_room():
    leaf = (10.0, 4.0, [])
    nodes = [
        (10.0, 4.0, [1, 2, 3]),
        (10.0, 4.0, [4]),
        leaf,
        (10.0, 4.0, [5]),
        (90.0, 4.0, []),
        (90.0, 4.0, []),
    ]
    x = layout(nodes, 10.0, 5.0).x
    # The grandchildren need 100 between their centres, so the leaf in the middle stands 50 from both.
    assert [x[node] for node in (1, 2, 3)] == [40.0, 90.0, 140.0]


def test_a_mirrored_tree_is_drawn_mirrored():
    nodes = grown(3, 51, 2, 0.5)
    placed = layout(nodes, 6.0, 10.0)
    mirrored = layout([(w, h, list(reversed(below))) for w, h, below in nodes], 6.0, 10.0)
    for node, (width, _, _) in enumerate(nodes):
        assert mirrored.x[node] == pytest.approx(placed.width - placed.x[node] - width)


def test_left_to_right_swaps_the_axes():
    nodes = grown(5, 30, 3, 0.2)
    down = layout([(h, w, below) for w, h, below in nodes], 6.0, 10.0)
    right = layout(nodes, 6.0, 10.0, "right")
    assert (right.x, right.y, right.width, right.height) == (down.y, down.x, down.height, down.width)


def test_levels_begin_on_one_line_below_the_largest_box_above():
    nodes = [(10, 4, [1, 2]), (10, 6, [3]), (10, 9, []), (10, 1, [])]
    assert layout(nodes, 1, 2).y == [0.0, 6.0, 6.0, 17.0]


def test_ten_thousand_levels_are_no_trouble():
    comb = []
    for step in range(10_000):
        comb += [(20.0, 8.0, [2 * step + 1, 2 * step + 2]), (20.0, 8.0, [])]
    comb.append((20.0, 8.0, []))
    placed = layout(comb, 4.0, 10.0)
    assert placed.height == 10_001 * 8 + 10_000 * 10
    assert placed.x[1] < placed.x[2]


def test_more_than_eight_leaves_are_drawn_from_left_to_right():
    assert [orientation_for(n) for n in (1, 8, 9, 500)] == ["down", "down", "right", "right"]


@settings(max_examples=examples(60), deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 120), st.integers(2, 12), st.floats(0, 1))
def test_no_two_boxes_overlap_whatever_the_tree(seed, n, most, chain):
    nodes = grown(seed, n, most, chain)
    placed = layout(nodes, 3.0, 7.0, random.Random(seed).choice(["down", "right"]))
    boxes = sorted(boxes_of(nodes, placed))
    for i, one in enumerate(boxes):
        for other in boxes[i + 1 :]:
            if other[0] >= one[2]:
                break
            assert other[1] >= one[3] - 1e-9 or one[1] >= other[3] - 1e-9


def test_the_fixtures_for_javascript_are_what_the_layout_gives():
    assert FILE.read_text(encoding="utf-8") == text(), "run python tests/display/web/make_layout_fixtures.py"
    assert len(json.loads(Path(FILE).read_text(encoding="utf-8"))) == len(fixtures())
