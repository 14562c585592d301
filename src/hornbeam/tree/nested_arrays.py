"""Numbering a tree written by hand: WrittenNode objects to the arrays of a Tree.

One idea: breadth-first order puts the children of every node side by side and after it, which is all a Tree
asks for. Statistics are known in the leaves and added up from the last node to the first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from hornbeam._base.types import Floats, Ints, Task
from hornbeam.data.columns import Column
from hornbeam.tree import answers
from hornbeam.tree.arrays import (
    KINDS,
    LEAF,
    NODE_ARRAYS,
    Pools,
    new_pools,
    node_weights,
    open_node,
    pool_arrays,
)
from hornbeam.tree.expressions.language import Expression
from hornbeam.tree.nested import WrittenNode, listed
from hornbeam.tree.node_stats import merge_stats

Record = dict[str, Any]  # the values of one node, by the names of their arrays
Classes = Sequence[Any] | None
Nodes = list[WrittenNode | None]  # None is the leaf shared by absent values


class _ArrayWriter:
    """The arrays while they are being written: a record per node, a list of entries per pool and owner."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self.columns = columns
        self.place = {column.name: number for number, column in enumerate(columns)}
        self.records: list[dict[str, Any]] = []
        self.pools: Pools = new_pools()
        self.expressions: dict[int, str] = {}
        self.leaf_models: dict[int, Any] = {}

    def find(self, name: str) -> int:
        """The number of a column."""
        if name not in self.place:
            known = ", ".join(map(repr, list(self.place)[:20]))
            raise ValueError(f"the tree tests a column {name!r}, but the columns are {known}")
        return self.place[name]

    def code(self, column: int, value: Any) -> int:
        """The code of a category."""
        description = self.columns[column]
        if description.kind == "numeric":
            raise ValueError(
                f"column {description.name!r} is numeric, so it has no value {value!r} to test:"
                " use '<=', or make the column nominal"
            )
        try:
            return description.code_of[value]
        except (KeyError, TypeError):
            shown = ", ".join(map(repr, description.categories[:20]))
            raise ValueError(
                f"column {description.name!r} has no value {value!r}: its values are {shown}"
            ) from None

    def number(self, column: int, value: Any) -> float:
        """A value as the tree stores it: a number, or the code of a category."""
        return _finite(value) if self.columns[column].kind == "numeric" else float(self.code(column, value))

    def cut(self, column: int, value: Any) -> float:
        """A threshold: a number, or half a step above the code of an ordinal category."""
        if self.columns[column].kind == "nominal":
            raise ValueError(
                f"column {self.columns[column].name!r} is nominal, so it has no threshold:"
                " use 'equals' or 'branches'"
            )
        return self.number(column, value) + (0.5 if self.columns[column].kind == "ordinal" else 0.0)


def arrays_of(
    root: WrittenNode, columns: Sequence[Column], classes: Classes, task: str, criterion: str | None
) -> dict[str, Any]:
    """Arrays, expressions and leaf models of the tree below `root`."""
    writer = _ArrayWriter(columns)
    queue: Nodes = [root]
    for node in queue:  # the queue grows while it is read
        record: Record = {"kind": LEAF, "first_child": -1, "n_children": 0}
        writer.records.append(record)
        open_node(writer.pools)
        if node is not None and node.kind != "leaf":
            children = _WRITERS[node.kind](writer, node, record) or [child for _, child in node.branches]
            _write_missing(writer, node, record, children)
            record |= {"kind": KINDS.index(node.kind), "first_child": len(queue), "n_children": len(children)}
            queue.extend(children)
        if node is not None:
            _write_extras(writer, node)
    arrays: dict[str, Any] = {
        name: np.array([record.get(name, NODE_ARRAYS[name].fill) for record in writer.records])
        for name in ("kind", "first_child", "n_children", "column", "threshold", "missing", "absent")
    }
    arrays |= pool_arrays(writer.pools)
    arrays |= _statistics(queue, arrays, classes, task, criterion)
    return arrays | {"expressions": writer.expressions, "leaf_models": writer.leaf_models}


# --- one writer per kind: fills the record and the pools, returns the children if they are not as written ---


def _write_threshold(writer: _ArrayWriter, test: WrittenNode, record: Record) -> None:
    column = writer.find(test.spec["column"])
    record |= {"column": column, "threshold": writer.cut(column, test.spec["<="])}


def _write_intervals(writer: _ArrayWriter, test: WrittenNode, record: Record) -> None:
    column = record["column"] = writer.find(test.spec["column"])
    writer.pools["cut"][-1] += [(writer.cut(column, cut), np.nan, np.nan) for cut in test.spec["cuts"]]


