"""The small language of expressions: what it says, what a gap does, and what it refuses."""

import numpy as np
import pytest

from hornbeam.data.columns import Column
from hornbeam.tree.expressions.language import Expression

COLUMNS = (
    Column("x", "numeric"),
    Column("y", "numeric"),
    Column("head", "nominal", ("circle", "square")),
    Column("body", "nominal", ("square", "triangle")),
    Column("size", "ordinal", ("S", "M", "L")),
    Column("petal width", "numeric"),
    Column("windy", "nominal", (False, True)),
    Column("digit", "nominal", (0, 1, 7)),
)
ARRAYS = (
    np.array([1.0, 2.0, np.nan]),
    np.array([3.0, -1.0, 0.0], dtype=np.float32),
    np.array([0, 1, -1], dtype=np.int32),
    np.array([0, 0, 1], dtype=np.int32),
    np.array([0, 1, 2], dtype=np.int32),
    np.array([0.5, 1.5, 2.5]),
    np.array([0, 1, -1], dtype=np.int32),
    np.array([0, 1, 2], dtype=np.int32),
)


def value(text: str) -> str:
    """One letter a row: T(rue), F(alse) or ? (missing)."""
    true, missing = Expression.parse(text).evaluate(COLUMNS, ARRAYS)
    return "".join("?" if m else "T" if t else "F" for t, m in zip(true, missing, strict=True))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x + y > 2", "TF?"),
        ("2 * x - y / 2 <= 0.5", "TF?"),
        ("x ** 2 == 4", "FT?"),
        ("-y < 0", "TFF"),
        ("0 < y <= 3", "TFF"),
        ("1 < x", "FT?"),
        ("`petal width` > 1", "FTT"),
        ("head == 'square'", "FT?"),
        ("'square' != head", "TF?"),
        ("head == body", "FT?"),
        ("head != body", "TF?"),
        ("size <= 'M'", "TTF"),
        ("'S' < size", "FTT"),
        ("size in ('S', 'L')", "TFT"),
        ("size not in ('S', 'L')", "FTF"),
        ("windy", "FT?"),
        ("windy == True", "FT?"),
        ("not windy", "TF?"),
        ("digit == 7 or digit in (0,)", "TFT"),
        ("x > 5 and y > 1", "FFF"),
        ("2 * (head == 'square') + (size in ('S', 'M')) - 0.5 * (not windy) > 1", "FT?"),
        ("(y > 0) + (size == 'M') == 1", "TTF"),
        ("x > 0 and y >= 0", "TF?"),
        ("x > 5 or y == 0", "FFT"),
        ("not (x > 1 or y > 1)", "FF?"),
        ("x / (y - 3) > 0", "TF?"),
        ("y / y > 0", "TT?"),
    ],
)
def test_expressions_mean_what_they_say(text, expected):
    assert value(text) == expected


def test_columns_are_listed_in_order_of_appearance():
    expression = Expression.parse("`petal width` > x and not (y == x)")
    assert expression.columns_in(COLUMNS) == (5, 0, 1)
    assert expression.column_names == ("petal width", "x", "y")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "must be a text"),
        ("x +", "cannot be read"),
        ("x", "must be true or false"),
        ("x + 1", "must be true or false"),
        ("z > 1", "names the column 'z', but the columns are 'x'"),
        ("head > 'circle'", "orders the values of 'head', which is nominal"),
        ("head == 'cicle'", "compares 'head' with 'cicle', but its values are 'circle', 'square'"),
        ("head + 1 > 2", "calculates with column 'head'"),
        ("'a' * 3 == x", "calculates with 'a'"),
        ("x == 'a'", "values of different kinds"),
        ("head == x", "compares the categories of 'head' with numbers"),
        ("size < head", "orders two columns of categories"),
        ("x in y", "after 'in' write the values in brackets"),
        ("x is 1", "not part of the language"),
        ("1 < 2", "names no column"),
        ("__import__('os').system('true')", "not part of the language"),
        ("x.real > 1", "not part of the language"),
        ("(lambda: 1)() > x", "not part of the language"),
        ("[v for v in (1, 2)] == x", "not part of the language"),
        ("x > 1j", "not part of the language"),
        ("(x, y) == (1, 2)", "not part of the language"),
        ("x if y else x", "not part of the language"),
        ("(x := 1) > y", "not part of the language"),
        ("x > 1" + "0" * 400, "too large to calculate with"),
        ("+".join(["x"] * 1000) + " > 1", "nested more than 200 deep"),
        ("x > " + "1" * 300_000, "too long"),
    ],
)
def test_everything_else_is_refused_with_a_sentence(text, sentence):
    with pytest.raises(ValueError, match=sentence):
        Expression.parse(text).check(COLUMNS)


def test_a_division_by_zero_without_a_limit_counts_as_missing():
    columns = (Column("x", "numeric"),)
    true, missing = Expression.parse("x / x > 1").evaluate(columns, [np.zeros(1)])
    assert (true.tolist(), missing.tolist()) == ([False], [True])
