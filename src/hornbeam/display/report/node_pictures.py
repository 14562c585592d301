"""Pictures: what the rows of a node look like where it splits them, as numbers to be drawn.

One idea: a picture is counts and places between 0 and 1, never rows, unless rows were asked for. Which
picture a node gets follows from its test and from what is to be answered::

    test of            classes                         numbers
    a number           histogram stacked by class      counts of (value, outcome), means of the branches
    categories         a stacked bar for each value    a span of the outcome for each value
    anything else      a stacked bar for each branch   a span of the outcome for each branch
    (a leaf)           -                               the spread of its outcomes; its equation as a line
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hornbeam._base.types import Floats, Longs
from hornbeam.display.report.axes import Axis, axis_of, ends_text, numbers, rounded
from hornbeam.display.report.class_colours import colours, groups
from hornbeam.display.report.sample_rows import Sample
from hornbeam.tree import words
from hornbeam.tree.arrays import EQUALS, HYPERPLANE, INTERVALS, LEAF, THRESHOLD
from hornbeam.tree.words import UNICODE, branch_text

_MOST_BARS = 5
_ACROSS, _UP = 18, 9  # cells of a picture of two numbers
_POINTS = 200


class Pictures:
    """Draws the nodes of one sample."""

    def __init__(self, sample: Sample, *, rows: bool, seed: int) -> None:
        self.sample, self.tree, self.rows, self.seed = sample, sample.tree, rows, seed
        self._axes: dict[int, tuple[Axis, Longs, Longs]] = {}
        self.target = Axis.of(sample.axis_values(sample.outcome).astype(np.float64), bins=_UP)
        self._up = None if sample.values is None else self.target.bin_of(sample.values)
        shades = [] if sample.codes is None else colours(sample.counts[0])
        self._groups = groups(shades)
        # of each class the place of its colour in a stack; the last is for classes the tree does not know
        self._stacked = np.array([*(self._groups.index(shade) for shade in shades), -1], dtype=np.int64)

    def of(self, node: int) -> dict[str, Any] | None:
        """The picture of a node, None where there is nothing to see."""
        tree, (rows, weight) = self.tree, self.sample.at(node)
        if not len(rows):
            return None
        kind = int(tree.kind[node])
        if kind == LEAF:
            return self._leaf(node, rows, weight)
        column = tree.columns[int(tree.column[node])] if tree.column[node] >= 0 else None
        if kind == HYPERPLANE:
            return self._sum(node, rows, weight)
        if column is not None and column.kind == "numeric":
            cuts = tree.cuts(node).tolist() if kind == INTERVALS else [float(tree.threshold[node])]
            return self._cut(node, rows, weight, cuts)
        if column is not None:
            return self._values(node, rows, weight)
        return self._branches(node)

    # ---- numbers -------------------------------------------------------------------------------------------

    def axis(self, column: int) -> tuple[Axis, Longs, Longs]:
        """The axis of a column, and the bins of all rows: fine ones, and those of pictures of two numbers."""
        if column not in self._axes:
            array = self.sample.table.arrays[column]
            axis = axis_of(self.tree.columns[column], self.sample.axis_values(array))
            wide = Axis(axis.low, axis.high, _ACROSS)
            self._axes[column] = (axis, axis.bin_of(numbers(array)), wide.bin_of(numbers(array)))
        return self._axes[column]

    def _cut(self, node: int, rows: Longs, weight: Floats, cuts: list[float]) -> dict[str, Any]:
        number = int(self.tree.column[node])
        axis, fine, wide = self.axis(number)
        found: dict[str, Any] = {
            "cuts": [axis.place(cut) for cut in cuts if np.isfinite(cut)],
            "ends": ends_text(self.tree.columns[number], axis),
        }
        if self._up is None:
            return {"kind": "histogram", "bins": self._by_class(fine[rows], rows, weight, axis.bins)} | found
        values = numbers(self.sample.table.arrays[number][rows])
        return self._cloud(wide[rows], rows, weight, axis, values) | found | {"means": self._means(node)}

    def _sum(self, node: int, rows: Longs, weight: Floats) -> dict[str, Any]:
        """A hyperplane: the weighted sum is the number, on an axis of the node's own."""
        tree, total = self.tree, np.zeros(len(rows))
        for k in range(int(tree.plane_offset[node]), int(tree.plane_offset[node + 1])):
            column = self.sample.table.arrays[int(tree.plane_column[k])]
            total += tree.plane_weight[k] * numbers(column[rows])
        cut = float(tree.threshold[node])
        axis = Axis.of(total, low=cut, high=cut, bins=20 if self._up is None else _ACROSS)
        ends = [words.amount(axis.low), words.amount(axis.high)]
        found: dict[str, Any] = {"cuts": [axis.place(cut)], "ends": ends}
        if self._up is None:
            bins = self._by_class(axis.bin_of(total), rows, weight, axis.bins)
            return {"kind": "histogram", "bins": bins} | found
        return (
            self._cloud(axis.bin_of(total), rows, weight, axis, total) | found | {"means": self._means(node)}
        )

    def _by_class(self, place: Longs, rows: Longs, weight: Floats, bins: int) -> list[list[Any]]:
        """Counts by colour of classes, then by bin."""
        assert self.sample.codes is not None
        code, width = self._stacked[self.sample.codes[rows]], len(self._groups)
        known = (place >= 0) & (code >= 0)
        counted = np.bincount(code[known] * bins + place[known], weight[known], minlength=width * bins)
        return [rounded(line) for line in counted.reshape(width, bins)]

    def _cloud(self, place: Longs, rows: Longs, weight: Floats, axis: Axis, values: Floats) -> dict[str, Any]:
        """Outcome against a number: counts in cells, from below; with rows, up to 200 of them as points."""
        assert self._up is not None
        assert self.sample.values is not None
        known = place >= 0
        cell = self._up[rows[known]] * _ACROSS + place[known]
        counted = np.bincount(cell, weight[known], minlength=_UP * _ACROSS).reshape(_UP, _ACROSS)
        found: dict[str, Any] = {"kind": "cloud", "grid": [rounded(line) for line in counted]}
        if self.rows:
            chosen = np.flatnonzero(known)
            if len(chosen) > _POINTS:
                chosen = np.sort(np.random.default_rng(self.seed).choice(chosen, _POINTS, replace=False))
            y = self.sample.values[rows[chosen]].tolist()
            found["points"] = [
                [axis.place(a), self.target.place(b)] for a, b in zip(values[chosen].tolist(), y, strict=True)
            ]
        return found

    def _means(self, node: int) -> list[float]:
        """The answers of the branches, on the axis of the outcome."""
        answers = self.tree.answers()
        return [self.target.place(float(answers[child])) for child in self.tree.children(node)]

    # ---- categories and branches ---------------------------------------------------------------------------

    def _values(self, node: int, rows: Longs, weight: Floats) -> dict[str, Any]:
        tree, column = self.tree, self.tree.columns[int(self.tree.column[node])]
        codes = self.sample.table.arrays[int(tree.column[node])][rows]
        size = np.bincount(codes[codes >= 0], weight[codes >= 0], minlength=len(column.categories))
        there = np.flatnonzero(size > 0)
        ordered = column.kind == "ordinal"
        largest = there[np.argsort(-size[there], kind="stable")][:_MOST_BARS]
        branch = {int(code): self._branch_of(node, int(code)) for code in there}
        shown = sorted(
            largest.tolist(), key=lambda code: code if ordered else (branch[code], -size[code], code)
        )
        found: dict[str, Any] = {"kind": "bars", "more": len(there) - len(shown), "bars": []}
        for code in shown:
            here = codes == code
            found["bars"].append(
                {"text": column.word(code), "branch": branch[code]} | self._summary(rows[here], weight[here])
            )
        return found

    def _branch_of(self, node: int, code: int) -> int:
        """The branch a value takes."""
        tree, kind = self.tree, int(self.tree.kind[node])
        if kind == EQUALS:
            return int(code != int(tree.threshold[node]))
        if kind == THRESHOLD:
            return int(code > tree.threshold[node])
        if kind == INTERVALS:
            return int(np.searchsorted(tree.cuts(node), code))
        codes, branches = tree.value_map(node)
        place = int(np.searchsorted(codes, code))
        known = place < len(codes) and codes[place] == code
        return int(branches[place]) if known else int(tree.absent[node])

    def _branches(self, node: int) -> dict[str, Any]:
        children = list(self.tree.children(node))
        bars = [
            {"text": branch_text(self.tree, node, k, UNICODE), "branch": k}
            | self._summary(*self.sample.at(child))
            for k, child in enumerate(children[:_MOST_BARS])
        ]
        return {"kind": "bars", "more": len(children) - len(bars), "bars": bars}

    def _summary(self, rows: Longs, weight: Floats) -> dict[str, Any]:
        """The classes of some rows, or where their outcomes lie."""
        if self.sample.codes is None:
            return {"n": rounded([weight.sum()])[0], "span": self.span(rows, weight, (0.25, 0.5, 0.75))}
        code = self._stacked[self.sample.codes[rows]]
        known = code >= 0
        return {"counts": rounded(np.bincount(code[known], weight[known], minlength=len(self._groups)))}

    # ---- leaves of numbers ---------------------------------------------------------------------------------

    def span(self, rows: Longs, weight: Floats, levels: tuple[float, ...]) -> list[float]:
        """Quantiles of the outcomes, as places on their axis."""
        if not len(rows):
            return []
        return [self.target.place(q) for q in quantiles(self.sample.values[rows], weight, levels)]  # type: ignore[index]

    def _leaf(self, node: int, rows: Longs, weight: Floats) -> dict[str, Any] | None:
        if self.sample.values is None:
            return None
        model = self.tree.leaf_models.get(node)
        if model is None or not any("power" in term for term in model["terms"]):
            five = self.span(rows, weight, (0.0, 0.25, 0.5, 0.75, 1.0))
            return {"kind": "box", "five": five, "value": self.target.place(float(self.tree.answers()[node]))}
        return self._line(model, rows, weight)

    def _line(self, model: dict[str, Any], rows: Longs, weight: Floats) -> dict[str, Any]:
        """The equation along its strongest number; the other terms stand at the mean of the node's rows."""
        names = [column.name for column in self.tree.columns]
        number = names.index(strongest(model, self.sample, rows, weight)[0]["column"])
        axis, _, wide = self.axis(number)
        x = numbers(self.sample.table.arrays[number][rows])
        known = x[~np.isnan(x)]
        ends = (float(known.min()), float(known.max())) if len(known) else (axis.low, axis.high)
        straight = all(term.get("power", 1) == 1 for term in model["terms"])
        along = np.linspace(*ends, 2 if straight else 13)
        fixed, moving = model["intercept"], np.zeros(len(along))
        for term in model["terms"]:
            if term["column"] == names[number]:
                moving += term["coefficient"] * (along - term["center"]) ** term["power"]
            else:
                fixed += moments(term_values(self.sample, term, names, rows), weight)[0]
        y = np.clip(fixed + moving, model["low"], model["high"])
        line = [
            [axis.place(a), self.target.place(b)] for a, b in zip(along.tolist(), y.tolist(), strict=True)
        ]
        found = self._cloud(wide[rows], rows, weight, axis, x)
        column = self.tree.columns[number]
        return found | {"kind": "line", "line": line, "on": column.label, "ends": ends_text(column, axis)}


