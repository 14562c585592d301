"""A graph of ONNX while it is written: operators for tests and decisions, equations of leaves, a box.

One idea: every value is a column of N rows by one: numbers as doubles with NaN for a gap, codes, branches and
truths as whole numbers with -1 for "cannot tell"; an operator gives the name of its result. Every leaf
answers every row, in a column of its own; the weights that arrive pick what counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hornbeam._base.types import Floats
from hornbeam.io.export.leaf_equations import Equation, EquationTerm
from hornbeam.io.export.tree_program import Program


class Graph:
    """Nodes and constants of a graph; `onnx` is the package, imported when asked for."""

    def __init__(self, onnx: Any, taken: Sequence[str]) -> None:
        self.onnx = onnx
        self.nodes: list[Any] = []
        self.constants: dict[str, Any] = {}
        self.prefix = "hb"
        while any(name.startswith(self.prefix) for name in taken):
            self.prefix += "_"

    def op(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """Apply an operator; the name of its result."""
        name = f"{self.prefix}{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def array(self, values: Any) -> str:
        """A constant."""
        name = f"{self.prefix}c{len(self.constants)}"
        array = np.asarray(values)
        if array.dtype.kind in "UO":
            texts = [str(v).encode() for v in array.ravel()]
            kind = self.onnx.TensorProto.STRING
            self.constants[name] = self.onnx.helper.make_tensor(name, kind, array.shape, texts)
        else:
            self.constants[name] = self.onnx.numpy_helper.from_array(array, name)
        return name

    def number(self, value: float) -> str:
        """A constant double."""
        return self.array(np.full((1, 1), float(value)))

    def whole(self, value: int) -> str:
        """A constant whole number."""
        return self.array(np.full((1, 1), int(value), dtype=np.int64))

    def where(self, test: str, yes: str, no: str) -> str:
        """One of two values."""
        return self.op("Where", test, yes, no)

    def as_whole(self, value: str) -> str:
        """Truths as whole numbers."""
        return self.op("Cast", value, to=self.onnx.TensorProto.INT64)

    # ---- the branch of a test ------------------------------------------------------------------------------

    def code(self, x: str, categories: Sequence[Any], *, text: bool) -> str:
        """The code of a category: -1 for a gap, which is an empty text or NaN, -2 if it is none of them."""
        values = (
            np.array([[str(v) for v in categories]], dtype=object) if text else np.array([categories], float)
        )
        same = self.as_whole(self.op("Equal", x, self.array(values)))
        known = self.op("ReduceMax", same, self.array(np.array([1])), keepdims=1)
        position = self.op(
            "ArgMax", self.op("Cast", same, to=self.onnx.TensorProto.INT32), axis=1, keepdims=1
        )
        gap = self.op("Equal", x, self.array(np.array([[""]], dtype=object))) if text else self.op("IsNaN", x)
        lost = self.where(gap, self.whole(-1), self.whole(-2))
        return self.where(self.op("Equal", known, self.whole(1)), position, lost)

    def decimal(self, code: str) -> str:
        """A code as a number, NaN if it is missing."""
        value = self.op("Cast", code, to=self.onnx.TensorProto.DOUBLE)
        return self.where(self.op("Less", code, self.whole(0)), self.number(float("nan")), value)

    def cut(self, x: str, cut: float, low: int = 0, high: int = 1) -> str:
        """Two sides of a threshold."""
        side = self.where(self.op("LessOrEqual", x, self.number(cut)), self.whole(low), self.whole(high))
        return self.where(self.op("IsNaN", x), self.whole(-1), side)

    def band(self, x: str, cuts: Sequence[float]) -> str:
        """How many cuts are below a value."""
        above = self.as_whole(self.op("Greater", x, self.array(np.array([cuts], dtype=np.float64))))
        count = self.op("ReduceSum", above, self.array(np.array([1])), keepdims=1)
        return self.where(self.op("IsNaN", x), self.whole(-1), count)

    def pick(self, code: str, table: Sequence[int]) -> str:
        """What a table has for a code."""
        entry = self.op(
            "Gather", self.array(np.array(table, dtype=np.int64)), self.op("Max", code, self.whole(0))
        )
        return self.where(self.op("Less", code, self.whole(0)), self.whole(-1), entry)

    def same(self, code: str, wanted: int, *, unseen_is_other: bool) -> str:
        """One category against the others."""
        side = self.where(self.op("Equal", code, self.whole(wanted)), self.whole(0), self.whole(1))
        gap = self.op("Equal" if unseen_is_other else "LessOrEqual", code, self.whole(-1))
        return self.where(gap, self.whole(-1), side)

    def known(self, branch: str, other: str) -> str:
        """A branch, or another where it cannot be told."""
        return self.where(self.op("Less", branch, self.whole(0)), other, branch)

    def unless(self, code: str, branch: str) -> str:
        """A branch, unless the category was never seen."""
        return self.where(self.op("Equal", code, self.whole(-2)), self.whole(-1), branch)

    # ---- three-valued truths -------------------------------------------------------------------------------

    def compare(self, kind: str, a: str, b: str) -> str:
        """A comparison of numbers; `kind` is an operator of ONNX, or "NotEqual"."""
        test = self.as_whole(self.op("Equal" if kind == "NotEqual" else kind, a, b))
        if kind == "NotEqual":
            test = self.op("Sub", self.whole(1), test)
        return self.where(self.op("Or", self.op("IsNaN", a), self.op("IsNaN", b)), self.whole(-1), test)

    def negation(self, a: str) -> str:
        """Not."""
        return self.where(self.op("Less", a, self.whole(0)), a, self.op("Sub", self.whole(1), a))

    def counted(self, a: str) -> str:
        """A truth as the number 1 or 0, NaN where it is unknown."""
        number = self.op("Cast", a, to=self.onnx.TensorProto.DOUBLE)
        return self.where(self.op("Less", a, self.whole(0)), self.number(float("nan")), number)

    def both(self, a: str, b: str) -> str:
        """And: false if one is, true if both are."""
        false = self.op("Or", *(self.op("Equal", x, self.whole(0)) for x in (a, b)))
        return self.where(false, self.whole(0), self.op("Min", a, b))

    def either(self, a: str, b: str) -> str:
        """Or: true if one is, false if both are."""
        return self.negation(self.both(self.negation(a), self.negation(b)))


# ---- equations of leaves, and the box of a density ------------------------------------------------------


def equation_answers(
    g: Graph, program: Program, numbers: Mapping[int, str], share: str, leaf: str
) -> tuple[str, str]:
    """What the leaves reached answer together, and what the heaviest answers alone; N rows by one each."""
    rows = g.op("ReduceSum", g.op("Mul", share, g.number(0.0)), g.array(np.array([1])), keepdims=1)
    said = []
    for number in program.leaves:
        equation = program.equations.get(number)
        if equation is None:
            said.append(g.op("Add", rows, g.number(float(program.alone[number, 0]))))
        else:
            said.append(g.op("Add", rows, _equation(g, equation, numbers)))
    answers = g.op("Concat", *said, axis=1)
    counts = g.op("Greater", share, g.number(0.0))
    parts = g.where(counts, g.op("Mul", share, answers), g.number(0.0))
    mixed = g.op("ReduceSum", parts, g.array(np.array([1])), keepdims=1)
    place = g.op("Reshape", leaf, g.array(np.array([-1, 1])))
    return mixed, g.op("GatherElements", answers, place, axis=1)


def _equation(g: Graph, equation: Equation, numbers: Mapping[int, str]) -> str:
    total = g.number(equation.intercept)
    powers = [term for term in equation.terms if term.power]
    members = [term for term in equation.terms if not term.power]
    one = g.array(np.array([1]))
    for terms, write in ((powers, _powers), (members, _members)):
        if terms:
            x = g.op("Concat", *(numbers[term.column] for term in terms), axis=1)
            added = g.where(g.op("IsNaN", x), g.array(_row(terms, "gap")), write(g, x, terms))
            total = g.op("Add", total, g.op("ReduceSum", added, one, keepdims=1))
    low, high = g.number(equation.low), g.number(equation.high)
    total = g.where(g.op("Less", total, low), low, total)
    return g.where(g.op("Less", high, total), high, total)


def _row(terms: Sequence[EquationTerm], name: str) -> Floats:
    """One number of every term."""
    return np.array([[float(getattr(term, name)) for term in terms]])


def _powers(g: Graph, x: str, terms: Sequence[EquationTerm]) -> str:
    """The coefficient * (x - center) ** power, a column for each term."""
    step = g.op("Sub", x, g.array(_row(terms, "center")))
    product = g.op("Mul", g.array(_row(terms, "coefficient")), step)
    power = _row(terms, "power")
    for p in range(1, int(power.max())):
        product = g.where(g.array(power > p), g.op("Mul", product, step), product)
    return product


def _members(g: Graph, x: str, terms: Sequence[EquationTerm]) -> str:
    """The coefficient where the code is among those of the term, a column for each term."""
    codes = np.full((1, len(terms), max([1, *(len(term.codes) for term in terms)])), -9.0)
    for k, term in enumerate(terms):
        codes[0, k, : len(term.codes)] = term.codes
    same = g.as_whole(g.op("Equal", g.op("Unsqueeze", x, g.array(np.array([2]))), g.array(codes)))
    among = g.op("ReduceMax", same, g.array(np.array([2])), keepdims=0)
    return g.where(g.op("Greater", among, g.whole(0)), g.array(_row(terms, "coefficient")), g.number(0.0))


def inside_box(
    g: Graph, program: Program, numbers: Mapping[int, str], codes: Mapping[int, str], answers: str
) -> str:
    """The answers, 0 where a row lies outside the box of a density."""
    for side in program.box:
        if side.low is None or side.high is None:
            outside = g.op("Equal", codes[side.column], g.whole(-2))
        else:
            x = numbers[side.column]
            outside = g.op("Or", g.op("Less", x, g.number(side.low)), g.op("Greater", x, g.number(side.high)))
        answers = g.where(outside, g.number(0.0), answers)
    return answers
