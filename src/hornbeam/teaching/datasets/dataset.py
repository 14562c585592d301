"""A bundled table: loading it by name, and what it holds."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import Any

from hornbeam.teaching.datasets.entry import Entry
from hornbeam.teaching.datasets.table_names import TABLES


@dataclass(frozen=True)
class Dataset:
    """A table as a dict of columns, with its target.

    Attributes
    ----------
    name : str
    X : dict of str to list
        The input columns, a fresh copy at each load.
    y : list or None
        The target; None for a table without one.
    target : str
        The name of the target; empty for a table without one.
    task : {"classes", "real", None}
        What the target is.
    counts : list of int or None
        How often each row stands for itself, for `fit(..., counts=)`; None: once.
    kinds : dict of str to str
        "numeric" or "nominal" for each column.
    source : str
        Where the table comes from.
    description : str
    """

    name: str
    X: dict[str, list[Any]]
    y: list[Any] | None
    target: str
    task: str | None
    counts: list[int] | None
    kinds: dict[str, str]
    source: str
    description: str

    @property
    def n_rows(self) -> int:
        """Number of rows as written, not repeated."""
        return len(next(iter(self.X.values())))

    @property
    def categorical(self) -> list[str]:
        """The nominal columns, as `categorical_features` takes them; needed where categories are numbers."""
        return [name for name, kind in self.kinds.items() if kind == "nominal"]

    def frame(self) -> Any:
        """A pandas data frame of the columns and the target; nominal columns are categorical."""
        try:
            import pandas as pd
        except ImportError:
            raise ImportError(
                "Dataset.frame needs pandas: pip install pandas, or use the dict in Dataset.X"
            ) from None
        frame = pd.DataFrame(self.X).astype(dict.fromkeys(self.categorical, "category"))
        if self.y is not None:
            frame[self.target] = self.y
        if self.counts is not None:
            frame["count"] = self.counts
        return frame


def names() -> list[str]:
    """The names of the bundled tables.

    >>> "robots" in names()
    True
    """
    return list(TABLES)


def load(name: str) -> Dataset:
    """A bundled table by name.

    >>> load("xcount").counts
    [2, 2, 5, 1]
    """
    if not isinstance(name, str) or name not in TABLES:
        close = difflib.get_close_matches(str(name), TABLES, n=1)
        hint = f" (did you mean {close[0]!r}?)" if close else ""
        raise ValueError(f"there is no bundled table {name!r}{hint}: the tables are {', '.join(TABLES)}")
    return _dataset(name, TABLES[name])


def _dataset(name: str, entry: Entry) -> Dataset:
    rows = [line.split() for line in entry.rows.strip().splitlines()]
    header = entry.header.split()
    table = {column: [entry.read.get(column, str)(row[k]) for row in rows] for k, column in enumerate(header)}
    counts = table.pop("count", None)
    y = table.pop(entry.target, None)
    task = None if y is None else "real" if isinstance(y[0], float) else "classes"
    kinds = {column: "numeric" if column in entry.numeric else "nominal" for column in table}
    return Dataset(
        name, table, y, entry.target, task, counts, kinds, entry.source, " ".join(entry.description.split())
    )
