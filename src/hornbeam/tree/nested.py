"""Trees written by hand: a nested structure of dicts becomes the arrays of a Tree.

A leaf is its label, or a dict with what is known of it::

    "ally"                                   {"label": "ally", "counts": [2, 0]}       {"counts": {"ally": 2}}
    {"value": 46.25}                         {"value": 46.25, "n": 4, "sd": 3.49}      {..., "model": {...}}

A dict for a test describes the test, and has a subtree for each of its branches::

    threshold    {"column": "age", "<=": 29, "yes": ..., "no": ...}         for ordinal columns "<=": "medium"
    equals       {"column": "neck", "equals": "tie", "yes": ..., "no": ...}
    multiway     {"column": "outlook", "branches": {"rain": ..., "sunny": ...}}
    subset       {"column": "status", "branches": {("single", "divorced"): ..., "married": ...}}
    hyperplane   {"weights": {"x1": 1, "x2": -2}, "<=": 0.5, "yes": ..., "no": ...}
    columns      {"columns": ["x1", "x2"], "branches": {((0, 0), (1, 1)): ..., ((0, 1), (1, 0)): ...}}
    expression   {"expression": "width * height > 2", "yes": ..., "no": ...}
    intervals    {"column": "age", "cuts": [18, 65], "branches": [..., ..., ...]}    up to 18, up to 65, above

Branches may also be a list of pairs `[[values, subtree], ...]`, as in JSON. Any test may add `"missing":
subtree`, a branch of its own for missing values, or `"missing_to": "no"` (or a value of the branch meant);
without either, a missing value follows all branches. `"surrogates": [{"column": "x2", "<=": 5.5, "low":
"yes", "high": "no"}]` are asked first. `"box": {"x": [0, 10]}` gives a node of a density tree its box.

Columns may be given as a table or a list of Column. Without them they are inferred from the tests. A category
that no test names then counts as any other value for a test `equals`, and as missing for a test with a branch
for each value: give the table if the tree is to be used on its rows.

Counts are given in all leaves or in none. One idea: read the structure into `WrittenNode` objects first,
learn the columns from all of them, and only then number nodes and codes (`hornbeam.tree.nested_arrays`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hornbeam._base.types import Task
from hornbeam.data.columns import Column
from hornbeam.tree.expressions.language import Expression


@dataclass
class WrittenNode:
    """A node as written: its kind, "leaf" or that of its test, and what the structure says of it.

    `branches` pairs each answer ("yes", "no", values) of a test with what follows.
    """

    kind: str
    spec: Mapping[str, Any]
    branches: list[tuple[Any, WrittenNode]] = field(default_factory=list)
    missing: WrittenNode | None = None


_SEVERAL = (list, tuple, set, frozenset)  # what may list the values of a branch
_LEAF_KEYS = {"label", "counts", "value", "n", "sd", "model", "box"}
_COMMON_KEYS = {"missing", "missing_to", "surrogates", "box"}
# The keys that tell the kinds apart, in the order they are looked for, and all keys of each kind.
_KINDS: tuple[tuple[str, str, set[str]], ...] = (
    ("expression", "expression", {"expression", "yes", "no"}),
    ("weights", "hyperplane", {"weights", "<=", "yes", "no"}),
    ("columns", "columns", {"columns", "branches"}),
    ("equals", "equals", {"column", "equals", "yes", "no"}),
    ("cuts", "intervals", {"column", "cuts", "branches"}),
    ("<=", "threshold", {"column", "<=", "yes", "no"}),
    ("branches", "multiway", {"column", "branches"}),
)


def parse(
    nested: Any,
    columns: Any,
    classes: Sequence[Any] | None,
    *,
    task: str | None,
    policy: Mapping[str, str] | None,
    meta: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """The arguments of Tree's constructor."""
    from hornbeam.tree.nested_arrays import arrays_of

    root = read(nested)
    known = infer_columns(root) if columns is None else _described(columns)
    if columns is None:  # the tree names some values of each column, not all there are
        policy = {"unseen": "other"} | dict(policy or {})
    leaves = [node for node in every(root) if node.kind == "leaf"]
    if task is None:
        task = Task.REAL if any("value" in leaf.spec for leaf in leaves) else Task.CLASSES
    if task == Task.CLASSES:
        classes = tuple(classes) if classes is not None else _labels(leaves)
    arrays = arrays_of(root, known, classes, task, dict(meta or {}).get("criterion"))
    return {"columns": known, "classes": classes, "task": task, "policy": policy, "meta": meta, **arrays}


