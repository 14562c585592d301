"""Indicators: whether a nominal column has a value, 1 or 0, as a term of a sum.

One idea: an indicator is one more number of a row, so sums with it are searched like any others. A Tree keeps
such a sum as an expression, ``x1 + 2 * (colour in ('red', 'blue')) <= 3``, which every reader of trees knows.
"""

from __future__ import annotations

import numpy as np

from hornbeam.growing.candidates.node_splits import (
    EqualsSplit,
    ExpressionSplit,
    PlaneSplit,
    Split,
    ThresholdSplit,
)
from hornbeam.growing.stepwise_growth import Growth
from hornbeam.tree.expressions.from_tree import is_expressible, name_text, value_text
from hornbeam.tree.expressions.language import Expression


def indicators_of(growth: Growth) -> tuple[tuple[int, int], ...]:
    """(column, code) of every value that some row has; of two values the second alone, since it says all."""
    found = []
    for number, column in enumerate(growth.columns):
        if column.kind == "nominal" and is_expressible(column):
            codes = np.unique(growth.arrays[number])
            codes = codes[codes >= 0]
            found += [(number, int(code)) for code in (codes[1:] if len(codes) == 2 else codes)]
    return tuple(found)


def written(growth: Growth, split: Split | None) -> Split | None:
    """The split as a Tree can keep it: a sum with indicators as an expression, one of them as a value."""
    first = len(growth.columns)
    if isinstance(split, ThresholdSplit) and split.column >= first:
        return EqualsSplit(*growth.indicators[split.column - first])
    if isinstance(split, PlaneSplit) and max(split.tested) >= first:
        expression = Expression.parse(_text(growth, split))
        return ExpressionSplit(expression, expression.columns_in(growth.columns))
    return split


def _text(growth: Growth, split: PlaneSplit) -> str:
    """A sum up to its threshold; values of one column that weigh the same stand together."""
    terms: dict[tuple[int, float], list[int]] = {}
    first = len(growth.columns)
    for tested, weight in zip(split.tested, split.weights, strict=True):
        column, code = (tested, -1) if tested < first else growth.indicators[tested - first]
        terms.setdefault((column, weight), []).append(code)
    if len(terms) == 1:  # values of one column that weigh the same: the sum is above where one of them is
        (((column, _), codes),) = terms.items()
        return f"not {_term(growth, column, codes)}"
    text = ""
    for (column, weight), codes in terms.items():
        sign = ("-" if weight < 0 else "") if not text else (" - " if weight < 0 else " + ")
        factor = "" if abs(weight) == 1 else f"{abs(weight)!r} * "
        text += sign + factor + _term(growth, column, codes)
    return f"{text} <= {split.threshold!r}"


def _term(growth: Growth, number: int, codes: list[int]) -> str:
    column = growth.columns[number]
    name = name_text(column.name)
    if codes == [-1]:
        return name
    values = [value_text(column.categories[code]) for code in codes]
    return f"({name} == {values[0]})" if len(values) == 1 else f"({name} in ({', '.join(values)}))"
