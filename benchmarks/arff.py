"""ARFF files in, and tables out as Weka and R read them, with plain names.

The one idea: both sides get the same codes. Columns become x0, x1, ..., values v000, v001, ..., classes c0,
c1, ..., so that what Weka prints can be read back without quoting.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

MISSING = "?"


@dataclass(frozen=True)
class Plain:
    """A table of classes: numeric columns are floats, nominal ones categories of declared values."""

    X: pd.DataFrame
    y: np.ndarray

    @property
    def has_gaps(self) -> bool:
        return bool(self.X.isna().to_numpy().any())


def read(path: Path, target: str, drop: Sequence[str] = (), header: Sequence[str] | None = None) -> Plain:
    """A table with plain names; rows without a class are left out. A CSV file may need a header."""
    names, kinds, rows = cells(path, header)
    columns = dict(zip(names, zip(*rows, strict=True), strict=True))
    label = np.array(columns.pop(target), dtype=object)
    known = label != MISSING
    classes = {value: f"c{k}" for k, value in enumerate(sorted(set(label[known])))}
    found = {}
    for name in (n for n in names if n != target and n not in drop):
        values = np.array(columns[name], dtype=object)[known]
        found[f"x{len(found)}"] = _column(values, kinds[name])
    return Plain(pd.DataFrame(found), np.array([classes[value] for value in label[known]]))


def cells(
    path: Path, header: Sequence[str] | None = None
) -> tuple[list[str], dict[str, list[str] | None], list[list[str]]]:
    """The names of the columns, the values each may take (None: numbers), and the rows as text."""
    return _arff(path) if path.suffix == ".arff" else _csv(path, header)


def _column(values: np.ndarray, declared: list[str] | None) -> Any:
    if declared is None:
        return np.array([np.nan if v == MISSING else float(v) for v in values])
    code = {value: k for k, value in enumerate(declared)}
    codes = [-1 if v == MISSING else code[v] for v in values]
    return pd.Categorical.from_codes(codes, [f"v{k:03d}" for k in range(len(declared))])


def _arff(path: Path) -> tuple[list[str], dict[str, list[str] | None], list[list[str]]]:
    names: list[str] = []
    kinds: dict[str, list[str] | None] = {}
    with path.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            text = line.strip()
            if text.lower().startswith("@data"):
                break
            found = re.match(r"@attribute\s+('(?:[^'\\]|\\.)*'|\"[^\"]*\"|\S+)\s+(.*)", text, re.IGNORECASE)
            if found:
                name = found[1].strip("'\"")
                names.append(name)
                kinds[name] = next(_cells([found[2].strip()[1:-1]])) if found[2].startswith("{") else None
        return names, kinds, list(_cells(line for line in file if line.strip() and line[0] != "%"))


def _cells(lines: Iterable[str]) -> Any:
    for row in csv.reader(lines, quotechar="'", escapechar="\\", skipinitialspace=True):
        yield [cell.strip().strip('"') for cell in row]


def _csv(
    path: Path, header: Sequence[str] | None
) -> tuple[list[str], dict[str, list[str] | None], list[list[str]]]:
    table = pd.read_csv(path, na_values=[MISSING], skipinitialspace=True, names=header)
    kinds: dict[str, list[str] | None] = {}
    for name in table:
        numeric = pd.api.types.is_numeric_dtype(table[name]) and not pd.api.types.is_bool_dtype(table[name])
        kinds[name] = None if numeric else sorted(table[name].dropna().astype(str).unique())
    cells = table.astype(object).where(table.notna(), MISSING)
    return list(table), kinds, [[str(cell) for cell in row] for row in cells.to_numpy()]


def write(table: Plain, rows: np.ndarray, path: Path) -> None:
    """Some rows as Weka reads them."""
    lines = ["@relation rows"]
    for name, column in table.X.items():
        nominal = isinstance(column.dtype, pd.CategoricalDtype)
        lines.append(
            f"@attribute {name} {'{' + ','.join(column.cat.categories) + '}' if nominal else 'numeric'}"
        )
    lines += [f"@attribute class {{{','.join(sorted(set(table.y)))}}}", "@data"]
    cells = [
        column.astype(object).where(column.notna(), MISSING).to_numpy()[rows] for _, column in table.X.items()
    ]
    lines += [",".join(_text(v) for v in row) for row in zip(*cells, table.y[rows], strict=True)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _text(value: Any) -> str:
    return repr(float(value)) if isinstance(value, (float, np.floating)) else str(value)
