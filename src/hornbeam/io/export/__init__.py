"""Exports: a tree in other languages and formats. One function per format, one line in the table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hornbeam._base.parameters import did_you_mean
from hornbeam.io.export.c import c
from hornbeam.io.export.excel_formula import excel
from hornbeam.io.export.forest_formats import FOREST_FORMATS, ForestProgram
from hornbeam.io.export.javascript import javascript
from hornbeam.io.export.onnx import onnx
from hornbeam.io.export.output_formats import OUTPUT_FORMATS
from hornbeam.io.export.pmml import pmml
from hornbeam.io.export.python import python
from hornbeam.io.export.readable_formats import dot, json, markdown, svg
from hornbeam.io.export.scorecard_formats import scorecard_sql, scorecard_xlsx
from hornbeam.io.export.sql import sql
from hornbeam.reading.scorecard import Scorecard
from hornbeam.tree.hooks import inner_model, tree_of

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
    "excel": excel,
}
CARD_FORMATS: Mapping[str, Callable[..., Any]] = {"sql": scorecard_sql, "xlsx": scorecard_xlsx}

__all__ = ["CARD_FORMATS", "FOREST_FORMATS", "FORMATS", "OUTPUT_FORMATS", "export"]


def export(model: Any, format: str, **options: Any) -> Any:  # noqa: A002 (the word users expect)
    """A model in another language or format, with the same answers for every row.

    Parameters
    ----------
    model : estimator, forest, Tree, the path of a saved one, or a scorecard
    format : str
        A name of the table in `hornbeam.io.export.FORMATS`; of a forest "sql", "python", "c", "javascript",
        "onnx" or "pmml"; of a scorecard "sql" or "xlsx".
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
    source: Any = model if isinstance(model, Scorecard) else inner_model(model, for_rows=True)
    forest = hasattr(source, "trees_")
    formats = CARD_FORMATS if isinstance(model, Scorecard) else FOREST_FORMATS if forest else FORMATS
    if forest and format in FORMATS and format not in formats:
        raise ValueError(
            f"format={format!r} shows one tree, while this {type(source).__name__} has {len(source.trees_)}:"
            f" export one of them, such as model.trees_[0], or use one of {', '.join(map(repr, formats))};"
            " hb.save writes a forest as JSON"
        )
    if format not in formats:
        raise ValueError(
            f"format={format!r} is not known{did_you_mean(format, formats)}: use one of"
            f" {', '.join(map(repr, formats))}"
        )
    if not isinstance(source, Scorecard):
        source = ForestProgram.of(source) if forest else tree_of(source, for_rows=True, several=True)
    write = formats[format]
    if getattr(source, "outputs", ()):
        if format not in OUTPUT_FORMATS:
            raise ValueError(
                f"format={format!r} shows one target: export the tree of one, such as"
                f" tree.output({source.outputs[0].name!r}), or use one of"
                f" {', '.join(map(repr, OUTPUT_FORMATS))}"
            )
        write = OUTPUT_FORMATS[format]
    known = [name for name in write.__annotations__ if name not in ("tree", "card", "forest", "return")]
    for name in options:
        if name not in known:
            taken = f"its options are {', '.join(known)}" if known else "it takes none"
            raise TypeError(f"{name}={options[name]!r} is no option of format={format!r}: {taken}")
    return write(source, **options)