def term_values(sample: Sample, term: dict[str, Any], names: list[str], rows: Longs) -> Floats:
    """What one term of an equation adds for some rows."""
    number = names.index(term["column"])
    x = sample.table.arrays[number][rows]
    if "power" in term:
        values = numbers(x)
        added = term["coefficient"] * (values - term["center"]) ** term["power"]
        powers: Floats = np.where(np.isnan(values), term["gap"], added)
        return powers
    column = sample.tree.columns[number]
    inside = np.isin(x, [column.code_of[value] for value in term["values"]])
    found: Floats = np.where(x < 0, term["gap"], np.where(inside, term["coefficient"], 0.0))
    return found


def moments(values: Floats, weight: Floats) -> tuple[float, float]:
    """The mean and the variance of weighted values, the same for any order of the rows.

    >>> moments(np.array([3.0, 1.0]), np.array([1.0, 3.0]))
    (1.5, 0.75)
    """
    order = np.lexsort((weight, values))
    values, share = values[order], weight[order] / weight[order].sum()
    mean = float(share @ values)
    return mean, float(share @ (values - mean) ** 2)


def strongest(model: dict[str, Any], sample: Sample, rows: Longs, weight: Floats) -> list[dict[str, Any]]:
    """The terms of numbers, those that vary most over the rows first."""
    names = [column.name for column in sample.tree.columns]
    terms = [term for term in model["terms"] if "power" in term]
    spread = [moments(term_values(sample, term, names, rows), weight)[1] for term in terms]
    return [terms[k] for k in sorted(range(len(terms)), key=lambda k: (-spread[k], k))]


def quantiles(y: Floats, weight: Floats, levels: tuple[float, ...]) -> list[float]:
    """Weighted quantiles: the first value with at least the share of the weight at or below it.

    >>> quantiles(np.array([3.0, 1.0, 2.0]), np.ones(3), (0.0, 0.5, 1.0))
    [1.0, 2.0, 3.0]
    """
    order = np.argsort(y, kind="stable")
    below = np.cumsum(weight[order])
    places = np.searchsorted(below, np.array(levels) * below[-1] * (1 - 1e-12))
    return [float(v) for v in y[order][np.minimum(places, len(y) - 1)]]
