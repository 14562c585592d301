"""Equations of leaves, and the box of a density, as operators of ONNX.

One idea: every leaf answers every row, in a column of its own; the weights that arrive pick what counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from hornbeam._base.types import Floats
from hornbeam.io.export.leaf_equations import Equation, EquationTerm
from hornbeam.io.export.onnx_graph import Graph
from hornbeam.io.export.tree_program import Program


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
