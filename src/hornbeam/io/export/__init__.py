"""Exports: a tree in other languages and formats. One function per format, one line in the table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hornbeam._base.parameters import did_you_mean
from hornbeam.io.export.c import c
from hornbeam.io.export.javascript import javascript
from hornbeam.io.export.onnx import onnx
from hornbeam.io.export.pmml import pmml
from hornbeam.io.export.python import python
from hornbeam.io.export.readable_formats import dot, json, markdown, svg
from hornbeam.io.export.sql import sql
from hornbeam.tree.hooks import tree_of

FORMATS: Mapping[str, Callable[..., Any]] = {
    "sql": sql,
    "python": python,
    "javascript": javascript,
    "c": c,
    "json": json,
    "dot": dot,
    "markdown": markdown,
    "onnx": onnx,
    "pmml": pmml,
    "svg": svg,
}

__all__ = ["FORMATS", "export"]


def export(model: Any, format: str, **options: Any) -> Any:  # noqa: A002 (the word users expect)
    """A model in another language or format, with the same answers for every row.

    Parameters
    ----------
    model : estimator, Tree, or the path of a saved one
    format : str
        A name of the table in `hornbeam.io.export.FORMATS`.
    **options
        What the format takes, such as `name=` of the function.

    Returns
    -------
    str
        The text; bytes for a binary format.

    Examples
    --------
    >>> import hornbeam as hb
    >>> tree = hb.Tree.from_nested({"column": "width", "<=": 0.8, "yes": "a", "no": "b"})
    >>> module = {}
    >>> exec(hb.export(tree, "python", name="classify"), module)
    >>> module["classify"]({"width": 2.0})
    'b'
    """
    if format not in FORMATS:
        raise ValueError(
            f"format={format!r} is not known{did_you_mean(format, FORMATS)}: use one of"
            f" {', '.join(map(repr, FORMATS))}"
        )
    tree, write = tree_of(model, for_rows=True), FORMATS[format]
    known = [name for name in write.__annotations__ if name not in ("tree", "return")]
    for name in options:
        if name not in known:
            taken = f"its options are {', '.join(known)}" if known else "it takes none"
            raise TypeError(f"{name}={options[name]!r} is no option of format={format!r}: {taken}")
    return write(tree, **options)