def _described(columns: Any) -> tuple[Column, ...]:
    """The columns of a Table, of any table a model takes, or as they are listed."""
    from hornbeam.data.table import Table

    if isinstance(columns, Sequence) and all(isinstance(column, Column) for column in columns):
        return tuple(columns)
    return (columns if isinstance(columns, Table) else Table.learn(columns)).columns


def read(nested: Any) -> WrittenNode:
    """The structure as WrittenNode objects; by a stack, so that deep trees are no trouble."""
    root, below = _open(nested)
    todo = [(root, below)]
    while todo:
        test, items = todo.pop()
        for answer, sub in items:
            child, deeper = _open(sub)
            if answer is None:
                test.missing = child
            else:
                test.branches.append((answer, child))
            todo.append((child, deeper))
    return root


def every(root: WrittenNode) -> Iterator[WrittenNode]:
    """All nodes in pre-order."""
    todo = [root]
    while todo:
        node = todo.pop()
        yield node
        children = [child for _, child in node.branches] + ([node.missing] if node.missing else [])
        todo.extend(reversed(children))


def _open(nested: Any) -> tuple[WrittenNode, list[tuple[Any, Any]]]:
    """One node, and its (answer, nested) pairs; the answer None is the branch of missing values."""
    if not isinstance(nested, Mapping):
        return WrittenNode("leaf", {"label": nested}), []
    if not {"yes", "no", "branches"} & set(nested):
        _known_keys(nested, _LEAF_KEYS, "a leaf")
        return WrittenNode("leaf", nested), []
    for key, kind, keys in _KINDS:
        if key in nested:
            _known_keys(nested, keys | _COMMON_KEYS, f"a test with {key!r}")
            lacking = sorted(keys - set(nested))
            if lacking:
                raise ValueError(f"a test with the keys {sorted(map(str, nested))} lacks {lacking[0]!r}")
            items = _items(nested, kind)
            if kind == "multiway" and any(isinstance(values, tuple) for values, _ in items):
                kind = "subset"
            if "missing" in nested:
                items.append((None, nested["missing"]))
            return WrittenNode(kind, nested), items
    raise ValueError(
        f"a test with the keys {sorted(map(str, nested))} has nothing to test: give one of"
        f" {', '.join(repr(key) for key, _, _ in _KINDS)}"
    )


def _known_keys(nested: Mapping[str, Any], keys: set[str], what: str) -> None:
    unknown = [key for key in nested if key not in keys]
    if unknown:
        raise ValueError(
            f"{what} has no key {unknown[0]!r}: its keys are {', '.join(map(repr, sorted(keys)))}"
        )


def _items(nested: Mapping[str, Any], kind: str) -> list[tuple[Any, Any]]:
    if "branches" not in nested:
        return [("yes", nested["yes"]), ("no", nested["no"])]
    branches = nested["branches"]
    if kind == "intervals":
        return _intervals(nested["cuts"], branches)
    pairs = branches.items() if isinstance(branches, Mapping) else branches
    items: list[tuple[Any, Any]] = []
    for pair in pairs:
        if not isinstance(pair, Sequence) or isinstance(pair, str) or len(pair) != 2:
            raise ValueError(
                f"branches must map values to subtrees, or list pairs [values, subtree]; {pair!r} is neither"
            )
        values, sub = pair
        if kind == "columns":
            values = _tuples(values, len(nested["columns"]))
        elif isinstance(values, _SEVERAL):
            values = tuple(values)
        items.append((values, sub))
    return items


