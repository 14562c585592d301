"""Equations of leaves in SQL: added up in the order `predict` adds them, for every leaf that a row reaches.

One idea: a CASE over the leaf picks the sum. Databases take no expression nested a thousand deep, so a very
long sum is the sum of several.
"""

from __future__ import annotations

from hornbeam.io.export.leaf_equations import EquationTerm
from hornbeam.io.export.literals import sql_number
from hornbeam.io.export.sql_tests import SqlTests
from hornbeam.io.export.tree_program import Program

_MOST = 400  # terms added up in one expression


def sql_equations(program: Program, tests: SqlTests, *, follows_all: bool) -> list[str]:
    """Steps that end in hb_answers(hb_row, answer), for a program with equations."""
    several = "\n UNION ALL SELECT hb_row, leaf, weight FROM hb_counted" if follows_all else ""
    parts = [
        "hb_asked(hb_asker, hb_node, hb_share) AS (\n SELECT hb_row, hb_leaf, 1e0 FROM hb_rows"
        f" WHERE hb_leaf IS NOT NULL{several})",
        "hb_pairs AS MATERIALIZED (\n"
        " SELECT a.*, r.* FROM hb_asked AS a JOIN hb_rows AS r ON r.hb_row = a.hb_asker)",
    ]
    longest = max(len(equation.terms) for equation in program.equations.values())
    starts = range(0, max(longest, 1), _MOST)
    sums = ",\n".join(f"   {_sum(program, tests, start)} AS hb_total_{k}" for k, start in enumerate(starts))
    total = " + ".join(f"s.hb_total_{k}" for k in range(len(starts)))
    parts += [
        f"hb_sums AS MATERIALIZED (\n SELECT r.hb_row, r.hb_node, r.hb_share,\n{sums}\n FROM hb_pairs AS r)",
        "hb_totals(hb_row, leaf, weight, total) AS MATERIALIZED (\n"
        f" SELECT s.hb_row, s.hb_node, s.hb_share, {total} FROM hb_sums AS s)",
    ]
    bounds = ",\n".join(
        f"  ({leaf}, {sql_number(equation.low)}, {sql_number(equation.high)})"
        for leaf, equation in program.equations.items()
    )
    kept = "CASE WHEN a.total < b.low THEN b.low WHEN a.total > b.high THEN b.high ELSE a.total END"
    return [
        *parts,
        f"hb_bounds(leaf, low, high) AS (VALUES\n{bounds})",
        "hb_said(hb_row, weight, answer) AS MATERIALIZED (\n"
        f" SELECT a.hb_row, a.weight, CASE WHEN b.leaf IS NULL THEN l.p0 ELSE {kept} END\n"
        " FROM hb_totals AS a JOIN hb_leaves AS l ON l.leaf = a.leaf\n"
        " LEFT JOIN hb_bounds AS b ON b.leaf = a.leaf)",
        "hb_answers(hb_row, answer) AS (\n"
        " SELECT hb_row, CASE WHEN count(*) = 1 THEN max(answer)"
        " ELSE sum(weight * answer) / sum(weight) END\n FROM hb_said GROUP BY hb_row)",
    ]


def _sum(program: Program, tests: SqlTests, start: int) -> str:
    """The intercept and the first terms of each leaf's equation, or some of those that follow."""
    cases = []
    for leaf, equation in program.equations.items():
        terms = equation.terms[start : start + _MOST]
        if terms or start == 0:
            first = [sql_number(equation.intercept)] if start == 0 else []
            added = "\n     + ".join([*first, *(_term(tests, term) for term in terms)])
            cases.append(f"\n   WHEN {leaf} THEN {added}")
    return f"CASE r.hb_node{''.join(cases)}\n   ELSE 0e0 END"


def _term(tests: SqlTests, term: EquationTerm) -> str:
    """What one term adds; a value that is missing or was never seen adds the term's gap."""
    gap, coefficient = sql_number(term.gap), sql_number(term.coefficient)
    if term.power == 0:
        others = [c for c in range(len(tests.tree.columns[term.column].categories)) if c not in term.codes]
        inside, outside = tests.among(term.column, term.codes), tests.among(term.column, others)
        return f"(CASE WHEN {inside} THEN {coefficient} WHEN {outside} THEN 0e0 ELSE {gap} END)"
    x = tests.value(term.column)
    step = f" * ({x} - {sql_number(term.center)})"
    return f"(CASE WHEN {x} <= 9e999 THEN {coefficient}{step * term.power} ELSE {gap} END)"
