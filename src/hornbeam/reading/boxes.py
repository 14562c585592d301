"""`hb.boxes`: each leaf as a box, the part of every column that leads to it.

One idea: what the tests on a path demand of one column is an interval or a set of values; the product over
all columns is a box, and a tree answers the same everywhere in it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hornbeam._base.types import Bools
from hornbeam.data.columns import Column
from hornbeam.data.formatting import number_text, value_text
from hornbeam.reading.conditions import Condition, conditions_of
from hornbeam.tree.arrays import SUBSET
from hornbeam.tree.hooks import tree_of
from hornbeam.tree.tree import Tree


@dataclass(frozen=True)
class Interval:
    """The numbers with low < x <= high.

    Examples
    --------
    >>> str(Interval(-math.inf, -5.5)), str(Interval(29.0, math.inf)), 30 in Interval(29.0, math.inf)
    ('(-inf,-5.5]', '(29,inf)', True)
    """

    low: float = -math.inf
    high: float = math.inf
    display: str = ""

    def __contains__(self, value: float) -> bool:
        return self.low < value <= self.high

    def __str__(self) -> str:
        return f"({self._end(self.low)},{self._end(self.high)}{')' if self.high == math.inf else ']'}"

    def _end(self, value: float) -> str:
        if not math.isfinite(value) or self.display == "float32":
            return number_text(value) if math.isfinite(value) else str(value)
        return value_text(value, self.display)


Region = Interval | tuple[Any, ...]


@dataclass(frozen=True)
class Box:
    """Where one leaf answers, and what.

    Attributes
    ----------
    regions : dict
        Column -> `Interval` of a numeric column, or tuple of the values of another; every column of the tree
        is there, those that no test on the path asks for with all they can be.
    label : object
        The class answered; None in a regression tree.
    value : float or None
        The mean answered; None in a tree of classes.
    support : int
        Training rows in the leaf.
    missing : tuple of str
        The columns in which a gap is in the box, too.
    further : tuple of str
        Conditions on several columns together, which no box can say.
    leaf : int
        The node number of the leaf.
    """

    regions: Mapping[str, Region]
    label: Any
    value: float | None
    support: int
    missing: tuple[str, ...]
    further: tuple[str, ...]
    leaf: int

    def __iter__(self) -> Iterator[str]:
        return iter(self.regions)

    def __getitem__(self, column: str) -> Region:
        return self.regions[column]

    def __str__(self) -> str:
        parts = [f"{name} in {_region_text(region)}" for name, region in self.regions.items()]
        answer = str(self.label) if self.value is None else number_text(self.value)
        return f"{' and '.join([*parts, *self.further])}: {answer}"


def boxes(model: Any) -> list[Box]:
    """The box of every leaf, from left to right.

    Boxes of two leaves never overlap. Together they are everything, but for values that no training row had
    at a test and that several branches share, or that another column stands in for.

    Parameters
    ----------
    model : estimator, Tree, or the path of a saved one

    Examples
    --------
    >>> from hornbeam.tree.tree import Tree
    >>> warm = {"column": "Temperature", "<=": 29, "yes": "Yes", "no": "No"}
    >>> tree = Tree.from_nested({"column": "Temperature", "<=": -5.5, "yes": "No", "no": warm})
    >>> for box in boxes(tree):
    ...     print(box["Temperature"], box.label)
    (-inf,-5.5] No
    (-5.5,29] Yes
    (29,inf) No
    """
    tree = tree_of(model)
    answers = tree.answers()
    all_boxes = []
    leaves = tree.leaves().tolist()
    for leaf, demands in zip(leaves, conditions_of(tree, leaves), strict=True):
        single = {d.columns[0]: d for d in demands if d.axis_parallel}
        tested = {name for demand in demands for name in demand.columns}
        untested = tuple(column.name for column in tree.columns if column.name not in tested)
        regions = {column.name: _region(column, single.get(column.name)) for column in tree.columns}
        all_boxes.append(
            Box(
                regions | _with_absent(tree, leaf, regions),
                None if tree.classes is None else tree.classes[int(tree.label[leaf])],
                None if tree.classes is not None else float(answers[leaf]),
                int(tree.n_rows[leaf]),
                tuple(name for name, d in single.items() if d.missing) + untested,
                tuple(d.text for d in demands if not d.axis_parallel),
                leaf,
            )
        )
    return all_boxes


def _region(column: Column, demand: Condition | None) -> Region:
    """What of a column is in the box."""
    if demand is None:
        return Interval(display=column.display) if column.kind == "numeric" else column.categories
    if column.kind == "numeric":
        return () if demand.values == () else Interval(demand.low, demand.high, column.display)
    values = column.categories if demand.values is None else demand.values
    return tuple(
        value
        for value in values
        if value not in demand.excluded and demand.low < column.code_of[value] <= demand.high
    )


def _with_absent(tree: Tree, leaf: int, regions: Mapping[str, Region]) -> dict[str, Region]:
    """The sets of values on the path to a leaf, with those that no row had at a test: they go as gaps do."""
    allowed: dict[int, Bools] = {}
    node = leaf if (tree.kind == SUBSET).any() else 0
    while node:
        above, branch = tree.branch_to(node)
        if tree.kind[above] == SUBSET:
            column, (codes, targets) = int(tree.column[above]), tree.value_map(above)
            goes = np.full(len(tree.columns[column].categories), _way_of_gaps(tree, above))
            goes[codes] = targets
            here = goes == branch
            allowed[column] = allowed.get(column, here) & here
        node = above
    larger: dict[str, Region] = {}
    for column, here in allowed.items():
        name, categories = tree.columns[column].name, tree.columns[column].categories
        more = {categories[code] for code in np.flatnonzero(here).tolist()}
        larger[name] = tuple(value for value in categories if value in more or value in regions[name])
    return larger


def _way_of_gaps(tree: Tree, node: int) -> int:
    """The branch of gaps at a test, -1 if they share several or another column decides."""
    stands_in = tree.surrogate_offset[node + 1] > tree.surrogate_offset[node]
    return -1 if stands_in or tree.policy["missing"] == "all-paths" else int(tree.missing[node])


def _region_text(region: Region) -> str:
    return str(region) if isinstance(region, Interval) else f"{{{', '.join(map(str, region))}}}"
