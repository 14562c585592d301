"""ONNX: a tree as a graph of tensor operators in double precision, for any runtime that reads ONNX.

One idea: a row's weight goes down the tree. At a test it is multiplied by 1, 0, or, where the test cannot
tell, the share of the branch; what arrives at the leaves is the row's answer.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

import numpy as np

from hornbeam.io.export.literals import is_odd, plain_value
from hornbeam.io.export.onnx_graph import Graph, equation_answers, inside_box
from hornbeam.io.export.time_values import kind_words
from hornbeam.io.export.tree_program import Program, program_of
from hornbeam.tree.arrays import COLUMNS, EQUALS, EXPRESSION, HYPERPLANE, INTERVALS, THRESHOLD
from hornbeam.tree.branches import branches_of_codes, surrogate_branches_of_codes
from hornbeam.tree.expressions.formulas import FormulaPart
from hornbeam.tree.expressions.language import formula_of
from hornbeam.tree.tree import Tree

_OPSET = 19
_COMPARISONS: Mapping[str, str] = {
    ast.Eq.__name__: "Equal",
    ast.NotEq.__name__: "NotEqual",
    ast.Lt.__name__: "Less",
    ast.LtE.__name__: "LessOrEqual",
    ast.Gt.__name__: "Greater",
    ast.GtE.__name__: "GreaterOrEqual",
}
_ARITHMETIC = (ast.Add.__name__, ast.Sub.__name__, ast.Mult.__name__, ast.Div.__name__, ast.Pow.__name__)
_NAMES = dict(zip(_ARITHMETIC, ("Add", "Sub", "Mul", "Div", "Pow"), strict=True))


def onnx(tree: Tree) -> bytes:
    """A model with an input for each column that is tested, N rows by one, and the outputs below.

    Numbers are doubles, NaN for a gap; times are doubles in the unit that the input's `doc_string` names.
    Categories that are text are strings, "" for a gap; times as categories are the text of Python's `str`,
    numbers and truth values as categories are doubles. A tree of classes gives `label` (N) and
    `probabilities` (N by classes), a tree of numbers or densities `value` (N). Writing needs the package
    onnx: `pip install hornbeam[onnx]`.

    >>> tree = Tree.from_nested({"column": "width", "<=": 0.8, "yes": "a", "no": "b"})
    >>> onnx(tree)[:1]  # doctest: +SKIP
    b'...'
    """
    try:
        import onnx as package
    except ImportError:
        raise ImportError("format='onnx' needs the package onnx: pip install hornbeam[onnx]") from None
    program = program_of(tree)
    content: bytes = _OnnxWriter(package, program).model().SerializeToString()
    return content


class _OnnxWriter:
    """Writes one program as a graph."""

    def __init__(self, package: Any, program: Program) -> None:
        self.package, self.program, self.tree = package, program, program.tree
        self.used = program.used or (0,)  # a single leaf needs an input, too, to know the number of rows
        names = [self.tree.columns[c].name or f"x{c}" for c in self.used]
        self.graph = Graph(package, names)
        self.inputs = dict(zip(self.used, names, strict=True))
        self.codes = {c: self._code(c) for c in program.used if self.tree.columns[c].kind != "numeric"}
        self.numbers = {
            c: self.graph.decimal(self.codes[c]) if c in self.codes else name
            for c, name in self.inputs.items()
        }

    def _is_text(self, column: int) -> bool:
        categories = self.tree.columns[column].categories
        return is_odd(categories) or any(isinstance(value, str) for value in categories)

    def _code(self, column: int) -> str:
        categories = [plain_value(v) for v in self.tree.columns[column].categories]
        if "" in categories:
            name = self.tree.columns[column].name
            raise ValueError(
                f"column {name!r} has the empty text as a value, which ONNX takes for a gap: rename the value"
            )
        return self.graph.code(self.inputs[column], categories, text=self._is_text(column))

    # ---- the walk ------------------------------------------------------------------------------------------

    def model(self) -> Any:
        """The finished model."""
        leaves, g = list(self.program.leaves), self.graph
        reached = g.op("Concat", *self._arriving(), axis=1)
        one = g.array(np.array([1]))
        if self.program.by_leaf:
            weight = g.op("Mul", reached, g.array(self.program.weight[leaves][None, :]))
        else:
            weight = reached
        total = g.op("ReduceSum", weight, one, keepdims=1)
        weight = g.where(g.op("Greater", total, g.number(0.0)), weight, reached)
        total = g.op("ReduceSum", weight, one, keepdims=1)
        share = g.op("Div", weight, total)
        counted = g.as_whole(g.op("Greater", weight, g.number(0.0)))
        single = g.op("Equal", g.op("ReduceSum", counted, one, keepdims=1), g.whole(1))
        leaf = g.op("ArgMax", weight, axis=1, keepdims=0)
        if self.program.equations:
            mixed, alone = equation_answers(g, self.program, self.numbers, share, leaf)
        else:
            alone = g.op("Gather", g.array(self.program.alone[leaves]), leaf)
            mixed = g.op("MatMul", share, g.array(self.program.together[leaves]))
        answers = g.where(single, alone, mixed)
        if self.program.box:
            answers = inside_box(g, self.program, self.numbers, self.codes, answers)
        return self._finished(answers, mixed, share, single, leaf)

    def _arriving(self) -> list[str]:
        """What arrives of each row at every leaf."""
        tree, g = self.tree, self.graph
        first = self.inputs[self.used[0]]
        ones = self.package.numpy_helper.from_array(np.ones(1))
        weight: dict[int, str] = {0: g.op("ConstantOfShape", g.op("Shape", first), value=ones)}
        none = g.number(0.0)
        for node in self.program.tests:
            branch = self._branch(node)
            unknown = g.op("Less", branch, g.whole(0))
            for k, child in enumerate(tree.children(node)):
                share = 1.0 if self.program.by_leaf else float(self.program.share[child])
                taken = g.where(g.op("Equal", branch, g.whole(k)), g.number(1.0), none)
                factor = g.where(unknown, g.number(share), taken)
                weight[child] = g.op("Mul", weight[node], factor)
        return [weight[leaf] for leaf in self.program.leaves]

    def _finished(self, answers: str, mixed: str, share: str, single: str, leaf: str) -> Any:
        g, helper, kinds = self.graph, self.package.helper, self.package.TensorProto
        flat = g.array(np.array([-1]))
        outputs = []
        if self.program.classes:
            label = g.op("Gather", g.array(self.tree.label[list(self.program.leaves)].astype(np.int64)), leaf)
            chosen = g.where(g.op("Reshape", single, flat), label, self._decision(mixed, share))
            values = np.array([plain_value(c) for c in self.program.classes])
            kind = {"b": kinds.BOOL, "i": kinds.INT64, "f": kinds.DOUBLE}.get(values.dtype.kind, kinds.STRING)
            g.nodes.append(helper.make_node("Gather", [g.array(values), chosen], ["label"]))
            g.nodes.append(helper.make_node("Identity", [answers], ["probabilities"]))
            outputs.append(helper.make_tensor_value_info("label", kind, [None]))
            width = len(self.program.classes)
            outputs.append(helper.make_tensor_value_info("probabilities", kinds.DOUBLE, [None, width]))
        else:
            g.nodes.append(helper.make_node("Reshape", [answers, flat], ["value"]))
            outputs.append(helper.make_tensor_value_info("value", kinds.DOUBLE, [None]))
        inputs = []
        for column, name in self.inputs.items():
            kind = kinds.STRING if self._is_text(column) else kinds.DOUBLE
            words = kind_words(self.tree.columns[column])
            inputs.append(helper.make_tensor_value_info(name, kind, [None, 1], doc_string=words))
        graph = helper.make_graph(g.nodes, "tree", inputs, outputs, list(g.constants.values()))
        opsets = [helper.make_opsetid("", _OPSET)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=9, producer_name="hornbeam")

    def _decision(self, mixed: str, share: str) -> str:
        """The class several leaves answer: the first that is within rounding of the best."""
        g, one, decision = self.graph, self.graph.array(np.array([1])), self.program.decision
        if decision == "middle":
            below = g.op("CumSum", mixed, g.array(np.array(1)))
            half = g.op("Mul", g.op("ReduceSum", mixed, one, keepdims=1), g.number(0.5 - 1e-12))
            fits = g.op("GreaterOrEqual", below, half)
        elif decision == "heaviest":
            best = g.op("ReduceMax", mixed, one, keepdims=1)
            # not best * (1 - 1e-12), which onnxruntime takes for a product with 1 and leaves out
            fits = g.op("GreaterOrEqual", mixed, g.op("Sub", best, g.op("Mul", best, g.number(1e-12))))
        else:
            each = self.program.leaf_costs
            if each is not None:
                cost = g.op("MatMul", share, g.array(each[list(self.program.leaves)]))
            else:
                cost = g.op("MatMul", mixed, g.array(np.asarray(self.program.costs)))
            least = g.op("Neg", g.op("ReduceMax", g.op("Neg", cost), one, keepdims=1))
            slack = g.op("Mul", g.op("ReduceMax", cost, one, keepdims=1), g.number(1e-12))
            fits = g.op("LessOrEqual", cost, g.op("Add", least, slack))
        return g.op("ArgMax", g.op("Cast", fits, to=self.package.TensorProto.INT32), axis=1, keepdims=0)

    # ---- tests ---------------------------------------------------------------------------------------------

    def _branch(self, node: int) -> str:
        tree, g = self.tree, self.graph
        branch = self._own(node)
        if tree.policy["missing"] == "all-paths":
            return branch
        for k in range(int(tree.surrogate_offset[node]), int(tree.surrogate_offset[node + 1])):
            branch = g.known(branch, self._surrogate(k))
        if tree.missing[node] < 0:
            return branch
        learned = g.whole(int(tree.missing[node]))
        if tree.policy["missing"] == "learn":
            for column in tree.tested_columns(node):
                if column in self.codes:
                    learned = g.unless(self.codes[column], learned)
        return g.known(branch, learned)

    def _own(self, node: int) -> str:
        tree, g, kind, column = self.tree, self.graph, int(self.tree.kind[node]), int(self.tree.column[node])
        if kind == THRESHOLD:
            return g.cut(self.numbers[column], float(tree.threshold[node]))
        if kind == INTERVALS:
            return g.band(self.numbers[column], tree.cuts(node).tolist())
        if kind == EQUALS:
            other = tree.policy["unseen"] == "other"
            return g.same(self.codes[column], int(tree.threshold[node]), unseen_is_other=other)
        if kind == HYPERPLANE:
            total = g.number(0.0)
            for k in range(int(tree.plane_offset[node]), int(tree.plane_offset[node + 1])):
                weight = g.number(float(tree.plane_weight[k]))
                total = g.op("Add", total, g.op("Mul", weight, self.numbers[int(tree.plane_column[k])]))
            return g.cut(total, float(tree.threshold[node]))
        if kind == COLUMNS:
            return self._tuple(node)
        if kind == EXPRESSION:
            return g.where(
                g.op("Less", truth := self._formula(formula_of(tree, node)), g.whole(0)),
                truth,
                g.op("Sub", g.whole(1), truth),
            )
        return g.pick(self.codes[column], branches_of_codes(tree, node))

    def _tuple(self, node: int) -> str:
        tree, g, branch = self.tree, self.graph, self.graph.whole(-1)
        members = [self.numbers[c] for c in tree.tested_columns(node)]
        for k in range(int(tree.tuple_offset[node]), int(tree.tuple_offset[node + 1])):
            values = tree.entry_value[int(tree.entry_offset[k]) : int(tree.entry_offset[k + 1])].tolist()
            fits = g.op("Equal", members[0], g.number(values[0]))
            for x, value in zip(members[1:], values[1:], strict=True):
                fits = g.op("And", fits, g.op("Equal", x, g.number(value)))
            branch = g.where(fits, g.whole(int(tree.tuple_branch[k])), branch)
        return branch

    def _surrogate(self, k: int) -> str:
        tree, column = self.tree, int(self.tree.surrogate_column[k])
        if tree.surrogate_map_offset[k] == tree.surrogate_map_offset[k + 1]:
            sides = int(tree.surrogate_low[k]), int(tree.surrogate_high[k])
            return self.graph.cut(self.numbers[column], float(tree.surrogate_threshold[k]), *sides)
        return self.graph.pick(self.codes[column], surrogate_branches_of_codes(tree, k))

    def _formula(self, formula: FormulaPart) -> str:
        g, kind, value = self.graph, formula.kind, formula.value
        if kind in ("number", "column", "truth"):
            return {
                "number": lambda: g.number(value),
                "column": lambda: self.numbers[value],
                "truth": lambda: g.whole(value),
            }[kind]()
        if kind == "among":
            column, codes = value
            return g.pick(
                self.codes[column],
                [int(c in codes) for c in range(len(self.tree.columns[column].categories))],
            )
        if kind == "alike":
            first, second, table = value
            same = g.as_whole(g.op("Equal", self.codes[first], g.pick(self.codes[second], table)))
            gap = g.op("Less", g.op("Min", self.codes[first], self.codes[second]), g.whole(0))
            return g.where(gap, g.whole(-1), same)
        parts = [self._formula(part) for part in formula.parts]
        if kind in ("not", "negative"):
            return g.negation(parts[0]) if kind == "not" else g.op("Neg", parts[0])
        if kind == "counted":
            return g.counted(parts[0])
        if kind in _COMPARISONS:
            return g.compare(_COMPARISONS[kind], parts[0], parts[1])
        if kind in _NAMES:
            result = g.op(_NAMES[kind], parts[0], parts[1])
            if kind != "Pow":
                return result
            gap = g.op("Or", g.op("IsNaN", parts[0]), g.op("IsNaN", parts[1]))
            return g.where(gap, g.number(float("nan")), result)
        result = parts[0]
        for part in parts[1:]:
            result = g.both(result, part) if kind == "and" else g.either(result, part)
        return result