def _write_equals(writer: _ArrayWriter, test: WrittenNode, record: Record) -> None:
    column = writer.find(test.spec["column"])
    record |= {"column": column, "threshold": float(writer.code(column, test.spec["equals"]))}


def _write_hyperplane(writer: _ArrayWriter, test: WrittenNode, record: Record) -> None:
    for name, weight in test.spec["weights"].items():
        writer.pools["plane"][-1].append((writer.find(name), _finite(weight)))
    record["threshold"] = _finite(test.spec["<="])


def _write_expression(writer: _ArrayWriter, test: WrittenNode, record: Record) -> None:
    text = test.spec["expression"]
    Expression.parse(text).check(writer.columns)
    writer.expressions[len(writer.records) - 1] = text
    record["column"] = -1


def _write_values(writer: _ArrayWriter, test: WrittenNode, record: Record) -> Nodes:
    """Subset and multiway: a value map; multiway in domain order, with one leaf for all absent values."""
    column = record["column"] = writer.find(test.spec["column"])
    coded = [([writer.code(column, v) for v in listed(answer)], child) for answer, child in test.branches]
    if test.kind == "multiway":
        coded.sort(key=lambda pair: pair[0])
    pairs = sorted((code, branch) for branch, (codes, _) in enumerate(coded) for code in codes)
    if len({code for code, _ in pairs}) < len(pairs):
        raise ValueError(
            f"a value of column {test.spec['column']!r} leads to two branches: name each value once"
        )
    writer.pools["map"][-1] = list(pairs)
    children: Nodes = [child for _, child in coded]
    if test.kind == "multiway" and len(pairs) < len(writer.columns[column].categories):
        record["absent"] = len(children)
        children.append(None)
    return children


def _write_columns(writer: _ArrayWriter, test: WrittenNode, record: Record) -> None:
    numbers = [writer.find(name) for name in test.spec["columns"]]
    record["column"] = -1
    writer.pools["set"][-1] = [(number,) for number in numbers]
    entries = set()
    for branch, (answer, _) in enumerate(test.branches):
        for values in answer:
            entry = tuple(writer.number(c, v) for c, v in zip(numbers, values, strict=True))
            if entry in entries:
                raise ValueError(f"the values {values!r} lead to two branches: name each tuple once")
            entries.add(entry)
            writer.pools["tuple"][-1].append((branch, entry))


_WRITERS: Mapping[str, Callable[[_ArrayWriter, WrittenNode, Record], Nodes | None]] = {
    "threshold": _write_threshold,
    "equals": _write_equals,
    "hyperplane": _write_hyperplane,
    "expression": _write_expression,
    "subset": _write_values,
    "multiway": _write_values,
    "columns": _write_columns,
    "intervals": _write_intervals,
}


def _write_missing(writer: _ArrayWriter, test: WrittenNode, record: Record, children: Nodes) -> None:
    """Where missing values go, and the surrogates asked before."""
    if test.missing is not None:
        if "missing_to" in test.spec:
            raise ValueError(
                "a test has 'missing' (a branch of its own) and 'missing_to' (another branch): give one"
            )
        record["missing"] = len(children)
        children.append(test.missing)
    elif "missing_to" in test.spec:
        record["missing"] = _branch(writer, test, test.spec["missing_to"])
    for item in test.spec.get("surrogates", ()):
        column = writer.find(item["column"])
        facts = (float(item.get("agreement", np.nan)), float(item.get("association", np.nan)))
        branches = item["branches"].items() if "branches" in item else ()
        pairs = sorted(
            (writer.code(column, v), _branch(writer, test, to)) for vs, to in branches for v in listed(vs)
        )
        threshold, low, high = np.nan, -1, -1
        if "branches" not in item:
            low, high = _branch(writer, test, item["low"]), _branch(writer, test, item["high"])
            threshold = writer.cut(column, item["<="])
        writer.pools["surrogate"][-1].append((column, threshold, low, high, *facts, pairs))


def _branch(writer: _ArrayWriter, test: WrittenNode, answer: Any) -> int:
    """The branch that an answer ("yes", a value, a tuple of values) chooses."""
    if test.kind in ("subset", "multiway"):
        code = writer.code(writer.find(test.spec["column"]), listed(answer)[0])
        for known, branch in writer.pools["map"][-1]:
            if known == code:
                return int(branch)
    if test.kind == "intervals":
        value = writer.number(writer.find(test.spec["column"]), answer)
        return int(np.searchsorted([cut for cut, _, _ in writer.pools["cut"][-1]], value))
    for branch, (known, _) in enumerate(test.branches):
        if known == answer or (test.kind == "columns" and answer in known):
            return branch
    raise ValueError(
        f"no branch of the test has the answer {answer!r}: name 'yes', 'no' or a value of the branch"
    )


