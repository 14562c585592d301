"""The rows at a node, page by page: sorted, only those answered wrongly, as JSON or as CSV to paste."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow.compute as pc

from hornbeam._base.parameters import did_you_mean
from hornbeam._base.types import Bools, Longs
from hornbeam.data.formatting import category_text
from hornbeam.studio.rows import SomeRows, plain_column
from hornbeam.studio.view import View
from hornbeam.tree.tree import Tree

MOST_ROWS = 500  # of one page
PARTS = ("training", "held-out")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # how a cell begins that a spreadsheet would compute


@dataclass(frozen=True)
class RowRequest:
    """Which rows are asked for."""

    node: int
    part: str = "training"
    wrong: bool = False
    sort: str | None = None
    descending: bool = False
    offset: int = 0
    limit: int | None = 50  # None: all of them


def row_page(view: View, asked: RowRequest) -> dict[str, Any]:
    """A page of rows: the total, the names of the columns, and the cells."""
    part, rows, answers = _rows(view, asked)
    shown = rows[asked.offset :][: asked.limit]
    facts = {"revision": view.number, "total": len(rows), "offset": asked.offset}
    return (
        facts
        | _page(view, part, shown, {"answer": answers[shown]})
        | {"wrong": _is_wrong(view.tree, part, answers)[shown].tolist()}
    )


def changed_rows(view: View, part: SomeRows, rows: Longs, models: Mapping[str, Any]) -> dict[str, Any]:
    """The first of the rows that models answer differently, with the answer of each by its name."""
    shown = rows[:MOST_ROWS]
    here = part.X.take(shown)
    return _page(view, part, shown, {name: model.predict(here) for name, model in models.items()})


def _page(view: View, part: SomeRows, rows: Longs, answers: Mapping[str, Any]) -> dict[str, Any]:
    """Rows of a part with their position, their outcome and what was answered."""
    names = part.X.column_names
    columns = [plain_column(part.X.column(name)).take(rows).to_pylist() for name in names]
    target = plain_column(part.y).take(rows).to_pylist()
    given = [answer.tolist() for answer in answers.values()]
    cells = zip(part.positions[rows].tolist(), target, *given, *columns, strict=True)
    return {
        "columns": ["row", view.chapter.settings.target, *answers, *names],
        "rows": [[_cell(value) for value in row] for row in cells],
    }


def row_csv(view: View, asked: RowRequest, *, guard: bool = True) -> str:
    """The same as CSV; `guard` puts an apostrophe before what a spreadsheet would take for a formula."""
    page = row_page(view, asked)
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    for row in [page["columns"], *page["rows"]]:
        writer.writerow([_guarded(value) if guard else value for value in row])
    return written.getvalue()


def _guarded(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value)  # a page shows nothing where it is told False
    if value is None or isinstance(value, (int, str)):
        return value
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _rows(view: View, asked: RowRequest) -> tuple[SomeRows, Longs, Any]:
    """The part that is asked for, the rows of it that reach the node, in order, and the answers of all."""
    if asked.part not in PARTS:
        raise ValueError(f"part={asked.part!r} must be one of {', '.join(PARTS)}")
    if asked.limit is not None and not 1 <= asked.limit <= MOST_ROWS:
        raise ValueError(f"limit={asked.limit} must be from 1 to {MOST_ROWS}")
    if asked.offset < 0:
        raise ValueError(f"offset={asked.offset} must be 0 or more")
    rows = view.chapter.rows
    part = rows.training if asked.part == "training" else rows.held_out
    if part is None:
        raise ValueError("part='held-out' has no rows: set the share of held-out rows above 0 first")
    answers = view.model.predict(part.X)
    here = _reach(view, part, asked.node)
    if asked.wrong:
        here &= _is_wrong(view.tree, part, answers)
    at = np.flatnonzero(here)
    return part, at[_order(view, part, answers, at, asked)], answers


def _reach(view: View, part: SomeRows, node: int) -> Bools:
    """Which rows come to a node, at least in part."""
    here = np.zeros(len(part), dtype=np.bool_)
    if part is view.chapter.rows.training:
        here[view.draft.rows(node)[0]] = True
        return here
    from hornbeam.display.rows_at_nodes import rows_of_drawing

    here[rows_of_drawing(view.tree, _inputs(view, part)).at(node)[0]] = True
    return here


def _inputs(view: View, part: SomeRows) -> Any:
    return part.X.select([column.name for column in view.tree.columns])


def _is_wrong(tree: Tree, part: SomeRows, answers: Any) -> Bools:
    """Which rows are answered wrongly; of numbers, those further off than the tree's usual error."""
    truth = np.asarray(plain_column(part.y).to_numpy(zero_copy_only=False))
    if tree.classes is not None:
        return np.asarray(answers != truth)
    off = np.abs(np.asarray(truth, dtype=np.float64) - answers)
    return np.asarray(off > np.sqrt(np.mean(off**2)))


def _order(view: View, part: SomeRows, answers: Any, at: Longs, asked: RowRequest) -> Any:
    if asked.sort is None or asked.sort == "row":
        return np.arange(len(at))[:: -1 if asked.descending else 1]
    target = view.chapter.settings.target
    if asked.sort == target:
        column = plain_column(part.y)
    elif asked.sort == "answer":
        keys = np.array([category_text(one) for one in answers[at]]) if view.tree.classes else answers[at]
        order = np.argsort(keys, kind="stable")
        return order[::-1] if asked.descending else order
    elif asked.sort in part.X.column_names:
        column = plain_column(part.X.column(asked.sort))
    else:
        names = ["row", target, "answer", *part.X.column_names]
        raise ValueError(f"sort={asked.sort!r} is no column{did_you_mean(asked.sort, names)}")
    direction = "descending" if asked.descending else "ascending"
    return np.asarray(pc.array_sort_indices(_one(column.take(at)), order=direction))


def _one(column: Any) -> Any:
    return column.combine_chunks() if hasattr(column, "combine_chunks") else column
