"""Equations of leaves in SQL: one sum for all leaves, added up in the order in which `predict` adds.

One idea: a leaf's coefficients are a row of a table, so that every term is written once, whatever the number
of leaves; a term that a leaf lacks is NULL in its row, and adds nothing. Databases take no expression nested
a thousand deep, so a very long sum is the sum of several.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter
from itertools import count, pairwise
from typing import NamedTuple

from hornbeam.io.export.leaf_equations import Equation, EquationTerm
from hornbeam.io.export.sql_arithmetic import LARGE, beyond, largest_factor, scale_of, smallest_factor
from hornbeam.io.export.sql_dialects import SqlDialect
from hornbeam.io.export.sql_tests import SqlTests
from hornbeam.io.export.tree_program import Program

_MOST = 400  # terms added up in one expression
_MOST_GAPS = 8  # terms of a nominal column that each say what a gap adds


_Numbers = dict[str, list[float | None]]


class _Slot(NamedTuple):
    """The place of a term in the sum; `again` tells apart terms that an equation has twice."""

    column: int
    power: int
    codes: tuple[int, ...]
    again: int


def sql_equations(program: Program, tests: SqlTests, *, follows_all: bool) -> list[str]:
    """Steps that end in hb_answers(hb_row, answer), for a program with equations."""
    sql = tests.sql
    step = f"AS{sql.materialized} (\n"
    several = "\n UNION ALL SELECT hb_row, leaf, weight FROM hb_counted" if follows_all else ""
    scale = _scale(program, tests)
    texts, tables = _write_sums(program, tests, scale)
    sums = ",\n".join(f"   {text} AS hb_total_{k}" for k, text in enumerate(texts))
    joins = "".join(
        f"\n LEFT JOIN hb_equations_{k} AS e{k} ON e{k}.node = r.hb_node" for k in range(len(tables))
    )
    total = " + ".join(f"s.hb_total_{k}" for k in range(len(texts)))
    if sql.overflow_fails:
        total = _unscaled(total, scale, program, sql)
    clipped = "CASE WHEN a.total < a.low THEN a.low WHEN a.total > a.high THEN a.high ELSE a.total END"
    return [
        f"hb_asked(hb_asker, hb_node, hb_share) AS (\n SELECT hb_row, hb_leaf, {sql.double(1)} FROM hb_rows"
        f" WHERE hb_leaf IS NOT NULL{several})",
        f"hb_pairs {step} SELECT a.*, r.* FROM hb_asked AS a JOIN hb_rows AS r ON r.hb_row = a.hb_asker)",
        *tables,
        f"hb_sums {step} SELECT r.hb_row, r.hb_node, r.hb_share, hb_low, hb_high,\n{sums}\n"
        f" FROM hb_pairs AS r{joins})",
        f"hb_totals(hb_row, leaf, weight, low, high, total) {step}"
        f" SELECT s.hb_row, s.hb_node, s.hb_share, s.hb_low, s.hb_high, {total} FROM hb_sums AS s)",
        f"hb_said(hb_row, weight, answer) {step}"
        f" SELECT a.hb_row, a.weight, CASE WHEN a.low IS NULL THEN l.p0 ELSE {clipped} END\n"
        " FROM hb_totals AS a JOIN hb_leaves AS l ON l.leaf = a.leaf)",
        "hb_answers(hb_row, answer) AS (\n"
        " SELECT hb_row, CASE WHEN count(*) = 1 THEN max(answer)"
        f" ELSE sum({_share(sql)}) / sum(weight) END\n FROM hb_said GROUP BY hb_row)",
    ]


def _scale(program: Program, tests: SqlTests) -> float:
    """By what the equations are multiplied, so that no sum of powers up to the largest double overflows."""
    return min(
        scale_of(
            [equation.intercept, *(n for t in equation.terms for n in (t.coefficient, t.gap))], tests.sql
        )
        for equation in program.equations.values()
    )


def _unscaled(total: str, scale: float, program: Program, sql: SqlDialect) -> str:
    """The sum of a scaled equation as that of the equation, infinite where that overflows."""
    most = LARGE if _has_powers(list(program.equations.values())) else 1.7976931348623157e308 * scale
    limit, infinite = sql.double(most), sql.infinite
    inside = f"WHEN abs({total}) <= {limit} THEN ({total}) * {sql.double(1 / scale)}"
    return f"CASE {inside} WHEN {total} > 0 THEN {infinite} ELSE -{infinite} END"


def _has_powers(equations: Sequence[Equation]) -> bool:
    """Whether there is more than a straight line: then terms above a limit count as infinite."""
    return any(term.power > 1 for equation in equations for term in equation.terms)


def _share(sql: SqlDialect) -> str:
    """What one of several leaves adds to the answer."""
    if not sql.overflow_fails:
        return "weight * answer"
    limit = sql.double(1e290)
    return f"CASE WHEN abs(answer) <= {limit} THEN weight * answer ELSE sign(answer) * {limit} END"


def _scaled(equation: Equation, scale: float) -> Equation:
    terms = (
        replace(term, coefficient=term.coefficient * scale, gap=term.gap * scale) for term in equation.terms
    )
    return replace(equation, intercept=equation.intercept * scale, terms=tuple(terms))


def _write_sums(program: Program, tests: SqlTests, scale: float) -> tuple[list[str], list[str]]:
    """The sum over all slots in pieces, and the tables of the numbers that each piece asks for."""
    sql, equations = tests.sql, [_scaled(equation, scale) for equation in program.equations.values()]
    placed = _place_terms([equation.terms for equation in equations])
    counts = Counter(slot.column for slot in placed if slot.power == 0)
    crowded = {column for column, times in counts.items() if times > _MOST_GAPS}
    bounded = sql.overflow_fails and _has_powers(equations)
    addends: list[tuple[str, _Numbers]] = []
    for k, (slot, by_equation) in enumerate(placed.items()):
        terms = [by_equation.get(place) for place in range(len(equations))]
        if slot.power:
            addends.append(_power_addend(tests, k, slot, terms, bounded=bounded))
            continue
        if slot.column in crowded and counts.pop(slot.column, 0):
            addends.append(_gap_addend(tests, k, slot.column, [equation.terms for equation in equations]))
        addends.append(_set_addend(tests, k, slot, terms, with_gaps=slot.column not in crowded))
    texts: list[str] = []
    tables: list[str] = []
    for start in range(0, max(len(addends), 1), _MOST):
        piece = addends[start : start + _MOST]
        numbers: _Numbers = {}
        if start == 0:
            numbers = {
                "hb_base": [equation.intercept for equation in equations],
                "hb_low": [equation.low for equation in equations],
                "hb_high": [equation.high for equation in equations],
            }
        for _, columns in piece:
            numbers |= columns
        first = sql.double(0) if start else "hb_base"
        texts.append("\n     + ".join([first, *(text for text, _ in piece)]))
        rows = list(zip(program.equations, *numbers.values(), strict=True))
        tables.append(sql.table(f"hb_equations_{len(tables)}", ["node", *numbers], rows))
    return texts, tables


def _place_terms(equations: Sequence[Sequence[EquationTerm]]) -> dict[_Slot, dict[int, EquationTerm]]:
    """Slot -> the term there of each equation that has one, in an order that suits all."""
    sequences = [list(_slots_of(terms)) for terms in equations]
    sorter: TopologicalSorter[_Slot] = TopologicalSorter()
    for sequence in sequences:
        for slot in sequence[:1]:
            sorter.add(slot)
        for before, after in pairwise(sequence):
            sorter.add(after, before)
    try:
        order = list(sorter.static_order())
    except CycleError:  # equations written by hand, in orders that contradict each other: nothing is shared
        number = count()
        sequences = [[slot._replace(again=next(number)) for slot in sequence] for sequence in sequences]
        order = [slot for sequence in sequences for slot in sequence]
    placed: dict[_Slot, dict[int, EquationTerm]] = {slot: {} for slot in order}
    for k, (sequence, terms) in enumerate(zip(sequences, equations, strict=True)):
        for slot, term in zip(sequence, terms, strict=True):
            placed[slot][k] = term
    return placed


def _slots_of(terms: Sequence[EquationTerm]) -> Iterator[_Slot]:
    counts: Counter[tuple[int, int, tuple[int, ...]]] = Counter()
    for term in terms:
        key = (term.column, term.power, term.codes)
        yield _Slot(*key, counts[key])
        counts[key] += 1


def _power_addend(
    tests: SqlTests, k: int, slot: _Slot, terms: Sequence[EquationTerm | None], *, bounded: bool
) -> tuple[str, _Numbers]:
    """A coefficient times a power, or what a gap adds."""
    numbers: _Numbers = {
        f"hb_c{k}": [None if term is None else term.coefficient for term in terms],
        f"hb_g{k}": [None if term is None else term.gap for term in terms],
    }
    centers = {term.center for term in terms if term is not None}
    center = tests.sql.double(min(centers))
    if len(centers) > 1:
        center = f"hb_m{k}"
        numbers[center] = [None if term is None else term.center for term in terms]
    x = tests.value(slot.column)
    step = f"({x} - {center})"
    text = f"hb_c{k}" + f" * {step}" * slot.power
    cases = "".join(_cases_out_of_range(tests.sql, f"hb_c{k}", step, slot.power, terms, bounded=bounded))
    if cases:
        text = f"CASE{cases} ELSE {text} END"
    text = f"CASE WHEN {x} <= {tests.sql.infinite} THEN {text} ELSE hb_g{k} END"
    return _or_zero(tests, text, terms), numbers


def _cases_out_of_range(
    sql: SqlDialect,
    coefficient: str,
    step: str,
    power: int,
    terms: Sequence[EquationTerm | None],
    *,
    bounded: bool,
) -> Iterator[str]:
    """What a coefficient times a power of `step` is where the database would stop with an error."""
    if bounded:
        signs = f"sign({coefficient})" + f" * sign({step})" * power
        large = sql.double(largest_factor(power))
        yield f" WHEN abs({step}) > {large} THEN {signs} * {sql.double(beyond(power))}"
    sizes = [abs(term.coefficient) for term in terms if term is not None and term.coefficient]
    if sql.underflow_fails and sizes:
        small = sql.double(smallest_factor(min(sizes), power))
        yield f" WHEN abs({step}) < {small} THEN {sql.double(0)}"


def _set_addend(
    tests: SqlTests, k: int, slot: _Slot, terms: Sequence[EquationTerm | None], *, with_gaps: bool
) -> tuple[str, _Numbers]:
    """A coefficient if the value is one of some; what a gap adds, unless that is an addend of its own."""
    zero, inside = tests.sql.double(0), tests.among(slot.column, slot.codes)
    numbers: _Numbers = {f"hb_c{k}": [None if term is None else term.coefficient for term in terms]}
    if not with_gaps:
        return _or_zero(tests, f"CASE WHEN {inside} THEN hb_c{k} ELSE {zero} END", terms), numbers
    numbers[f"hb_g{k}"] = [None if term is None else term.gap for term in terms]
    every = range(len(tests.tree.columns[slot.column].categories))
    outside = tests.among(slot.column, [code for code in every if code not in slot.codes])
    text = f"CASE WHEN {inside} THEN hb_c{k} WHEN {outside} THEN {zero} ELSE hb_g{k} END"
    return _or_zero(tests, text, terms), numbers


def _gap_addend(
    tests: SqlTests, k: int, column: int, equations: Sequence[Sequence[EquationTerm]]
) -> tuple[str, _Numbers]:
    """What all terms of a nominal column add together where its value is missing or was never seen."""
    every = range(len(tests.tree.columns[column].categories))
    gaps = [sum(t.gap for t in terms if t.column == column and t.power == 0) for terms in equations]
    text = f"CASE WHEN {tests.among(column, every)} THEN {tests.sql.double(0)} ELSE hb_g{k} END"
    return f"({text})", {f"hb_g{k}": [float(gap) for gap in gaps]}


def _or_zero(tests: SqlTests, text: str, terms: Sequence[EquationTerm | None]) -> str:
    """A leaf that lacks the term adds nothing."""
    return f"coalesce({text}, {tests.sql.double(0)})" if None in terms else f"({text})"
