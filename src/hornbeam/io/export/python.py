"""Python: a tree as a module without imports, for a place where Hornbeam is not installed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from string import Template
from typing import Any

from hornbeam.data.columns import Column
from hornbeam.io.export.branch_calls import Calls, wrapped
from hornbeam.io.export.literals import comment, is_odd, plain_value, python_value
from hornbeam.io.export.refused_names import check_function_name
from hornbeam.io.export.time_values import kind_words, ticks_of, time_of
from hornbeam.io.export.tree_program import Program, program_of
from hornbeam.tree.tree import Tree


def python(tree: Tree, *, name: str = "predict") -> str:
    """A module with a function `name(row)`, and `name_proba(row)` for classes.

    A row is a dict from column names to values; None, NaN or no entry is a gap. `name_proba` gives a dict
    from class to probability. Times are what Python, numpy or pandas has for them, ISO text (but for spans),
    or numbers in the unit that the module's first lines name. The module imports nothing.

    >>> tree = Tree.from_nested({"column": "width", "<=": 0.8, "yes": "a", "no": "b"})
    >>> space = {}
    >>> exec(python(tree), space)
    >>> space["predict"]({"width": 0.5}), space["predict_proba"]({"width": 3})
    ('a', {'a': 0.0, 'b': 1.0})
    """
    check_function_name(name)
    program = program_of(tree)
    calls = Calls(program, python_value)
    lines = [*_head(program, name), _runtime()["every module"]]
    if any(time_of(column) for column in program.columns):
        lines.append(_runtime()["times"])
    for table, values in calls.tables.items():
        lines += wrapped(f"{table} = (", [f"{python_value(v)}," for v in values], ")")
    lines += [f"def hb_part_{k}(x, v): return {call}" for k, (call, _) in enumerate(calls.helpers)]
    lines += ["hb_tests = {"]
    lines += [f"    {node}: lambda x, v: {call}," for node, call in calls.tests.items()] + ["}"]
    for title, rows in _node_tables(program).items():
        lines += wrapped(f"hb_{title} = {{", [f"{k}: {_literal(v)}," for k, v in rows.items()], "}")
    lines += [
        f"hb_classes = {_literal([plain_value(c) for c in program.classes])}",
        f"hb_costs = {_literal(None if program.costs is None else program.costs.tolist())}",
    ]
    return "\n".join(lines) + _ending(program, name)


@cache
def _runtime() -> Mapping[str, str]:
    """What modules hold besides the tree, by what it is for."""
    text = files("hornbeam.io.export").joinpath("python_runtime.txt").read_text(encoding="utf-8")
    parts = (part.partition("\n") for part in text.split("# ---- ")[1:])
    return {title: code.strip("\n") for title, _, code in parts}


def _ending(program: Program, name: str) -> str:
    """What is called: the answers of classes, of numbers, of equations, of a density."""
    kind = "classes" if program.classes else "equations" if program.equations else "numbers"
    box = ""
    if program.tree.task.is_density:
        kind, box = "density", f"\nhb_box = {_literal(_box(program))}"
    called = Template(_runtime()[kind]).substitute(name=name, decide=f"hb_{program.decision}")
    return f"{box}\n{called}\n"


def _literal(value: object) -> str:
    """A value, or a tuple of them, nested as lists are."""
    if not isinstance(value, list | tuple):
        return python_value(value) if value is not None else "None"
    return f"({' '.join(f'{_literal(v)},' for v in value)})"


def _head(program: Program, name: str) -> list[str]:
    lines = [
        f"# A decision tree; call {name}(row), where row is a dict from column names to values.",
        "# Columns:",
    ]
    lines += [f"#   {comment(column.name)} ({comment(kind_words(column))})" for column in program.columns]
    lines += ["hb_nan = float('nan')", "hb_columns = ("]
    lines += [f"    ({python_value(c.name)}, {_codes(c)}, {_reading(c)})," for c in program.columns]
    return [*lines, ")"]


def _codes(column: Column) -> str:
    if column.kind == "numeric":
        return "None"
    keys = map(ticks_of, column.categories) if time_of(column) else column.categories
    pairs = (f"{python_value(key)}: {code}" for code, key in enumerate(keys))
    return f"{{{', '.join(pairs)}}}"


def _reading(column: Column) -> str:
    """How a value is read: as a time, as its text, or as it is."""
    how = time_of(column)
    return str((how.family, how.unit, how.zone != "")) if how else str(is_odd(column.categories))


def _node_tables(program: Program) -> dict[str, Mapping[int, Any]]:
    """Tables by title: node -> a number, or a list of numbers.

    children : first child and number of children of each test
    weight : of each leaf, empty where branches share a row instead
    share : of each child among its siblings; all 1 where leaves are weighted
    label : the class of each leaf
    alone, together : what each leaf answers alone, and contributes to several
    each : the cost of each class at each leaf, for trees grown with costs of rows
    models : intercept, bounds and terms of each leaf that answers with an equation
    """
    tree, leaves = program.tree, program.leaves
    every = range(1, len(tree))
    shares = {n: 1.0 if program.by_leaf else float(program.share[n]) for n in every}
    tables: dict[str, Mapping[int, Any]] = {
        "children": {n: [int(tree.first_child[n]), int(tree.n_children[n])] for n in program.tests},
        "weight": {n: float(program.weight[n]) for n in leaves} if program.by_leaf else {},
        "share": shares,
        "label": {n: int(tree.label[n]) for n in leaves} if program.classes else {},
        "alone": {n: program.alone[n].tolist() for n in leaves},
        "together": {n: program.together[n].tolist() for n in leaves},
        "each": {},
        "models": {n: _equation(program, n) for n in program.equations},
    }
    if program.leaf_costs is not None:
        tables["each"] = {n: program.leaf_costs[n].tolist() for n in leaves}
    return tables


def _equation(program: Program, leaf: int) -> list[Any]:
    """[intercept, low, high, terms]; a term is [place, power, center, coefficient, gap, codes]."""
    equation = program.equations[leaf]
    terms = [
        [program.place[t.column], t.power, t.center, t.coefficient, t.gap, list(t.codes)]
        for t in equation.terms
    ]
    return [equation.intercept, equation.low, equation.high, terms]


def _box(program: Program) -> list[Any]:
    """The sides of a density's box: [place, low, high]; low and high are None for a column of categories."""
    return [[program.place[side.column], side.low, side.high] for side in program.box]
