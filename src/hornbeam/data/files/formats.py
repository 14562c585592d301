"""The table of formats: how each is recognised, read, streamed and written.

One idea: a new format is one file and one row here. What begins with a signature is that format whatever its
name; otherwise the ending of the name decides, and otherwise the first characters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from hornbeam._base.parameters import did_you_mean
from hornbeam.data.files.source import Source
from hornbeam.data.files.table_error import TableError


@dataclass(frozen=True)
class Format:
    """One way to keep a table in a file."""

    words: str
    module: str  # the file of this folder that has read_..., stream_... and write_...
    stem: str
    endings: tuple[str, ...]
    signatures: tuple[bytes, ...] = ()  # the first bytes of such a file
    options: tuple[str, ...] = ()  # of reading, beside columns and limit

    def function(self, verb: str) -> Callable[..., Any]:
        """How such a file is read as a whole ("read"), in batches ("stream"), or written ("write")."""
        module = import_module(f"hornbeam.data.files.{self.module}")
        return getattr(module, f"{verb}_{self.stem}")  # type: ignore[no-any-return]


DELIMITED = ("delimiter", "header", "decimal", "quote", "encoding", "missing")

FORMATS: Mapping[str, Format] = {
    "csv": Format("delimited text", "csv", "delimited", (".csv", ".txt", ".dat"), options=DELIMITED),
    "tsv": Format("text with tabs", "csv", "delimited", (".tsv", ".tab"), options=DELIMITED),
    "parquet": Format("Parquet", "arrow_files", "parquet", (".parquet", ".pq"), (b"PAR1",)),
    "feather": Format(
        "Feather", "arrow_files", "feather", (".feather", ".arrow", ".ipc"), (b"ARROW1", b"FEA1")
    ),
    "arff": Format("ARFF", "arff", "arff", (".arff",)),
    "c45": Format("C4.5's NAME.names and NAME.data", "c45_files", "c45", (".names",)),
    "jsonl": Format("JSON lines", "jsonl", "jsonl", (".jsonl", ".ndjson", ".json")),
    "xlsx": Format(
        "Excel", "excel", "xlsx", (".xlsx", ".xlsm"), (b"PK\x03\x04",), ("header", "missing", "sheet")
    ),
    "mat": Format("MATLAB", "matlab", "matlab", (".mat",), (b"MATLAB 5.0 MAT-file", b"MATLAB 7.3 MAT-file")),
}


def format_named(name: Any) -> str:
    """The name of a format, checked.

    >>> format_named("CSV")
    'csv'
    """
    word = name.lower().lstrip(".") if isinstance(name, str) else name
    if word not in FORMATS:
        raise TableError(
            f"format={name!r} is not known{did_you_mean(word, FORMATS)}", f"use one of {', '.join(FORMATS)}"
        )
    return str(word)


def refuse_options(name: str, options: Mapping[str, Any]) -> None:
    """Raise an error for an option that the user gives and that reading this format does not have."""
    taken = FORMATS[name].options if name in FORMATS else ()
    for option, value in options.items():
        if value is not None and option not in (*taken, "format", "columns"):
            others = f"its options are {', '.join(taken)}, columns" if taken else "its only one is columns"
            raise TableError(f"{option}={value!r} is no option of format {name!r}", others)


_OTHERS = {".xls": b"\xd0\xcf\x11\xe0", ".ods": b"PK\x03\x04", ".numbers": b"PK\x03\x04"}  # known, not read


def format_of(source: Source) -> str:
    """The format of a file, by its signature, the ending of its name, or its first characters."""
    ending = source.suffixes[-1] if source.suffixes else ""
    if (ending in _OTHERS and source.head.startswith(_OTHERS[ending])) or source.head[:4] == _OTHERS[".xls"]:
        raise TableError(
            f"{source.name} is a workbook of a kind that is not read", "save it as .xlsx or .csv"
        )
    for name, entry in FORMATS.items():
        if source.head.startswith(entry.signatures):
            return name
    if (
        source.path is not None
        and source.path.suffix.lower() == ".data"
        and source.path.with_suffix(".names").exists()
    ):
        return "c45"
    return format_ending(ending) or _by_text(source)


def format_ending(ending: str) -> str:
    """The format whose files end like this; "" if none do.

    >>> format_ending(".pq"), format_ending(".doc")
    ('parquet', '')
    """
    return next((name for name, entry in FORMATS.items() if ending in entry.endings), "")


def _by_text(source: Source) -> str:
    start = source.head[:4096].lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith(b"{"):
        return "jsonl"
    lines = (line.strip().lower() for line in start.splitlines())
    first = next((line for line in lines if line and not line.startswith(b"%")), b"")
    return "arff" if first.startswith(b"@relation") else "csv"