def _intervals(cuts: Any, branches: Any) -> list[tuple[Any, Any]]:
    """The branches of several cuts, answered by their numbers."""
    if not all(isinstance(listed, Sequence) and not isinstance(listed, str) for listed in (cuts, branches)):
        raise ValueError("a test with 'cuts' lists its cuts, and a subtree for each interval in 'branches'")
    if len(branches) != len(cuts) + 1:
        raise ValueError(
            f"cuts={cuts!r} make {len(cuts) + 1} intervals, but there are {len(branches)} branches"
        )
    return list(enumerate(branches))


def _tuples(values: Any, width: int) -> tuple[tuple[Any, ...], ...]:
    """A set of value tuples; one tuple may stand alone."""
    groups = tuple(values) if isinstance(values, _SEVERAL) else (values,)
    if not all(isinstance(group, list | tuple) for group in groups):
        groups = (groups,)
    for group in groups:
        if len(group) != width:
            raise ValueError(
                f"the values {tuple(group)!r} are {len(group)}, but the test names {width} columns"
            )
    return tuple(tuple(group) for group in groups)


# --- what the structure says about columns and classes ------------------------------------------------------


def infer_columns(root: WrittenNode) -> tuple[Column, ...]:
    """Columns in order of first mention: numeric where a number cuts them, else nominal."""
    values: dict[str, set[Any] | None] = {}
    for node in every(root):
        for name, domain in _mentions(node):
            known = values.setdefault(name, domain)
            if (known is None) != (domain is None):
                raise ValueError(
                    f"column {name!r} is compared with a threshold and with values: say what it is, as in"
                    f" columns=[Column({name!r}, 'numeric'), ...]"
                )
            if known is not None and domain is not None:
                known |= domain
    return tuple(
        Column(name, "numeric") if domain is None else Column(name, "nominal", tuple(in_order(domain)))
        for name, domain in values.items()
    )


def _mentions(test: WrittenNode) -> list[tuple[str, set[Any] | None]]:
    """(column name, values named or None for a number) for each column of a test and of its surrogates."""
    spec = test.spec
    mentions: list[tuple[str, set[Any] | None]] = []
    if test.kind == "expression":
        expression = Expression.parse(spec["expression"])
        mentions = [(name, expression.constants_of(name) or None) for name in expression.column_names]
    elif test.kind == "hyperplane":
        mentions = [(name, None) for name in spec["weights"]]
    elif test.kind == "columns":
        tuples = [values for answer, _ in test.branches for values in answer]
        mentions = [(name, {values[k] for values in tuples}) for k, name in enumerate(spec["columns"])]
    elif test.kind in ("threshold", "intervals"):
        mentions = [(spec["column"], None)]
    elif test.kind == "equals":
        mentions = [(spec["column"], {spec["equals"]})]
    elif test.kind != "leaf":
        mentions = [(spec["column"], {v for answer, _ in test.branches for v in listed(answer)})]
    for surrogate in spec.get("surrogates", ()):
        values = surrogate.get("branches")
        domain = None if values is None else {v for answer in values for v in listed(answer)}
        mentions.append((surrogate["column"], domain))
    return mentions


def listed(answer: Any) -> tuple[Any, ...]:
    """The values of one answer."""
    return answer if isinstance(answer, tuple) else (answer,)


def in_order(values: set[Any]) -> list[Any]:
    """Sorted: numbers by size, text by code point; values that do not compare by type, then text."""
    try:
        return sorted(values)
    except TypeError:
        return sorted(values, key=lambda v: (type(v).__name__, str(v)))


def _labels(leaves: Sequence[WrittenNode]) -> tuple[Any, ...]:
    """The labels of all leaves, sorted."""
    labels: set[Any] = set()
    for leaf in leaves:
        counts = leaf.spec.get("counts")
        if isinstance(counts, Mapping):
            labels |= set(counts)
        elif counts is not None:
            raise ValueError(
                f"counts={counts!r} needs the class order: give classes=[...], or counts as a dict by label"
            )
        if "label" in leaf.spec:
            try:
                labels.add(leaf.spec["label"])
            except TypeError:
                raise ValueError(
                    f"a leaf cannot have the label {leaf.spec['label']!r}: use a string or a number"
                ) from None
    return tuple(in_order(labels))
