"""What a tree answers, as an expression of the closed language.

One idea: a tree is a nested "if": its first test and what the first branch says, or not the test and what the
second says. So a tree can be a predicate of another tree, saved and exported like any other expression.
"""

from __future__ import annotations

import keyword
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from hornbeam.data.columns import Column
from hornbeam.tree.arrays import LEAF
from hornbeam.tree.expressions.language import refuse_functions
from hornbeam.tree.tree import Tree

_Condition = str | bool  # a subtree that says the same everywhere is True or False


def expression_of(tree: Tree, label: Any, columns: Sequence[Column] | None = None) -> str:
    """An expression that is true where `tree` answers `label`.

    Where a test of the tree cannot be told, because a value is missing, neither can the expression, whatever
    branch the tree itself has for gaps. `columns` are those of the table the expression is for: values that
    they do not have are left out.

    >>> city = {"column": "city", "equals": "Brno", "yes": "a", "no": "b"}
    >>> tree = Tree.from_nested({"column": "age", "<=": 30.5, "yes": city, "no": "a"})
    >>> expression_of(tree, "a")
    "age <= 30.5 and city == 'Brno' or not (age <= 30.5)"
    """
    if tree.classes is None:
        raise ValueError(
            f"a tree with task={tree.task!r} answers with numbers: a predicate needs a tree of classes"
        )
    if label not in tree.classes:
        raise ValueError(
            f"the tree never answers {label!r}: its classes are {', '.join(map(repr, tree.classes))}"
        )
    refuse_functions(tree.expressions)
    code = tree.classes.index(label)
    writer = _ExpressionWriter(tree, columns or tree.columns)
    texts: list[_Condition] = [False] * len(tree)
    for node in range(len(tree) - 1, -1, -1):  # children come after their parent
        if tree.kind[node] == LEAF:
            texts[node] = bool(tree.label[node] == code)
        else:
            texts[node] = _either([(test, texts[child]) for test, child in writer.branches(node)])
    if isinstance(texts[0], bool):
        raise ValueError(
            f"the tree answers {label!r} {'for every row' if texts[0] else 'never'}: it is no predicate"
        )
    return texts[0]


def _either(branches: Sequence[tuple[str, _Condition]]) -> _Condition:
    """Test and answer of each branch as one condition; no two branches hold together, and one always does."""
    if len({answer for _, answer in branches}) == 1:
        return branches[0][1]
    terms = []
    for test, answer in branches:
        if answer is True:
            terms.append(test)
        elif answer is not False:
            terms.append(f"{_and(test)} and {_and(str(answer))}")
    return " or ".join(terms)


def _and(text: str) -> str:
    return f"({text})" if " or " in text else text


