"""A bundled table: loading it by name, what it holds, and reading it as a file by the name `demo:NAME`; the
trees that the lectures draw for these tables.

One idea: a bundled table is read like a file, so what works on a demonstration works on your own table. A
tree is its tests; labels and counts come from refitting it on the table it was drawn for.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from hornbeam._base.parameters import did_you_mean
from hornbeam._base.types import Task
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.tree.tree import Tree

if TYPE_CHECKING:  # files are read with pyarrow, which a table loaded by name does not need
    from hornbeam.data.files.request import RawTable, ReadRequest


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
    task: Task | None
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


_TABLES, _TREES = "lecture_tables.toml", "lecture_trees.toml"
_TYPES: Mapping[str, Callable[[str], Any]] = {"int": int, "float": float, "bool": lambda word: word == "True"}


@cache
def _entries(file: str) -> Mapping[str, Mapping[str, Any]]:
    """The entries of a file of tables or trees, by name."""
    return tomllib.loads((files("hornbeam.teaching.datasets") / file).read_text(encoding="utf-8"))


def _entry(file: str, kind: str, name: str) -> Mapping[str, Any]:
    """The entry of a name; `kind` is what the file holds, a table or a tree."""
    entries = _entries(file)
    if not isinstance(name, str) or name not in entries:
        hint = did_you_mean(str(name), entries)
        raise ValueError(f"there is no bundled {kind} {name!r}{hint}: the {kind}s are {', '.join(entries)}")
    return entries[name]


def names() -> list[str]:
    """The names of the bundled tables.

    >>> "robots" in names()
    True
    """
    return list(_entries(_TABLES))


def load(name: str) -> Dataset:
    """A bundled table by name.

    >>> load("xcount").counts
    [2, 2, 5, 1]
    """
    entry = _entry(_TABLES, "table", name)
    header, *rows = (line.split() for line in entry["rows"].split("\n") if line)
    read = {column: _TYPES[kind] for kind in _TYPES for column in entry.get(kind, ())} | {"count": int}
    table: dict[str, list[Any]] = {
        column: [None if word == "-" else read.get(column, str)(word) for word in words]
        for column, words in zip(header, zip(*rows, strict=True), strict=True)
    }
    counts, target = table.pop("count", None), entry.get("target", "")
    y = table.pop(target, None)
    task = None if y is None else Task.REAL if isinstance(y[0], float) else Task.CLASSES
    kinds = {column: "numeric" if column in entry.get("float", ()) else "nominal" for column in table}
    return Dataset(name, table, y, target, task, counts, kinds, entry["source"], entry["description"])


def read_demo(name: str, asked: ReadRequest) -> RawTable:
    """A bundled table with its target as the last column, and its repetitions, if any, in `count`."""
    import pyarrow as pa

    from hornbeam.data.files.column_types import raw_table
    from hornbeam.data.files.table_error import TableError

    if name not in names():
        listed = f"the tables are {', '.join(names())}"
        if not name:
            raise TableError("demo: needs the name of a table", listed)
        raise TableError(f"there is no table demo:{name}{did_you_mean(name, names())}", listed)

    def text(values: list[Any]) -> Any:
        return pa.array([None if value is None else str(value) for value in values], pa.string())

    dataset = load(name)
    columns: dict[str, Any] = {
        column: text(values) if dataset.kinds[column] == "nominal" else pa.array(values)
        for column, values in dataset.X.items()
    }
    if dataset.y is not None:
        columns[dataset.target] = pa.array(dataset.y) if dataset.task == Task.REAL else text(dataset.y)
    whys = {}
    if dataset.counts is not None:
        columns["count"] = pa.array(dataset.counts)
        whys["count"] = "how often the row stands for itself"
    table, details = pa.table(columns).slice(0, asked.limit), {"description": dataset.description}
    return raw_table(table, asked, f"demo:{name}", details=details, whys=whys, target=dataset.target or None)


def tree_names() -> list[str]:
    """The names of the bundled trees.

    >>> tree_names()
    ['game', 'smallest', 'tax', 'pt']
    """
    return list(_entries(_TREES))


def load_tree(name: str) -> Tree:
    """A tree drawn in a lecture, with the counts of the table it was drawn for.

    Parameters
    ----------
    name : {"game", "smallest", "tax", "pt"}
        The tree of Pošík's slide 5 and the smallest one of slide 10, both on `robots`; that of Póczos' slide
        11 on `tax`; the one that stands for figure 8.6 of the notes, on `pt_S1`.

    Examples
    --------
    >>> load_tree("smallest").text()
    'body=square[yes: enemy(0:3) | no: neck=bow[yes: enemy(0:1) | no: ally(4:0)]]'
    >>> load_tree("pt").text()
    'x1[0: x2[0: 0(20:2) | 1: x3[0: 1(3:6) | 1: 0(5:4)]] | 1: x4[0: 1(2:15) | 1: 0(4:3)]]'
    """
    entry = _entry(_TREES, "tree", name)
    data = load(entry["table"])
    table = Table.learn(data.X, data.categorical)
    target = Target.classes_of(data.y, counts=data.counts)
    return Tree.from_nested(entry["tree"], table, target.classes).refit(table, target)
