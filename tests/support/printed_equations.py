"""A reader of printed equations: `-330 + 6*bmi - 0.9*"x - y" + (3 if city = Brno, 5 if city = Cheb)`.

Written from what people see, as `printed_conditions` is. A row has no missing values.
"""

from __future__ import annotations

import re

from tests.support.printed_conditions import (
    ConditionReader,
    Row,
    inside_brackets,
    outside_quotes,
    plain,
    split_outside,
)

_BOUNDS = re.compile(r"(?:within (\S+) to (\S+)|at least (\S+)|at most (\S+))")
_FACTOR = re.compile(r"([\d.]+(?:e[-+]?\d+)?)\*(?=.)")
_POWER = re.compile(r"(.*)\^(\d)", re.DOTALL)
_SHIFTED = re.compile(r"\((.*) ([-+]) (\S+)\)", re.DOTALL)


def printed_answer(text: str, reader: ConditionReader, row: Row) -> float:
    """What a printed equation answers for a row."""
    equation, *said = split_outside(text, "  ")
    low, high = -float("inf"), float("inf")
    if said:
        found = _BOUNDS.fullmatch(said[0])
        low = float(found[1] or found[3] or low)
        high = float(found[2] or found[4] or high)
    signs = [
        place
        for place, depth in outside_quotes(equation)
        if depth == 0 and equation[place : place + 3] in (" + ", " - ")
    ]
    total = float(equation[: signs[0]] if signs else equation)
    for start, end in zip(signs, [*signs[1:], None], strict=True):
        value = _term(equation[start + 3 : end], reader, row)
        total += -value if equation[start + 1] == "-" else value
    return min(max(total, low), high)


def _term(text: str, reader: ConditionReader, row: Row) -> float:
    factor = _FACTOR.match(text)
    name, size = (text[factor.end() :], float(factor[1])) if factor else (text, 1.0)
    clauses = inside_brackets(text)
    if clauses is not None and " if " in clauses:
        return sum(_clause(clause, reader, row) for clause in _split_clauses(clauses))
    power = _POWER.fullmatch(name)
    name, times = (power[1], int(power[2])) if power else (name, 1)
    shift = _SHIFTED.fullmatch(name)
    name, origin = (shift[1], float(shift[2] + shift[3])) if shift else (name, 0.0)
    return size * (float(row[plain(name)]) + origin) ** times


def _split_clauses(text: str) -> list[str]:
    """`3 if city = Brno, 5 if city in {Cheb, Graz}` at the commas that stand in no braces."""
    parts, start, braces = [], 0, 0
    for place, depth in outside_quotes(text):
        braces += (text[place] == "{") - (text[place] == "}")
        if depth == 0 and braces == 0 and text.startswith(", ", place):
            parts.append(text[start:place])
            start = place + 2
    return [*parts, text[start:]]


def _clause(text: str, reader: ConditionReader, row: Row) -> float:
    size, _, condition = text.partition(" if ")
    return float(size) if reader.holds(condition, row) else 0.0
