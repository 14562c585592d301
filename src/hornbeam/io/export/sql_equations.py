"""Equations of leaves in SQL: one sum for all leaves, added up in the order in which `predict` adds.

One idea: a leaf's coefficients are a row of a table, so that every term is written once, whatever the number
of leaves; a term that a leaf lacks is NULL in its row, and adds nothing. Databases take no expression nested
a thousand deep, so a very long sum is the sum of several.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from graphlib import CycleError, TopologicalSorter
from itertools import count, pairwise
from typing import NamedTuple

from hornbeam.io.export.leaf_equations import EquationTerm
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
    texts, tables = _write_sums(program, tests)
    sums = ",\n".join(f"   {text} AS hb_total_{k}" for k, text in enumerate(texts))
    joins = "".join(
        f"\n LEFT JOIN hb_equations_{k} AS e{k} ON e{k}.node = r.hb_node" for k in range(len(tables))
    )
    total = " + ".join(f"s.hb_total_{k}" for k in range(len(texts)))
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
        " ELSE sum(weight * answer) / sum(weight) END\n FROM hb_said GROUP BY hb_row)",
    ]


def _write_sums(program: Program, tests: SqlTests) -> tuple[list[str], list[str]]:
    """The sum over all slots in pieces, and the tables of the numbers that each piece asks for."""
    sql, equations = tests.sql, list(program.equations.values())
    placed = _place_terms([equation.terms for equation in equations])
    counts = Counter(slot.column for slot in placed if slot.power == 0)
    crowded = {column for column, times in counts.items() if times > _MOST_GAPS}
    addends: list[tuple[str, _Numbers]] = []
    for k, (slot, by_equation) in enumerate(placed.items()):
        terms = [by_equation.get(place) for place in range(len(equations))]
        if slot.power:
            addends.append(_power_addend(tests, k, slot, terms))
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
    tests: SqlTests, k: int, slot: _Slot, terms: Sequence[EquationTerm | None]
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
    step = f" * ({x} - {center})"
    text = f"CASE WHEN {x} <= {tests.sql.infinite} THEN hb_c{k}{step * slot.power} ELSE hb_g{k} END"
    return _or_zero(tests, text, terms), numbers


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
