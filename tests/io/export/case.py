"""A case of an export, which is a tree with rows for it, and rows beside every cut."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from tests.io.export.time_cases import time_of_ticks

import hornbeam as hb

N = 200
HOSTILE = [
    *('"', "'", "\\", "\n", "a\r\nb", "</script>", "<!--", "*/", "/*", "//", "--", "'; DROP TABLE rows; --"),
    *(
        "??/",
        "??'",
        "\u2028",
        "\u2029",
        "%s",
        "${x}",
        "`x`",
        "{0}",
        "#",
        "\t",
        "é",
        "\U0001f332",
        "x",
        "__proto__",
    ),
    *("constructor", "toString", "None", "null", "nan", "select", "hb_row", " ", "a b", '""', "''"),
]


class Case(NamedTuple):
    """A tree and rows for it, as dicts with None for gaps."""

    tree: hb.Tree
    rows: list[dict[str, Any]]

    @property
    def frame(self) -> dict[str, list[Any]]:
        """The rows as columns."""
        return {c.name: [row[c.name] for row in self.rows] for c in self.tree.columns}


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows as dicts of plain values."""
    plain_rows = []
    for row in frame.astype(object).to_dict("records"):
        plain_rows.append({k: _plain(v) for k, v in row.items()})
    return plain_rows


def _plain(value: Any) -> Any:
    if value is None or value is pd.NaT or value != value:
        return None
    return value.item() if isinstance(value, np.generic) else value


def edges(tree: hb.Tree) -> list[dict[str, Any]]:
    """Rows on the thresholds and beside them, and one of gaps only."""
    empty: dict[str, Any] = {column.name: None for column in tree.columns}
    rows = [empty]
    for node in range(len(tree)):
        column = int(tree.column[node])
        if column >= 0 and tree.columns[column].kind == "numeric" and np.isfinite(tree.threshold[node]):
            cut = float(tree.threshold[node])
            values: list[Any] = [cut, float(np.nextafter(cut, -np.inf)), float(np.nextafter(cut, np.inf))]
            if tree.columns[column].is_time:
                values = [time_of_ticks(np.floor(cut) + step, tree.columns[column]) for step in (-1, 0, 1)]
            rows += [{**empty, tree.columns[column].name: value} for value in values]
    return rows
