"""Arithmetic of doubles in SQL, where the result may leave their range.

SQLite, DuckDB and Spark answer as `predict` does: infinite above the range, 0 below it. PostgreSQL and MySQL
stop with an error. For these an operation that may leave the range is written with the test whether it does,
on operands scaled by powers of two, so that the test itself stays within the range and rounds alike.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping, Sequence

from hornbeam.data.columns import Column
from hornbeam.io.export.sql_dialects import SqlDialect
from hornbeam.tree.expressions.formulas import FormulaPart

_SMALLEST = 5e-324
LARGE = 2.0**940  # sums of powers above it count as infinite


def leaves_range(formula: FormulaPart, columns: Sequence[Column], sql: SqlDialect) -> bool:
    """Whether a sum, a difference or a product may leave the range of doubles in a dialect that stops there.

    >>> from hornbeam.io.export.sql_dialects import DIALECTS
    >>> x, half = FormulaPart("column", value=0), FormulaPart("number", value=0.5)
    >>> product, number = FormulaPart("Mult", (x, half)), [Column("x", "numeric")]
    >>> [leaves_range(product, number, DIALECTS[name]) for name in ("sqlite", "postgres", "mysql")]
    [False, True, False]
    """
    if formula.kind not in (ast.Add.__name__, ast.Sub.__name__, ast.Mult.__name__):
        return False
    (least_a, most_a), (least_b, most_b) = (magnitudes(part, columns) for part in formula.parts)
    if formula.kind == ast.Mult.__name__:
        low, high = least_a * least_b == 0, most_a * most_b == math.inf and min(most_a, most_b) > 1
        return (sql.underflow_fails and low) or (sql.overflow_fails and high)
    return sql.overflow_fails and min(most_a, most_b) > 2.0**900


def magnitudes(formula: FormulaPart, columns: Sequence[Column]) -> tuple[float, float]:
    """The smallest size, other than 0, and the largest that the value of an expression can have."""
    if formula.kind == "number":
        size = abs(float(formula.value))
        return (size or math.inf), size
    if formula.kind == "counted":
        return 1.0, 1.0
    if formula.kind == "negative":
        return magnitudes(formula.parts[0], columns)
    if formula.kind == "column" and columns[formula.value].kind != "numeric":
        return 1.0, float(len(columns[formula.value].categories))
    return _SMALLEST, math.inf


def scale_of(weights: Sequence[float], sql: SqlDialect) -> float:
    """A power of two by which to multiply a weighted sum, so that it stays within the range for any values.

    >>> from hornbeam.io.export.sql_dialects import DIALECTS
    >>> scale_of([3.0, -2.0], DIALECTS["postgres"]), scale_of([3.0, -2.0], DIALECTS["duckdb"])
    (0.0625, 1.0)
    """
    if not sql.overflow_fails:
        return 1.0
    _, exponent = math.frexp(math.fsum(abs(weight) / 16 for weight in weights))
    return 2.0 ** -max(exponent + 5, 0)


def weighted(weight: float, x: str, sql: SqlDialect) -> str:
    """A constant times a number, unknown if that is missing."""
    product = f"{sql.double(weight)} * {x}"
    if not sql.underflow_fails or abs(weight) >= 1 or weight == 0:
        return f"(CASE WHEN {x} <= {sql.infinite} THEN {product} END)"
    least = sql.double(smallest_factor(weight, 1))
    return (
        f"(CASE WHEN abs({x}) < {least} THEN {sql.double(0)} WHEN {x} <= {sql.infinite} THEN {product} END)"
    )


def smallest_factor(coefficient: float, power: int) -> float:
    """A number above which `coefficient * x ** power` is not rounded to 0.

    >>> smallest_factor(0.25, 1) * 0.25 > 0
    True
    """
    return max(_SMALLEST, math.exp2((-1073 - math.log2(abs(coefficient))) / power))


def largest_factor(power: int) -> float:
    """A number up to which `x ** power` is less than LARGE.

    >>> largest_factor(3) ** 3 < LARGE
    True
    """
    return math.exp2(math.log2(LARGE) / power) * (1 - 1e-12)


def beyond(power: int) -> float:
    """What stands for a power that is not less than LARGE, in a sum: the higher power decides."""
    return LARGE * 2.0 ** (8 * min(power, 8))


def _plus(a: str, b: str, sql: SqlDialect) -> str:
    return _sum(a, b, "+", sql)


def _minus(a: str, b: str, sql: SqlDialect) -> str:
    return _sum(a, b, "-", sql)


def _sum(a: str, b: str, sign: str, sql: SqlDialect) -> str:
    limit, quarter = sql.double(2.0**900), sql.double(0.25)
    beyond = f"abs({quarter} * {a} {sign} {quarter} * {b}) BETWEEN {sql.double(2.0**1022)} AND {_most(sql)}"
    cases = f"CASE WHEN {beyond} THEN sign({a}) * {sql.infinite} ELSE {a} {sign} {b} END"
    return f"(CASE WHEN abs({a}) > {limit} AND abs({b}) > {limit} THEN {cases} ELSE {a} {sign} {b} END)"


def _most(sql: SqlDialect) -> str:
    return sql.double(1.7976931348623157e308)


def _times(a: str, b: str, sql: SqlDialect) -> str:
    shrink, stretch, low = sql.double(2.0**-513), sql.double(2.0**511), sql.double(2.0**-540)
    large = f"abs({a} * {shrink} * ({b} * {shrink})) >= {sql.double(0.25)}"
    cases = f"WHEN abs({a}) > 1 AND abs({b}) > 1 THEN {_bounded(f'{a} * {b}', a, b, large, sql)}"
    if sql.underflow_fails:
        zero = sql.double(0)
        small = f"abs({a} * {stretch} * ({b} * {stretch})) <= {sql.double(2.0**-53)}"
        cases += f" WHEN abs({a}) < {low} AND abs({b}) < {low} THEN {zero}"
        cases += f" WHEN abs({a}) < 1 AND abs({b}) < 1 THEN CASE WHEN {small} THEN {zero} ELSE {a} * {b} END"
    return f"(CASE {cases} ELSE {a} * {b} END)"


def _bounded(text: str, a: str, b: str, large: str, sql: SqlDialect) -> str:
    return f"CASE WHEN {large} THEN sign({a}) * sign({b}) * {sql.infinite} ELSE {text} END"


def _divide(a: str, b: str, sql: SqlDialect) -> str:
    """Division as doubles do it: by zero it is infinite."""
    infinite = sql.infinite
    by_zero = f"CASE WHEN {a} > 0 AND {a} <= {infinite} THEN {infinite} WHEN {a} < 0 THEN -{infinite} END"
    quotient = f"{a} / ({sql.double(1)} * {b})"
    cases = f"WHEN {b} = 0 THEN {by_zero}"
    if sql.overflow_fails:
        large = f"abs({a}) * {sql.double(2.0**-513)} >= abs({b}) * {sql.double(2.0**511)}"
        possible = f"abs({a}) > {sql.double(2.0**-60)} AND abs({b}) < 1"
        cases += f" WHEN {possible} THEN {_bounded(quotient, a, b, large, sql)}"
    if sql.underflow_fails:
        small = f"abs({a}) * {sql.double(2.0**540)} <= abs({b}) * {sql.double(2.0**-535)}"
        zero = f"CASE WHEN {small} THEN {sql.double(0)} ELSE {quotient} END"
        cases += f" WHEN abs({a}) < 1 AND abs({b}) > 1 THEN {zero}"
    return f"(CASE {cases} ELSE {quotient} END)"


def _raise(a: str, b: str, sql: SqlDialect) -> str:
    """A power as doubles have it: unknown where it is no real number."""
    cases = f"WHEN {a} < 0 AND {b} <> floor({b}) THEN NULL WHEN {a} = 0 AND {b} < 0 THEN {sql.infinite}"
    limit = sql.double(1e20)  # an exponent of this size decides alone, unless the base is 1
    exponent = f"CASE WHEN {b} > {limit} THEN {limit} WHEN {b} < -{limit} THEN -{limit} ELSE {b} END"
    size = f"CASE WHEN {a} <> 0 THEN ({exponent}) * ln(abs({a})) END"
    if sql.overflow_fails:
        is_odd = f"{a} < 0 AND {b} * {sql.double(0.5)} <> floor({b} * {sql.double(0.5)})"
        signed = f"CASE WHEN {is_odd} THEN -{sql.infinite} ELSE {sql.infinite} END"
        cases += f" WHEN {size} > {sql.double(709.782712893384)} THEN {signed}"
    if sql.underflow_fails:
        cases += f" WHEN {size} < {sql.double(-745.1332191019411)} THEN {sql.double(0)}"
    return f"(CASE {cases} WHEN {a} <= {sql.infinite} AND {b} <= {sql.infinite} THEN pow({a}, {b}) END)"


CALLS: Mapping[str, Callable[[str, str, SqlDialect], str]] = {
    ast.Add.__name__: _plus,
    ast.Sub.__name__: _minus,
    ast.Mult.__name__: _times,
    ast.Div.__name__: _divide,
    ast.Pow.__name__: _raise,
}