class _ExpressionWriter:
    """Writes the tests of one tree."""

    def __init__(self, tree: Tree, columns: Sequence[Column]) -> None:
        self.tree = tree
        self.known = {column.name: column for column in columns}

    def branches(self, node: int) -> list[tuple[str, int]]:
        """What each branch asks, with its child; the branch for gaps is left out."""
        return _TESTS[self.tree.kind_of(node)](self, node)

    def two(self, node: int, test: str) -> list[tuple[str, int]]:
        """A test with its two branches."""
        first = int(self.tree.first_child[node])
        return [(test, first), (f"not ({test})", first + 1)]

    def threshold(self, node: int) -> list[tuple[str, int]]:
        """Of a number, or of an ordinal category."""
        column, cut = self.tree.columns[self.tree.column[node]], float(self.tree.threshold[node])
        if not np.isfinite(cut):
            raise ValueError(
                f"the tree asks whether {column.name!r} is missing, which an expression cannot: grow it with"
                " another choice of missing, such as 'majority'"
            )
        return self.two(node, f"{name_text(column.name)} <= {self.value(column, cut)}")

    def equals(self, node: int) -> list[tuple[str, int]]:
        """One category against the others."""
        column = int(self.tree.column[node])
        return self.two(node, self.among(column, [int(self.tree.threshold[node])]))

    def subset(self, node: int) -> list[tuple[str, int]]:
        """Two sets of categories."""
        codes, branch = self.tree.value_map(node)
        return self.two(node, self.among(int(self.tree.column[node]), codes[branch == 0].tolist()))

    def multiway(self, node: int) -> list[tuple[str, int]]:
        """A branch for each category, and one for those no training row had."""
        column, first = int(self.tree.column[node]), int(self.tree.first_child[node])
        codes, branch = self.tree.value_map(node)
        branches = [
            (self.among(column, [code]), first + b)
            for code, b in zip(codes.tolist(), branch.tolist(), strict=True)
        ]
        absent = self.tree.absent_codes(node).tolist()
        if absent:
            branches.append((self.among(column, absent), first + int(self.tree.absent[node])))
        return branches

    def among(self, column: int, codes: Sequence[int]) -> str:
        """Whether a category is one of some; those the table does not have are left out."""
        tested = self.tree.columns[column]
        table = self.known.get(tested.name, tested)
        texts = [value_text(v) for v in (tested.categories[c] for c in codes) if v in table.code_of]
        if not texts:
            return "False"
        name = name_text(tested.name)
        return f"{name} == {texts[0]}" if len(texts) == 1 else f"{name} in ({', '.join(texts)})"

    def plane(self, node: int) -> list[tuple[str, int]]:
        """A weighted sum against a threshold."""
        tree = self.tree
        terms = [f"{weight!r} * {name_text(tree.columns[c].name)}" for c, weight in tree.plane(node)]
        return self.two(node, f"{' + '.join(terms)} <= {float(tree.threshold[node])!r}")

    def tuples(self, node: int) -> list[tuple[str, int]]:
        """Values of several columns together."""
        tree, first = self.tree, int(self.tree.first_child[node])
        tested = [tree.columns[c] for c in tree.tested_columns(node)]
        conditions: dict[int, list[str]] = {}
        for values, branch in tree.value_tuples(node):
            named = zip(tested, values, strict=True)
            text = " and ".join(f"{name_text(c.name)} == {self.value(c, v)}" for c, v in named)
            conditions.setdefault(branch, []).append(text)
        return [(" or ".join(texts), first + branch) for branch, texts in sorted(conditions.items())]

    def expression(self, node: int) -> list[tuple[str, int]]:
        """An expression of its own."""
        return self.two(node, f"({self.tree.expressions[node]})")

    def intervals(self, node: int) -> list[tuple[str, int]]:
        """Several cuts of one column."""
        column, first = self.tree.columns[self.tree.column[node]], int(self.tree.first_child[node])
        cuts = [self.value(column, cut) for cut in self.tree.cuts(node).tolist()]
        name = name_text(column.name)
        above = ["", *(f"{name} > {cut}" for cut in cuts)]
        up_to = [*(f"{name} <= {cut}" for cut in cuts), ""]
        ends = zip(above, up_to, strict=True)
        return [(" and ".join(filter(None, pair)), first + branch) for branch, pair in enumerate(ends)]

    def value(self, column: Column, value: float) -> str:
        """A number, or the category of a code."""
        if column.kind == "numeric":
            return repr(value)
        return value_text(column.categories[int(value)])


_TESTS: Mapping[str, Callable[[_ExpressionWriter, int], list[tuple[str, int]]]] = {
    "threshold": _ExpressionWriter.threshold,
    "subset": _ExpressionWriter.subset,
    "equals": _ExpressionWriter.equals,
    "multiway": _ExpressionWriter.multiway,
    "hyperplane": _ExpressionWriter.plane,
    "columns": _ExpressionWriter.tuples,
    "expression": _ExpressionWriter.expression,
    "intervals": _ExpressionWriter.intervals,
}


def is_expressible(column: Column) -> bool:
    """Whether the language can name a column and all its values."""
    return "`" not in column.name and all(isinstance(v, str | bool | int | float) for v in column.categories)


def name_text(name: str) -> str:
    """A column as the language names it: in backticks, unless it is a plain word."""
    if name.isidentifier() and not keyword.iskeyword(name) and not name.startswith("_column_"):
        return name
    if "`" in name:
        raise ValueError(
            f"column {name!r} has a backtick in its name, so no expression can name it: rename it"
        )
    return f"`{name}`"


def value_text(value: Any) -> str:
    """A category as the language writes it."""
    if isinstance(value, str | bool | int | float):
        return repr(value)
    raise ValueError(
        f"the category {value!r} of type {type(value).__name__} is no text, number or truth value, so no"
        " expression can name it"
    )
