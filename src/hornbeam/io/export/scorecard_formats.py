"""Scorecards elsewhere: a query, and a workbook with the card and a sheet that computes scores."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

from hornbeam.io.export.excel_formula import excel
from hornbeam.io.export.refused_names import refuse_in_sql, refuse_taken_names
from hornbeam.io.export.sql import sql
from hornbeam.io.export.sql_dialects import SqlDialect, dialect_named
from hornbeam.io.export.sql_tests import SqlTests
from hornbeam.io.export.tree_program import program_of
from hornbeam.reading.scorecard import Scorecard
from hornbeam.tree.tree import Tree


def scorecard_sql(
    card: Scorecard,
    *,
    table: str = "data",
    name: str = "points",
    keep: Sequence[str] = (),
    dialect: str = "standard",
) -> str:
    """A query with the points of each column and their sum.

    Parameters
    ----------
    table : str
        The table or view that is asked.
    name : str
        The column that holds the score; those of the columns are called `name_<column>`.
    keep : list of str
        The columns of the table to give back beside it.
    dialect : str
        As in `hb.export(model, "sql")`.

    Examples
    --------
    >>> import hornbeam as hb
    >>> X, y = {"age": [20, 30, 30, 40, 50, 50]}, ["bad", "bad", "good", "good", "bad", "good"]
    >>> card = hb.scorecard(hb.TreeClassifier(max_depth=1).fit(X, y), X, y, good="good")
    >>> import sqlite3
    >>> base = sqlite3.connect(":memory:")
    >>> _ = base.execute("CREATE TABLE people AS SELECT 28 AS age UNION SELECT NULL")
    >>> base.execute(scorecard_sql(card, table="people", keep=["age"])).fetchall()
    [(None, 447, 447), (28, 499, 499)]
    """
    if list(card.coefficients) == ["leaf"]:
        return sql(card.trees[0], table=table, name=name, keep=list(keep) or None, dialect=dialect)
    words = dialect_named(dialect)
    columns = [tree.columns[int(tree.column[0])].name for tree in card.trees]
    made = [f"{name}_{column}" for column in columns]
    refuse_taken_names([name, *made], list(keep))
    cases = [_case(tree, words) for tree in card.trees]
    lines = [f"  r.{words.name(one)}," for one in keep]
    lines += [f"  {case} AS {words.name(one)}," for case, one in zip(cases, made, strict=True)]
    total = "\n   + ".join(cases)
    return "\n".join(
        ["SELECT", *lines, f"  {total} AS {words.name(name)}", f"FROM {words.name(table)} AS r", ""]
    )


def _case(tree: Tree, dialect: SqlDialect) -> str:
    """The points of one column."""
    program = program_of(tree)
    refuse_in_sql(program.columns, program.classes)
    tests = SqlTests(program, dialect)
    pairs, rest = tests.pairs(0)
    if tests.stages:
        raise ValueError(
            f"column {program.columns[0].name!r} has too many values, or times, for one CASE: score its rows"
            " in Python with card.score(X)"
        )
    assert rest is not None  # a card has a line for gaps
    first = int(tree.first_child[0])
    whens = " ".join(f"WHEN {test} THEN {_points(tree, first + branch)}" for test, branch in pairs)
    return f"(CASE {whens} ELSE {_points(tree, first + rest)} END)"


def _points(tree: Tree, leaf: int) -> int:
    return round(float(tree.answers()[leaf]))


def scorecard_xlsx(card: Scorecard) -> bytes:
    """A workbook: the card, and a sheet where values are typed in and formulas add up their points.

    Text, numbers and empty cells mean what they do in `hb.export(model, "excel")`.
    """
    try:
        import openpyxl
        from openpyxl.styles import Font, PatternFill
    except ImportError:
        raise ImportError("a workbook needs openpyxl: pip install openpyxl") from None
    book = openpyxl.Workbook()
    page = book.active
    page.title = "card"
    facts = card.columns()
    page.append(list(facts))
    for line in zip(*facts.values(), strict=True):
        page.append(list(line))
    _as_text(page)
    sheet = book.create_sheet("score")
    sheet.append(["column", "value", "points"])
    names = list(dict.fromkeys(c.name for tree in card.trees for c in program_of(tree).columns))
    cells = {name: f"$B${k}" for k, name in enumerate(names, start=2)}
    for name in names:
        sheet.append([name])
        sheet.cell(sheet.max_row, 2).fill = PatternFill("solid", fgColor="FFF2CC")
    _as_text(sheet)
    points = [excel(tree, cells=cells) for tree in card.trees]
    for k, text in enumerate(points, start=2):
        sheet.cell(k, 3, text)
    last = len(names) + 2
    sheet.cell(last, 1, "score").font = Font(bold=True)
    sheet.cell(last, 3, f"=SUM(C2:C{last - 1})").font = Font(bold=True)
    page.column_dimensions["A"].width, page.column_dimensions["B"].width = 20, 48
    sheet.column_dimensions["A"].width = 24
    packed = io.BytesIO()
    book.save(packed)
    return packed.getvalue()


def _as_text(page: Any) -> None:
    """Texts that begin like a formula stay text."""
    for line in page.iter_rows():
        for cell in line:
            if isinstance(cell.value, str):
                cell.data_type = "s"
