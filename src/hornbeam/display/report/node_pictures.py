"""What the rows of a node look like where it splits them, as numbers to be drawn.

One idea: a picture is counts and places between 0 and 1, never rows, unless rows were asked for. Which
picture a node gets follows from its test and from what is to be answered::

    test of            classes                         numbers
    a number           histogram stacked by class      counts of (value, outcome), means of the branches
    categories         a stacked bar for each value    a span of the outcome for each value
    anything else      a stacked bar for each branch   a span of the outcome for each branch
    (a leaf)           -                               the spread of its outcomes; its equation as a line

Of survival the outcome is the time observed, the mean of a branch its median survival, and a leaf its curve.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hornbeam._base.types import Floats, Longs
from hornbeam.data.formatting import number_text, visible
from hornbeam.display.drawing.palette import class_shades, stacking_order
from hornbeam.display.report.column_facts import Axis, axis_of, ends_text, rounded, rounded_count
from hornbeam.display.rows_at_nodes import RowsAtNodes, count_cells
from hornbeam.tree import equations
from hornbeam.tree.answers import weighted_quantiles
from hornbeam.tree.arrays import HYPERPLANE, LEAF
from hornbeam.tree.branches import branches_of_codes, to_numbers
from hornbeam.tree.survival_curves import curve_of, some_places
from hornbeam.tree.words import UNICODE, branch_text

_MOST_BARS = 5
_ACROSS, _UP = 18, 9  # cells of a picture of two numbers
_POINTS = 200


class NodePictures:
    """Draws the nodes of a tree with some rows; `show_rows` if single rows may be points."""

    def __init__(self, sample: RowsAtNodes, *, show_rows: bool, seed: int) -> None:
        self.sample, self.tree, self.show_rows, self.seed = sample, sample.tree, show_rows, seed
        self._axes: dict[int, tuple[Axis, Longs, Longs]] = {}
        assert sample.outcome is not None
        self.values = sample.values
        outcome = sample.axis_values(sample.outcome).astype(np.float64)
        if sample.tree.task.is_survival and sample.values is not None:  # negative where censored
            self.values, outcome = np.abs(sample.values), np.abs(outcome)
        self.target = Axis.of(outcome, bins=_UP)
        self._up = None if self.values is None else self.target.bin_of(self.values)
        shades = [] if sample.codes is None else class_shades(sample.counts[0])
        self._stack = stacking_order(shades)
        # of each class the place of its colour in a stack; the last is for classes the tree does not know
        self._place_in_stack = np.array([*(self._stack.index(shade) for shade in shades), -1], dtype=np.int64)

    def of(self, node: int) -> dict[str, Any] | None:
        """Return the picture of a node, None where there is nothing to see."""
        tree, (rows, weight) = self.tree, self.sample.at(node)
        if not len(rows):
            return None
        kind, column = int(tree.kind[node]), int(tree.column[node])
        if kind == LEAF:
            return self._leaf(node, rows, weight)
        if kind == HYPERPLANE:  # the weighted sum is the number, on an axis of the node's own
            total, cut = self.sample.weighted_sum(node, node), float(tree.threshold[node])
            axis = Axis.of(total, low=cut, high=cut, bins=20 if self._up is None else _ACROSS)
            place = axis.bin_of(total)
            return self._cut(node, axis, axis.ends, place, place, total)
        if column < 0:
            return self._branches(node)
        if tree.columns[column].kind != "numeric":
            return self._values(node, rows, weight)
        axis, fine, wide = self.axis(column)
        values = to_numbers(self.sample.table.arrays[column][rows])
        ends = ends_text(tree.columns[column], axis)
        return self._cut(node, axis, ends, fine[rows], wide[rows], values)

    # ---- numbers -------------------------------------------------------------------------------------------

    def axis(self, column: int) -> tuple[Axis, Longs, Longs]:
        """Return the axis of a column, and the bins of all rows: fine ones, and those of a cloud."""
        if column not in self._axes:
            array = self.sample.table.arrays[column]
            axis = axis_of(self.tree.columns[column], self.sample.axis_values(array))
            wide = Axis(axis.low, axis.high, _ACROSS)
            self._axes[column] = (axis, axis.bin_of(to_numbers(array)), wide.bin_of(to_numbers(array)))
        return self._axes[column]

    def _cut(
        self, node: int, axis: Axis, ends: list[str], fine: Longs, wide: Longs, values: Floats
    ) -> dict[str, Any]:
        """A test by size: a histogram of classes, or outcomes against the number and the branches' means."""
        rows, weight = self.sample.at(node)
        cuts = [axis.place(cut) for cut in self.tree.cuts(node).tolist() if np.isfinite(cut)]
        cut_facts = {"cuts": cuts, "ends": ends}
        if self._up is None:
            return {"kind": "histogram", "bins": self._by_class(fine, rows, weight, axis.bins)} | cut_facts
        middles = self._medians(node) if self.tree.task.is_survival else self.tree.answers()
        means = [self.target.place(float(middles[child])) for child in self.tree.children(node)]
        return self._cloud(wide, rows, weight, axis, values) | cut_facts | {"means": means}

    def _medians(self, node: int) -> dict[int, float]:
        """The median survival of the branches of a node; the last time of all where it is not known."""
        known = {child: curve_of(self.tree, child).quantile() for child in self.tree.children(node)}
        return {child: min(median, self.target.high) for child, median in known.items()}

    def _by_class(self, place: Longs, rows: Longs, weight: Floats, bins: int) -> list[list[Any]]:
        """Counts by colour of classes, then by bin."""
        assert self.sample.codes is not None
        stack, height = self._place_in_stack[self.sample.codes[rows]], len(self._stack)
        known = (place >= 0) & (stack >= 0)
        counts = count_cells(stack[known], place[known], weight[known], (height, bins))
        return [rounded(line) for line in counts]

    def _cloud(self, place: Longs, rows: Longs, weight: Floats, axis: Axis, values: Floats) -> dict[str, Any]:
        """Outcome against a number: counts in cells, from below; with rows, up to 200 of them as points."""
        assert self._up is not None
        assert self.values is not None
        known = place >= 0
        counts = count_cells(self._up[rows[known]], place[known], weight[known], (_UP, _ACROSS))
        cloud: dict[str, Any] = {"kind": "cloud", "grid": [rounded(line) for line in counts]}
        if self.show_rows:
            chosen = np.flatnonzero(known)
            if len(chosen) > _POINTS:
                chosen = np.sort(np.random.default_rng(self.seed).choice(chosen, _POINTS, replace=False))
            cloud["points"] = self._places(axis, values[chosen], self.values[rows[chosen]])
        return cloud

    def _places(self, axis: Axis, x: Floats, y: Floats) -> list[list[float]]:
        return [[axis.place(a), self.target.place(b)] for a, b in zip(x.tolist(), y.tolist(), strict=True)]

    # ---- categories and branches ---------------------------------------------------------------------------

    def _values(self, node: int, rows: Longs, weight: Floats) -> dict[str, Any]:
        tree, column = self.tree, self.tree.columns[int(self.tree.column[node])]
        codes = self.sample.table.arrays[int(tree.column[node])][rows]
        size = np.bincount(codes[codes >= 0], weight[codes >= 0], minlength=len(column.categories))
        there = np.flatnonzero(size > 0)
        largest = there[np.argsort(-size[there], kind="stable")][:_MOST_BARS].tolist()
        branch = branches_of_codes(tree, node)
        is_ordered = column.kind == "ordinal"
        shown = sorted(largest, key=lambda code: code if is_ordered else (branch[code], -size[code], code))
        bars = [
            {"text": column.word(code), "branch": branch[code]}
            | self._summary(rows[codes == code], weight[codes == code])
            for code in shown
        ]
        return {"kind": "bars", "more": len(there) - len(shown), "bars": bars}

    def _branches(self, node: int) -> dict[str, Any]:
        children = list(self.tree.children(node))
        bars = [
            {"text": branch_text(self.tree, node, k, UNICODE, brief=True), "branch": k}
            | self._summary(*self.sample.at(child))
            for k, child in enumerate(children[:_MOST_BARS])
        ]
        return {"kind": "bars", "more": len(children) - len(bars), "bars": bars}

    def _summary(self, rows: Longs, weight: Floats) -> dict[str, Any]:
        """The classes of some rows, or where their outcomes lie."""
        if self.sample.codes is None:
            return {"n": rounded_count(weight.sum()), "span": self._span(rows, weight, (0.25, 0.5, 0.75))}
        stack = self._place_in_stack[self.sample.codes[rows]]
        known = stack >= 0
        return {"counts": rounded(np.bincount(stack[known], weight[known], minlength=len(self._stack)))}

    # ---- leaves of numbers ---------------------------------------------------------------------------------

    def _span(self, rows: Longs, weight: Floats, levels: tuple[float, ...]) -> list[float]:
        """Quantiles of the outcomes, as places on their axis."""
        assert self.values is not None
        if not len(rows):
            return []
        return [self.target.place(q) for q in weighted_quantiles(self.values[rows], weight, levels)]

    def _leaf(self, node: int, rows: Longs, weight: Floats) -> dict[str, Any] | None:
        if self.values is None:
            return None
        if self.tree.task.is_survival:
            return self._survival(node)
        model = self.tree.leaf_models.get(node)
        if model is None or not any("power" in term for term in model["terms"]):
            five = self._span(rows, weight, (0.0, 0.25, 0.5, 0.75, 1.0))
            return {"kind": "box", "five": five, "value": self.target.place(float(self.tree.answers()[node]))}
        return self._line(node, model, rows, weight)

    def _survival(self, node: int) -> dict[str, Any]:
        """The survival curve, from the time 0 to the last one that was observed."""
        curve = curve_of(self.tree, node)
        steps, height = [[0.0, 1.0]], 1.0
        survival = curve.survival()
        for place in some_places(len(curve.time)):
            along, height = float(curve.time[place]) / self.target.high, float(survival[place])
            steps += [[along, steps[-1][1]], [along, height]]
        line = [[round(x, 4), round(y, 4)] for x, y in [*steps, [1.0, height]]]
        ends = ["0", number_text(self.target.high)]
        return {"kind": "line", "grid": [[0] * _ACROSS] * _UP, "line": line, "on": "time", "ends": ends}

    def _line(self, node: int, model: dict[str, Any], rows: Longs, weight: Floats) -> dict[str, Any]:
        """The equation along its strongest number; the other terms stand at the mean of the node's rows."""
        name = strongest_terms(self.sample, node)[0]["column"]
        number = [column.name for column in self.tree.columns].index(name)
        axis, _, wide = self.axis(number)
        x = to_numbers(self.sample.table.arrays[number][rows])
        known = x[~np.isnan(x)]
        ends = (float(known.min()), float(known.max())) if len(known) else (axis.low, axis.high)
        is_straight = all(term.get("power", 1) == 1 for term in model["terms"])
        along = np.linspace(*ends, 2 if is_straight else 13)
        fixed, moving = model["intercept"], np.zeros(len(along))
        for term, added in zip(model["terms"], term_values(self.sample, node), strict=True):
            if term["column"] == name:
                moving += term["coefficient"] * (along - term["center"]) ** term["power"]
            else:
                fixed += mean_and_variance(added, weight)[0]
        y = np.clip(fixed + moving, model["low"], model["high"])
        column = self.tree.columns[number]
        return self._cloud(wide[rows], rows, weight, axis, x) | {
            "kind": "line",
            "line": self._places(axis, along, y),
            "on": visible(column.name),
            "ends": ends_text(column, axis),
        }


