"""Tests as calls, in the syntax that Python and C share.

One idea: `hb_cut(v[0], 2.5)` means the same in both, so a test is written once. A language brings a
dozen small functions of these names, and the tables they look things up in. `x` holds numbers and codes of
categories (-1 missing, -2 never seen), `v` the same with NaN for every code that is missing; a branch is a
number, -1 where the test cannot tell; a truth is 1, 0, or -1.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence

from hornbeam.io.export.tree_program import Program
from hornbeam.tree import arrays
from hornbeam.tree.branches import branches_of_codes, surrogate_branches_of_codes
from hornbeam.tree.expressions.formulas import ARITHMETIC, FormulaPart
from hornbeam.tree.expressions.language import formula_of

_WIDTH = 110
_DEEPEST = 40  # calls nested deeper are written as functions of their own


class Calls:
    """The tests of a program as calls.

    Attributes
    ----------
    tests : dict from node to the call that gives its branch
    helpers : list of calls used by name, `hb_part_0(x, v)`, in the order they may be defined, each with
        whether it gives a number rather than a truth
    tables : dict from name to a list of numbers
    """

    def __init__(self, program: Program, number: Callable[[float], str]) -> None:
        self.program, self.tree, self.number = program, program.tree, number
        self.tables: dict[str, list[float]] = {}
        self.helpers: list[tuple[str, bool]] = []
        self.tests = {node: self._test(node) for node in program.tests}

    # ---- the branch of a test ------------------------------------------------------------------------------

    def _test(self, node: int) -> str:
        tree = self.tree
        call = _WRITERS[int(tree.kind[node])](self, node)
        if tree.policy["missing"] == "all-paths":
            return call
        for k in range(int(tree.surrogate_offset[node]), int(tree.surrogate_offset[node + 1])):
            call = f"hb_known({call}, {self._surrogate(k)})"
        if tree.missing[node] < 0:
            return call
        learned = str(int(tree.missing[node]))
        if tree.policy["missing"] == "learn":  # nothing was learned about a category never seen
            for column in tree.tested_columns(node):
                if tree.columns[column].kind != "numeric":
                    learned = f"hb_unless({self.x(column)}, {learned})"
        return f"hb_known({call}, {learned})"

    def x(self, column: int) -> str:
        """The value or code of a column."""
        return f"x[{self.program.place[column]}]"

    def v(self, column: int) -> str:
        """The value or code of a column as a number, NaN if it is missing or never seen."""
        return f"v[{self.program.place[column]}]"

    def table(self, name: str, values: Sequence[float]) -> str:
        """The name of a table with these numbers."""
        self.tables[name] = list(values)
        return name

    def _threshold(self, node: int) -> str:
        cut = self.number(float(self.tree.threshold[node]))
        return f"hb_cut({self.v(int(self.tree.column[node]))}, {cut})"

    def _intervals(self, node: int) -> str:
        cuts = self.tree.cuts(node).tolist()
        table = self.table(f"hb_cuts_{node}", cuts)
        return f"hb_band({self.v(int(self.tree.column[node]))}, {table}, {len(cuts)})"

    def _equals(self, node: int) -> str:
        word = "hb_same" if self.tree.policy["unseen"] == "missing" else "hb_other"
        return f"{word}({self.x(int(self.tree.column[node]))}, {int(self.tree.threshold[node])})"

    def _map(self, node: int) -> str:
        table = self.table(f"hb_map_{node}", branches_of_codes(self.tree, node))
        return f"hb_pick({self.x(int(self.tree.column[node]))}, {table})"

    def _plane(self, node: int) -> str:
        tree, span = self.tree, slice(*self.tree.plane_offset[node : node + 2].tolist())
        places = [self.program.place[c] for c in tree.plane_column[span].tolist()]
        weights = tree.plane_weight[span].tolist()
        columns = self.table(f"hb_plane_{node}", places)
        sums = f"hb_sum(v, {columns}, {self.table(f'hb_weights_{node}', weights)}, {len(places)})"
        return f"hb_cut({sums}, {self.number(float(tree.threshold[node]))})"

    def _tuple(self, node: int) -> str:
        tree = self.tree
        places = [self.program.place[c] for c in tree.tested_columns(node)]
        span = range(int(tree.tuple_offset[node]), int(tree.tuple_offset[node + 1]))
        values: list[float] = []
        for k in span:
            values += tree.entry_value[int(tree.entry_offset[k]) : int(tree.entry_offset[k + 1])].tolist()
        branches = [int(tree.tuple_branch[k]) for k in span]
        members, tuples = self.table(f"hb_set_{node}", places), self.table(f"hb_tuples_{node}", values)
        chosen = self.table(f"hb_branches_{node}", branches)
        return f"hb_tuple(v, {members}, {len(places)}, {tuples}, {chosen}, {len(branches)})"

    def _expression(self, node: int) -> str:
        return f"hb_ask({self._formula(formula_of(self.tree, node))[0]})"

    def _surrogate(self, k: int) -> str:
        tree, column = self.tree, int(self.tree.surrogate_column[k])
        if tree.surrogate_map_offset[k] < tree.surrogate_map_offset[k + 1]:
            table = self.table(f"hb_surrogate_{k}", surrogate_branches_of_codes(tree, k))
            return f"hb_pick({self.x(column)}, {table})"
        cut = self.number(float(tree.surrogate_threshold[k]))
        return (
            f"hb_side({self.v(column)}, {cut}, {int(tree.surrogate_low[k])}, {int(tree.surrogate_high[k])})"
        )

    # ---- expressions ---------------------------------------------------------------------------------------

    def _formula(self, formula: FormulaPart) -> tuple[str, int]:
        """The call of a formula, and how deeply calls are nested in it."""
        if formula.kind == "number":
            return self.number(float(formula.value)), 0
        if formula.kind == "column":
            return self.v(formula.value), 0
        if formula.kind == "among":
            column, codes = formula.value
            memberships = [int(code in codes) for code in range(len(self.tree.columns[column].categories))]
            name = self.table(f"hb_among_{len(self.tables)}", memberships)
            return f"hb_pick({self.x(column)}, {name})", 1
        if formula.kind == "alike":
            first, second, table = formula.value
            name = self.table(f"hb_alike_{len(self.tables)}", table)
            return f"hb_alike({self.x(first)}, {self.x(second)}, {name})", 1
        if formula.kind == "truth":
            return str(int(formula.value)), 0
        return self._combined(formula)

    def _combined(self, formula: FormulaPart) -> tuple[str, int]:
        word = _WORDS[formula.kind]
        call, depth = self._formula(formula.parts[0])
        if len(formula.parts) == 1:
            call, depth = self._hoisted(formula, f"{word}({call})", depth + 1)
        for part in formula.parts[1:]:
            other, below = self._formula(part)
            call, depth = self._hoisted(formula, f"{word}({call}, {other})", max(depth, below) + 1)
        return call, depth

    def _hoisted(self, formula: FormulaPart, call: str, depth: int) -> tuple[str, int]:
        """A call nested too deeply becomes a function of its own, by name."""
        if depth < _DEEPEST:
            return call, depth
        self.helpers.append((call, formula.kind in _NUMBERS))
        return f"hb_part_{len(self.helpers) - 1}(x, v)", 1


_NUMBERS = ("counted", "negative", *(op.__name__ for op in ARITHMETIC))

_WORDS: Mapping[str, str] = {
    "and": "hb_and",
    "or": "hb_or",
    "not": "hb_not",
    "counted": "hb_counted",
    "negative": "hb_negative",
    ast.Add.__name__: "hb_add",
    ast.Sub.__name__: "hb_sub",
    ast.Mult.__name__: "hb_mul",
    ast.Div.__name__: "hb_div",
    ast.Pow.__name__: "hb_pow",
    ast.Eq.__name__: "hb_eq",
    ast.NotEq.__name__: "hb_ne",
    ast.Lt.__name__: "hb_lt",
    ast.LtE.__name__: "hb_le",
    ast.Gt.__name__: "hb_gt",
    ast.GtE.__name__: "hb_ge",
}

_WRITERS: Mapping[int, Callable[[Calls, int], str]] = {
    arrays.THRESHOLD: Calls._threshold,
    arrays.SUBSET: Calls._map,
    arrays.EQUALS: Calls._equals,
    arrays.MULTIWAY: Calls._map,
    arrays.HYPERPLANE: Calls._plane,
    arrays.COLUMNS: Calls._tuple,
    arrays.EXPRESSION: Calls._expression,
    arrays.INTERVALS: Calls._intervals,
}


def wrapped(head: str, pieces: Sequence[str], tail: str) -> list[str]:
    """Pieces between a head and a tail, on one line or on several of bearable length."""
    one = f"{head}{' '.join(pieces)}{tail}"
    if len(one) <= _WIDTH:
        return [one]
    lines: list[str] = []
    line = "   "
    for piece in pieces:
        if len(line) + len(piece) >= _WIDTH and line.strip():
            lines.append(line)
            line = "   "
        line += f" {piece}"
    return [head, *lines, line, tail]
