"""Labelings of points by small trees, against all trees built one by one, known counts and bounds."""

import itertools
import math
import random

import pytest

from hornbeam.teaching import theory


def labelings_of_trees(points, leaves, tests):
    """Every labeling by a tree of at most so many leaves: trees are built one by one."""
    if leaves == 1 or len(points) < 2:
        return {frozenset(), frozenset(points)}
    out = labelings_of_trees(points, leaves - 1, tests)
    for test in tests:
        inside = [point for point in points if test(point)]
        outside = [point for point in points if not test(point)]
        if inside and outside:
            for taken in range(1, leaves):
                ones = labelings_of_trees(inside, taken, tests)
                others = labelings_of_trees(outside, leaves - taken, tests)
                out = out | {one | other for one in ones for other in others}
    return out


@pytest.mark.parametrize("seed", range(12))
def test_labelings_are_those_of_every_tree(seed):
    draw = random.Random(seed)
    drawn = {(draw.randint(0, 2), draw.randint(0, 2), draw.choice("uvw")) for _ in range(6)}
    points = sorted(drawn)
    tests = [lambda p, j=j, t=t: p[j] <= t for j in (0, 1) for t in (0, 1)]
    tests += [lambda p, v=v: p[2] == v for v in "uvw"]
    X = {"a": [p[0] for p in points], "b": [p[1] for p in points], "c": [p[2] for p in points]}
    for leaves in (1, 2, 3, 4):
        found = theory.shattering(X, leaves)
        every = labelings_of_trees(points, leaves, tests)
        assert found.n_labelings == len(every)
        assert found.shattered == (len(every) == 2 ** len(points))
        for size in range(1, len(points) + 1):
            shatters = [
                some
                for some in itertools.combinations(points, size)
                if len({labels & set(some) for labels in every}) == 2**size
            ]
            assert bool(shatters) == (size <= len(found.largest))
            if size == len(found.largest):
                assert tuple(points[k] for k in found.largest) == shatters[0]


def test_points_on_a_line_are_labeled_with_a_change_less_than_leaves():
    for m, leaves in itertools.product((1, 4, 9), (1, 2, 3, 9)):
        wanted = sum(2 * math.comb(m - 1, changes) for changes in range(min(leaves, m)))
        assert theory.shattering({"x": list(range(m))}, leaves).n_labelings == wanted


def test_shattered_points_are_within_the_bounds_of_the_vc_dimension():
    cube = list(zip(*itertools.product([0, 1], repeat=3), strict=True))
    X = {name: list(values) for name, values in zip("abc", cube, strict=True)}
    for leaves in range(1, 9):
        bounds = theory.vc_boolean(leaves, 3)
        assert bounds.lower <= len(theory.shattering(X, leaves).largest) <= bounds.upper


def test_points_that_cannot_be_counted_are_refused():
    with pytest.raises(ValueError, match="X has two equal points"):
        theory.shattering({"x": [1, 1, 2]}, 2)
    with pytest.raises(ValueError, match="X has 15 points, but the labelings of 1 to 14 are counted"):
        theory.shattering({"x": list(range(15))}, 2)
    with pytest.raises(ValueError, match="leaves=0"):
        theory.shattering({"x": [1, 2]}, 0)