def mean_and_variance(values: Floats, weight: Floats) -> tuple[float, float]:
    """Return the mean and the variance of weighted values, the same for any order of the rows.

    >>> mean_and_variance(np.array([3.0, 1.0]), np.array([1.0, 3.0]))
    (1.5, 0.75)
    """
    order = np.lexsort((weight, values))
    values, share = values[order], weight[order] / weight[order].sum()
    mean = float(share @ values)
    return mean, float(share @ (values - mean) ** 2)


def term_values(sample: RowsAtNodes, node: int) -> list[Floats]:
    """Return what each term of a node's equation adds for the rows at the node."""
    tree, rows = sample.tree, sample.at(node)[0]
    columns = [(t, sample.table.arrays[int(tree.term_column[t])]) for t in equations.terms_of(tree, node)]
    return [equations.term_values(tree, t, column[rows]) for t, column in columns]


def strongest_terms(sample: RowsAtNodes, node: int) -> list[dict[str, Any]]:
    """Return the terms of numbers in a node's equation, those that vary most over its rows first."""
    weight = sample.at(node)[1]
    terms = zip(sample.tree.leaf_models[node]["terms"], term_values(sample, node), strict=True)
    varying = [(mean_and_variance(added, weight)[1], term) for term, added in terms if "power" in term]
    return [term for _, term in sorted(varying, key=lambda pair: -pair[0])]