def _write_extras(writer: _ArrayWriter, node: WrittenNode) -> None:
    if "model" in node.spec:
        writer.leaf_models[len(writer.records) - 1] = node.spec["model"]
    for name, (low, high) in node.spec.get("box", {}).items():
        writer.pools["box"][-1].append((writer.find(name), _finite(low), _finite(high)))


def _finite(value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{value!r} must be a number") from None
    if not np.isfinite(number):
        raise ValueError(f"{value!r} must be a finite number")
    return number


# --- statistics ---------------------------------------------------------------------------------------------


def _statistics(
    queue: Nodes, arrays: Mapping[str, Any], classes: Classes, task: str, criterion: str | None
) -> dict[str, Any]:
    """stats, n_rows, label, impurity and gain of every node from what the leaves say."""
    leaves = [(i, node.spec) for i, node in enumerate(queue) if node and node.kind == "leaf"]
    key = "counts" if task == Task.CLASSES else "n"
    counted = [key in spec for _, spec in leaves]
    if any(counted) and not all(counted):
        raise ValueError(
            f"{key!r} is given in some leaves only: give it in all (zeros in an empty leaf) or in none"
        )
    width = len(classes or ()) if task == Task.CLASSES else 3 if task == Task.REAL else 1
    stats, rows = np.zeros((len(queue), width)), np.zeros(len(queue), dtype=np.int64)
    label: Ints = np.full(len(queue), -1, dtype=np.int32)
    for node, spec in leaves:
        if task == Task.CLASSES:
            stats[node], label[node] = _class_leaf(spec, tuple(classes or ()))
        else:
            stats[node] = _real_leaf(spec)[:width]
        total = float(stats[node].sum() if task == Task.CLASSES else stats[node, 0])
        rows[node] = max(round(total), 1) if key in spec and total > 0 else 0
    parent = _parents(arrays["first_child"], arrays["n_children"])
    for node in range(len(queue) - 1, -1, -1):
        if arrays["first_child"][node] >= 0:
            first = arrays["first_child"][node]
            children = slice(first, first + arrays["n_children"][node])
            stats[node], rows[node] = merge_stats(stats[children], task), rows[children].sum()
    if task == Task.CLASSES:
        label = np.where(label >= 0, label, answers.majority(stats, parent))
    summary = {"stats": stats, "n_rows": rows, "label": label}
    if not all(counted):
        return summary
    impurity = answers.impurities(stats, task, criterion)
    weight = node_weights(stats, task)
    gain = answers.gains(arrays["first_child"], arrays["n_children"], weight, impurity, criterion)
    return summary | {"impurity": impurity, "gain": gain}


def _parents(first_child: Ints, n_children: Ints) -> Ints:
    tests = np.flatnonzero(first_child >= 0)
    return np.concatenate(([-1], np.repeat(tests, n_children[tests]))).astype(np.int32)


def _class_leaf(spec: Mapping[str, Any], classes: tuple[Any, ...]) -> tuple[Floats, int]:
    """Class weights and label of a leaf; without counts its label weighs 1. Label -1: the majority."""
    counts = spec.get("counts")
    labels = [spec["label"]] if "label" in spec else []
    for label in labels + list(counts if isinstance(counts, Mapping) else ()):
        if label not in classes:
            raise ValueError(
                f"the leaf label {label!r} is not among the classes {', '.join(map(repr, classes))}"
            )
    code = classes.index(spec["label"]) if labels else -1
    if counts is None:
        if code < 0:
            raise ValueError(f"the leaf {dict(spec)!r} says nothing: give a 'label' or 'counts'")
        return np.eye(len(classes))[code], code
    if isinstance(counts, Mapping):
        counts = [counts.get(label, 0) for label in classes]
    if len(counts) != len(classes):
        raise ValueError(f"counts={counts!r} has {len(counts)} numbers for {len(classes)} classes")
    return np.array([_finite(c) for c in counts]), code


def _real_leaf(spec: Mapping[str, Any]) -> list[float]:
    """(weight, mean, squares) of a leaf; without n it weighs 1."""
    value = _finite(spec.get("value", spec.get("label", 0.0)))
    n, sd = _finite(spec.get("n", 1)), _finite(spec.get("sd", 0))
    return [n, value, n * sd * sd]
