"""Derived fields of PMML: what a test on several columns calculates, or why PMML cannot calculate it.

One idea: PMML's predicates know one field each, but a field may be calculated from others by arithmetic, in
which what is missing stays missing. So a sum becomes a field, the two sides of a comparison their difference,
a category its 1 or 0, and a set of columns the number of the branch.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping
from functools import partial, reduce

from hornbeam.data.columns import Column
from hornbeam.data.formatting import number_text
from hornbeam.io.export.literals import plain_value
from hornbeam.io.export.tree_program import Program
from hornbeam.tree.arrays import COLUMNS, EXPRESSION, HYPERPLANE
from hornbeam.tree.expressions.formulas import FormulaPart
from hornbeam.tree.expressions.language import formula_of
from hornbeam.tree.tree import Tree

SEVERAL = (HYPERPLANE, COLUMNS, EXPRESSION)
_ARITHMETIC: Mapping[str, str] = {"Add": "+", "Sub": "-", "Mult": "*"}
COMPARISONS: Mapping[str, str] = {
    "Eq": "equal",
    "NotEq": "notEqual",
    "Lt": "lessThan",
    "LtE": "lessOrEqual",
    "Gt": "greaterThan",
    "GtE": "greaterOrEqual",
}
_OPPOSITES = (("Eq", "NotEq"), ("Lt", "GtE"), ("LtE", "Gt"))
OPPOSITE: Mapping[str, str] = {a: b for pair in _OPPOSITES for a, b in (pair, pair[::-1])}
_BEYOND: Mapping[str, str] = {
    "and": "'and'",
    "or": "'or' or 'in'",
    "alike": "a comparison of two categories",
    "Div": "a division",
    "Pow": "a power",
    "truth": "a constant truth",
}


def is_number(column: Column) -> bool:
    """Whether the values of a column are numbers to PMML."""
    return column.kind == "numeric" or all(
        isinstance(v, int | float) and not isinstance(v, bool) for v in column.categories
    )


def text_of(value: object) -> str:
    """A value as an attribute of XML has it."""
    plain = plain_value(value)
    return number_text(plain) if isinstance(plain, float) else str(plain)


def question_of(tree: Tree, node: int) -> tuple[FormulaPart, str]:
    """A number to be calculated, and the comparison with 0 by which the expression of a node is true.

    Raises a ValueError for what PMML's functions say in another way, or not at all.
    """
    formula, turned = formula_of(tree, node), False
    while formula.kind == "not":
        formula, turned = formula.parts[0], not turned
    if formula.kind in COMPARISONS:
        left, right = formula.parts
        zero = right.kind == "number" and right.value == 0
        number, word = left if zero else FormulaPart("Sub", (left, right)), formula.kind
    else:
        number, word = FormulaPart("counted", (formula,)), "Gt"
    _refuse(number)
    return number, OPPOSITE[word] if turned else word


def _refuse(number: FormulaPart) -> None:
    """Raise unless a number is calculated from columns and categories by +, - and *."""
    todo = [number]
    while todo:
        formula = todo.pop()
        if formula.kind == "counted":
            truth = formula.parts[0]
            if truth.kind == "among" or (truth.kind == "not" and truth.parts[0].kind == "among"):
                continue
            what = _BEYOND.get(truth.kind, "a truth that is calculated with")
        elif formula.kind in ("number", "column", "negative", *_ARITHMETIC):
            todo += formula.parts
            continue
        else:
            what = _BEYOND[formula.kind]
        raise ValueError(
            f"the tree tests an expression with {what}, which engines of PMML answer in different ways:"
            " export it to another format"
        )


class Fields:
    """The derived fields of one program: `names` has the name of each node's, `elements` writes them."""

    def __init__(self, program: Program, taken: set[str]) -> None:
        self.tree = program.tree
        self.names: dict[int, str] = {}
        for node in program.tests:
            if self.tree.kind[node] in SEVERAL:
                name = f"test {node}"
                while name in taken:
                    name += "_"
                taken.add(name)
                self.names[node] = name

    def column(self, node: int) -> Column:
        """The column a node tests; its derived field as a numeric column if it tests several."""
        if node in self.names:
            return Column(self.names[node], "numeric")
        return self.tree.columns[int(self.tree.column[node])]

    def elements(self) -> Iterator[ET.Element]:
        """The fields as a document has them."""
        for node, name in self.names.items():
            field = ET.Element("DerivedField", {"name": name, "optype": "continuous", "dataType": "double"})
            kind = int(self.tree.kind[node])
            if kind == HYPERPLANE:
                field.append(self._sum(node))
            elif kind == COLUMNS:
                field.append(self._branch(node))
            else:
                field.append(self._number(question_of(self.tree, node)[0]))
            yield field

    def _sum(self, node: int) -> ET.Element:
        """The terms added up from the first to the last, as the tree adds them."""
        tree = self.tree
        total: ET.Element | None = None
        for k in range(*tree.plane_offset[node : node + 2].tolist()):
            weight, column = float(tree.plane_weight[k]), int(tree.plane_column[k])
            term = _apply("*", _constant(weight), self._field(column))
            total = term if total is None else _apply("+", total, term)
        assert total is not None
        return total

    def _branch(self, node: int) -> ET.Element:
        """A table from the values of the columns to the number of the branch."""
        tree, members = self.tree, self.tree.tested_columns(node)
        mapping = ET.Element("MapValues", {"outputColumn": "branch", "dataType": "double"})
        for k, member in enumerate(members):
            pair = {"field": tree.columns[member].name, "column": f"c{k}"}
            ET.SubElement(mapping, "FieldColumnPair", pair)
        rows = ET.SubElement(mapping, "InlineTable")
        for k in range(*tree.tuple_offset[node : node + 2].tolist()):
            values = tree.entry_value[int(tree.entry_offset[k]) : int(tree.entry_offset[k + 1])].tolist()
            row = ET.SubElement(rows, "row")
            for place, (member, value) in enumerate(zip(members, values, strict=True)):
                column = tree.columns[member]
                numeric = column.kind == "numeric"
                text = text_of(value if numeric else column.categories[int(value)])
                ET.SubElement(row, f"c{place}").text = text
            ET.SubElement(row, "branch").text = str(int(tree.tuple_branch[k]))
        return mapping

    def _number(self, formula: FormulaPart) -> ET.Element:
        if formula.kind == "number":
            return _constant(formula.value)
        if formula.kind == "column":
            return self._field(formula.value)
        if formula.kind == "counted":
            return self._counted(formula.parts[0])
        parts = [self._number(part) for part in formula.parts]
        if formula.kind == "negative":
            return _apply("-", _constant(0.0), *parts)
        return _apply(_ARITHMETIC[formula.kind], *parts)

    def _counted(self, truth: FormulaPart) -> ET.Element:
        """1 where a column has one of some categories, else 0: a 1 or 0 for each, added up."""
        inside = truth.kind == "among"
        number, codes = (truth if inside else truth.parts[0]).value
        column = self.tree.columns[number]
        wanted = [k for k in range(len(column.categories)) if (k in codes) == inside]
        marks = [self._mark(column, k) for k in wanted]
        if not marks:  # 0, and missing where the column is
            return _apply("*", _constant(0.0), self._mark(column, 0))
        return reduce(partial(_apply, "+"), marks)

    def _mark(self, column: Column, code: int) -> ET.Element:
        facts = {"field": column.name, "value": text_of(column.categories[code])}
        return ET.Element("NormDiscrete", facts)

    def _field(self, column: int) -> ET.Element:
        return ET.Element("FieldRef", {"field": self.tree.columns[column].name})


def _apply(function: str, *parts: ET.Element) -> ET.Element:
    element = ET.Element("Apply", {"function": function})
    element.extend(parts)
    return element


def _constant(value: float) -> ET.Element:
    element = ET.Element("Constant", {"dataType": "double"})
    element.text = text_of(value)
    return element
