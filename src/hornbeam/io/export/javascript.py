"""JavaScript: a tree as a script for a page or for Node, without libraries.

The script holds the document of the tree and the module that the page of a report predicts with.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from hornbeam.data.columns import Column
from hornbeam.display.scripts import module_lines, node_answers, read_module
from hornbeam.io.export.literals import comment, is_odd, javascript_value
from hornbeam.io.export.refused_names import check_function_name
from hornbeam.io.export.time_values import kind_words, ticks_of, time_of
from hornbeam.io.export.tree_program import Program, program_of
from hornbeam.tree.json_values import json_lines
from hornbeam.tree.tree import Tree

_NODE_ARRAYS = ("kind", "first_child", "n_children", "column", "threshold", "missing", "absent", "label")
_UNUSED_POOLS = ("cost", "quantile", "box")


def javascript(tree: Tree, *, name: str = "tree") -> str:
    """A script that defines the constant `name` with `predict(row)`, and `predictProba(row)` for classes.

    A row is an object from column names to values; null, undefined, NaN or no entry is a gap. `predictProba`
    gives a Map from class to probability; `classes` lists them. In Node the constant is what `require` gives.
    Times are ISO text, numbers in the unit that the script's first lines name, or, for columns with a time
    zone, a Date; spans are numbers. Anything else there throws a TypeError.

    >>> tree = Tree.from_nested({"column": "width", "<=": 0.8, "yes": "a", "no": "b"})
    >>> "predictProba" in javascript(tree)
    True
    """
    program = program_of(tree)
    lines = [
        *_head([program], name),
        f"const document = {_document_text(program)};",
        "const answer = (row) => runtime.predict(document, rows.encode(row, columns));",
    ]
    return _finished(lines, program, name)


def forest_script(programs: Sequence[Program], name: str) -> str:
    """The same for the mean of several trees of the same columns."""
    documents = ",\n".join(map(_document_text, programs))
    lines = [
        *_head(programs, name),
        f"const documents = [{documents}];",
        "const answer = (row) => {",
        "  const values = rows.encode(row, columns);",
        "  const each = documents.map((document) => runtime.predict(document, values));",
        "  const mean = (numbers) => numbers.reduce((sum, one) => sum + one, 0) / each.length;",
    ]
    if programs[0].classes:
        lines += [
            "  const shares = each[0].shares.map((_, k) => mean(each.map((one) => one.shares[k])));",
            "  const best = Math.max(...shares);",
            "  return {shares, label: shares.findIndex((share) => share >= best - 1e-12 * best)};",
            "};",
        ]
    else:
        lines += ["  return {value: mean(each.map((one) => one.value))};", "};"]
    return _finished(lines, programs[0], name)


def _head(programs: Sequence[Program], name: str, what: str = "") -> list[str]:
    """What stands above the documents: comments, what predicts, and how the columns are read."""
    check_function_name(name)
    used = {column for program in programs for column in program.used}
    described = programs[0].tree.columns
    comments = [
        f"//   {comment(described[k].name)} ({comment(kind_words(described[k]))})" for k in sorted(used)
    ]
    what = what or ("A decision tree" if len(programs) == 1 else f"A forest of {len(programs)} trees")
    return [
        f"// {what}; call {name}.predict(row), where row is an object of values.",
        "// Columns:",
        *comments,
        f"const {name} = (() => {{",
        '"use strict";',
        *_runtime(),
        "const columns = [",
        *(f"  {_column(one) if k in used else 'null'}," for k, one in enumerate(described)),
        "];",
    ]


def outputs_script(programs: Sequence[Program], targets: Sequence[str], name: str) -> str:
    """The same for a tree of several targets, given by the tree of each; answers are objects by target."""
    documents = ",\n".join(map(_document_text, programs))
    classes = ", ".join(
        f"[{', '.join(map(javascript_value, one.classes))}]" if one.classes else "null" for one in programs
    )
    lines = [
        *_head(programs, name, f"A decision tree of {len(programs)} targets"),
        f"const documents = [{documents}];",
        f"const targets = [{', '.join(map(javascript_value, targets))}];",
        f"const classes = [{classes}];",
        *_OUTPUTS,
        "})();",
        f'if (typeof module !== "undefined") module.exports = {name};',
    ]
    return "\n".join([*lines, ""])


_OUTPUTS = (
    "const answers = (row) => {",
    "  const values = rows.encode(row, columns);",
    "  return documents.map((document) => runtime.predict(document, values));",
    "};",
    "const predict = (row) => Object.fromEntries(answers(row).map((one, k) =>",
    "  [targets[k], classes[k] === null ? one.value : classes[k][one.label]]));",
    "const predictProba = (row) => Object.fromEntries(answers(row).flatMap((one, k) =>",
    "  classes[k] === null ? []",
    "    : [[targets[k], new Map(classes[k].map((label, j) => [label, one.shares[j]]))]]));",
    "return {targets, predict, predictProba};",
)


def _document_text(program: Program) -> str:
    text = b"".join(json_lines(_document(program), 3, ascii_only=True)).decode("ascii")
    return text.replace("<", "\\u003c")


def _finished(lines: list[str], program: Program, name: str) -> str:
    if program.classes:
        lines += [f"const classes = [{', '.join(map(javascript_value, program.classes))}];", *_CLASSES]
    else:
        lines += ["const predict = (row) => answer(row).value;", "return {predict};"]
    return "\n".join([*lines, "})();", f'if (typeof module !== "undefined") module.exports = {name};', ""])


_CLASSES = (
    "const predict = (row) => classes[answer(row).label];",
    "const predictProba = (row) => {",
    "  const {shares} = answer(row);",
    "  return new Map(classes.map((label, k) => [label, shares[k]]));",
    "};",
    "return {classes, predict, predictProba};",
)


@cache
def _runtime() -> list[str]:
    path = "row_values.js"
    row_values = files("hornbeam.io.export").joinpath(path).read_text(encoding="utf-8")
    predict = module_lines("runtime", "predict.js", read_module("predict.js"))
    return [*predict, *module_lines("rows", path, row_values)]


def _document(program: Program) -> dict[str, Any]:
    """What `predict.js` reads of the tree's document, and the answers of its leaves."""
    tree = program.tree
    plain, answers = tree.to_dict(), node_answers(tree)
    leaves = set(program.leaves)
    for table in ("alone", "each"):
        if table in answers:
            answers[table] = [row if k in leaves else None for k, row in enumerate(answers[table])]
    pools = {name: pool for name, pool in plain["pools"].items() if name not in _UNUSED_POOLS}
    if "box" in plain["pools"]:  # only that of the root counts: outside of it a density is 0
        n = int(tree.box_offset[1])
        root = {name: values[:n] for name, values in plain["pools"]["box"].items()}
        pools["box"] = root | {"box_offset": [0, n]}
    kept = {
        "task": tree.task,
        "columns": [{"kind": column.kind} for column in tree.columns],
        "policy": plain["policy"],
        "nodes": {name: plain["nodes"][name] for name in _NODE_ARRAYS},
        "pools": pools,
    }
    return {"tree": kept, "answers": answers}


def _column(column: Column) -> str:
    """The name of a column, its codes, and how a value is read: as a time, as its text, or as it is."""
    time = time_of(column)
    how = javascript_value(is_odd(column.categories))
    if time is not None:
        ticks = 10**9 if time.unit == "ns" else 10**6
        how = f'["{time.family}", {ticks}, {javascript_value(time.zone != "")}]'
    return f"[{javascript_value(column.name)}, {_codes(column)}, {how}]"


def _codes(column: Column) -> str:
    """Numbers and truth values find each other, as in Python; text is text."""
    if column.kind == "numeric":
        return "null"
    pairs = []
    for code, value in enumerate(map(ticks_of, column.categories) if time_of(column) else column.categories):
        key = float(value) if isinstance(value, int | float) else value
        pairs.append(f"[{javascript_value(key)}, {code}]")
    return f"new Map([{', '.join(pairs)}])"
