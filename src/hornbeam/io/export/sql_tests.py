"""Tests in SQL: the branch of every test as conditions in order, with three-valued logic as SQL has it.

One idea: a value that is missing makes a condition unknown, in SQL as in a tree, so a test that cannot tell
falls through all its conditions. What DuckDB sorts above every number, NaN, is kept out by `<= infinity`.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping, Sequence

from hornbeam.io.export.leaf_equations import Side
from hornbeam.io.export.literals import is_odd, plain_value
from hornbeam.io.export.sql_arithmetic import CALLS, leaves_range, scale_of, weighted
from hornbeam.io.export.sql_dialects import SqlDialect
from hornbeam.io.export.sql_times import SqlTimes
from hornbeam.io.export.time_values import ticks_of
from hornbeam.io.export.tree_program import Program
from hornbeam.tree.arrays import (
    COLUMNS,
    EQUALS,
    EXPRESSION,
    HYPERPLANE,
    INTERVALS,
    MULTIWAY,
    SUBSET,
    THRESHOLD,
)
from hornbeam.tree.branches import branches_of_codes, codes_by_branch, surrogate_branches_of_codes
from hornbeam.tree.expressions.formulas import FormulaPart
from hornbeam.tree.expressions.language import formula_of

Pairs = list[tuple[str, int]]

_COMPARISONS: Mapping[str, str] = {
    ast.Eq.__name__: "=",
    ast.NotEq.__name__: "<>",
    ast.Lt.__name__: "<",
    ast.LtE.__name__: "<=",
    ast.Gt.__name__: ">",
    ast.GtE.__name__: ">=",
}
_WORDS: Mapping[str, Callable[..., str]] = {
    "and": lambda *parts: f"({' AND '.join(parts)})",
    "or": lambda *parts: f"({' OR '.join(parts)})",
    "not": lambda part: f"(NOT {part})",
    "counted": lambda part: f"(CASE {part} WHEN TRUE THEN 1e0 WHEN FALSE THEN 0e0 END)",
    "negative": lambda part: f"(-{part})",
    ast.Add.__name__: lambda a, b: f"({a} + {b})",
    ast.Sub.__name__: lambda a, b: f"({a} - {b})",
    ast.Mult.__name__: lambda a, b: f"({a} * {b})",
}
_MANY = 24  # values of a column from which on conditions name their numbers
DEEPEST = 8  # SQLite's parser keeps at most a hundred things in mind


class SqlTests:
    """The tests of a program; columns are those of the row `r`.

    `stages` are expressions nested too deeply to stand in a test: columns hb_part_0, hb_part_1, ..., each
    made from those before it.
    """

    def __init__(self, program: Program, dialect: SqlDialect) -> None:
        self.tree, self.sql = program.tree, dialect
        self.stages: list[str] = []
        self._numbered: dict[int, tuple[str, dict[int, int]]] = {}
        self._sets: dict[int, list[tuple[int, ...]]] = {}
        for term in (term for equation in program.equations.values() for term in equation.terms):
            sets = self._sets.setdefault(term.column, [])
            if term.power == 0 and term.codes not in sets:
                sets.append(term.codes)
        self.times = SqlTimes(program.tree.columns, program.used, self.stages, dialect)

    def pairs(self, node: int) -> tuple[Pairs, int | None]:
        """Conditions with their branches, asked in order, and the branch of the rows that fit none.

        The branch is None where such rows follow all paths.
        """
        tree = self.tree
        pairs = _WRITERS[int(tree.kind[node])](self, node)
        if tree.policy["missing"] == "all-paths":
            return pairs, None
        for k in range(int(tree.surrogate_offset[node]), int(tree.surrogate_offset[node + 1])):
            pairs = pairs + self._surrogate(k)
        learned = int(tree.missing[node])
        if learned < 0:
            return pairs, None
        nominal = [c for c in tree.tested_columns(node) if tree.columns[c].kind != "numeric"]
        if tree.policy["missing"] != "learn" or not nominal:
            return pairs, learned
        strange = " OR ".join(self._unseen(column) for column in nominal)  # nothing was learned about those
        return [*pairs, (f"({strange}) IS NOT TRUE", learned)], None

    # ---- values --------------------------------------------------------------------------------------------

    def value(self, column: int) -> str:
        """The value of a column as it is, unless it is a time, with which a query cannot calculate."""
        name = f"r.{self.sql.name(self.tree.columns[column].name)}"
        if column in self.times.kinds:
            raise ValueError(
                f"the tree calculates with the times of column {self.tree.columns[column].name!r}, which SQL"
                " cannot do: learn from a column of numbers instead, such as the days since a start"
            )
        categories = self.tree.columns[column].categories
        if is_odd(categories):
            name = f"CAST({name} AS {self.sql.text_type})"
        is_text = any(isinstance(plain_value(value), str) for value in categories)
        return self.sql.text_column.format(name) if is_text else name

    def number(self, column: int) -> str:
        """The value of a column as a number: unknown if it is missing, the code of an ordinal category."""
        if self.tree.columns[column].kind == "numeric":
            x = self.value(column)
            return f"(CASE WHEN {x} <= {self.sql.infinite} THEN {self.sql.double(1)} * {x} END)"
        every = range(len(self.tree.columns[column].categories))
        if column in self.times.kinds:
            return (
                f"(CASE {' '.join(f'WHEN {self.among(column, [code])} THEN {code}' for code in every)} END)"
            )
        texts = (self.sql.value(self.tree.columns[column].categories[code]) for code in every)
        codes = (f"WHEN {text} THEN {code}" for code, text in enumerate(texts))
        return f"(CASE {self.value(column)} {' '.join(codes)} END)"

    def among(self, column: int, codes: Sequence[int]) -> str:
        """Whether a value is one of some categories: unknown if it is missing."""
        if not codes:
            return "FALSE"
        if column in self.times.kinds:
            return self.times.among(
                column, [ticks_of(self.tree.columns[column].categories[code]) for code in codes]
            )
        if len(self.tree.columns[column].categories) > _MANY:
            return self._within(column, codes)
        texts = [self.sql.value(self.tree.columns[column].categories[code]) for code in codes]
        if len(texts) == 1:
            return f"{self.value(column)} = {texts[0]}"
        return f"{self.value(column)} IN ({', '.join(texts)})"

    def _within(self, column: int, codes: Sequence[int]) -> str:
        """Whether a value of a column of many is one of some: by its number, which is worked out before."""
        if column not in self._numbered:
            self._numbered[column] = self._number_values(column)
        x, place = self._numbered[column]
        places = sorted(place[code] for code in codes)
        breaks = [k for k in range(1, len(places)) if places[k] != places[k - 1] + 1]
        runs = [places[a:b] for a, b in zip([0, *breaks], [*breaks, len(places)], strict=True)]
        parts = [f"{x} BETWEEN {run[0]} AND {run[-1]}" for run in runs if len(run) > 2]
        single = [str(one) for run in runs if len(run) <= 2 for one in run]
        parts += [f"{x} IN ({','.join(single)})"] if single else []
        return parts[0] if len(parts) == 1 else f"({' OR '.join(parts)})"

    def _number_values(self, column: int) -> tuple[str, dict[int, int]]:
        """The step that numbers the values of a column, -1 for those never seen, and the number of each code.

        Values that the sets of equations keep together get numbers in a row, so that sets are few intervals.
        """
        categories, sets = self.tree.columns[column].categories, self._sets.get(column, [])
        order = sorted(range(len(categories)), key=lambda code: [code in one for one in sets])
        texts = (f"WHEN {self.sql.value(categories[code])} THEN {k}" for k, code in enumerate(order))
        x = self.value(column)
        self.stages.append(f"CASE WHEN {x} IS NULL THEN NULL ELSE CASE {x} {' '.join(texts)} ELSE -1 END END")
        return f"r.hb_part_{len(self.stages) - 1}", {code: k for k, code in enumerate(order)}

    def outside(self, side: Side) -> str:
        """Whether a row lies outside one side of a density's box; unknown if its value is missing."""
        if side.low is None or side.high is None:
            return self._unseen(side.column)
        if side.column in self.times.kinds:
            below = self.times.at_most(side.column, math.ceil(side.low) - 1)  # ticks are whole
            return f"{below} OR NOT {self.times.at_most(side.column, side.high)}"
        x = self.value(side.column)
        low, high = self.sql.double(side.low), self.sql.double(side.high)
        return f"{x} < {low} OR ({x} > {high} AND {x} <= {self.sql.infinite})"

    def _unseen(self, column: int) -> str:
        every = range(len(self.tree.columns[column].categories))
        return f"NOT ({self.among(column, every)})"

    # ---- one function per kind -----------------------------------------------------------------------------

    def _cut(self, column: int, cut: float, low: int, high: int) -> Pairs:
        if self.tree.columns[column].kind != "numeric":
            codes = range(len(self.tree.columns[column].categories))
            below = [code for code in codes if code <= cut]
            above = [code for code in codes if code > cut]
            return [(self.among(column, below), low), (self.among(column, above), high)]
        if column in self.times.kinds:
            within = self.times.at_most(column, cut)
            return [(within, low), (f"NOT {within}", high)]
        x, limit = self.value(column), self.sql.compared(cut)
        return [(f"{x} <= {limit}", low), (f"{x} > {limit} AND {x} <= {self.sql.infinite}", high)]

    def _threshold(self, node: int) -> Pairs:
        return self._cut(int(self.tree.column[node]), float(self.tree.threshold[node]), 0, 1)

    def _intervals(self, node: int) -> Pairs:
        column, cuts = int(self.tree.column[node]), self.tree.cuts(node).tolist()
        pairs = [self._cut(column, cut, branch, branch)[0] for branch, cut in enumerate(cuts)]
        return [*pairs, self._cut(column, cuts[-1], 0, len(cuts))[1]]

    def _equals(self, node: int) -> Pairs:
        column, code = int(self.tree.column[node]), int(self.tree.threshold[node])
        same = self.among(column, [code])
        if self.tree.policy["unseen"] == "other":
            return [(same, 0), (f"NOT ({same})", 1)]
        others = [k for k in range(len(self.tree.columns[column].categories)) if k != code]
        return [(same, 0), (self.among(column, others), 1)]

    def _map(self, node: int) -> Pairs:
        return self._looked_up(int(self.tree.column[node]), branches_of_codes(self.tree, node))

    def _looked_up(self, column: int, branch_of_code: list[int]) -> Pairs:
        return [(self.among(column, codes), b) for b, codes in codes_by_branch(branch_of_code).items()]

    def _plane(self, node: int) -> Pairs:
        tree, span = self.tree, range(*self.tree.plane_offset[node : node + 2].tolist())
        weights = tree.plane_weight[span.start : span.stop].tolist()
        scale = scale_of(weights, self.sql)
        terms = [
            self._weighted(weight * scale, int(tree.plane_column[k]))
            for k, weight in zip(span, weights, strict=True)
        ]
        cut = self.sql.double(float(tree.threshold[node]) * scale)
        total = " + ".join([self.sql.double(0), *terms])
        return [(f"{total} <= {cut}", 0), (f"{total} > {cut} AND {total} <= {self.sql.infinite}", 1)]

    def _weighted(self, weight: float, column: int) -> str:
        """A term of a weighted sum: unknown if the value is missing."""
        if self.sql.underflow_fails and self.tree.columns[column].kind == "numeric":
            return weighted(weight, self.value(column), self.sql)
        return f"{self.sql.double(weight)} * {self.number(column)}"

    def _tuple(self, node: int) -> Pairs:
        tree, members = self.tree, self.tree.tested_columns(node)
        pairs = []
        for k in range(int(tree.tuple_offset[node]), int(tree.tuple_offset[node + 1])):
            values = tree.entry_value[int(tree.entry_offset[k]) : int(tree.entry_offset[k + 1])].tolist()
            parts = [self._equal(c, v) for c, v in zip(members, values, strict=True)]
            pairs.append((" AND ".join(parts), int(tree.tuple_branch[k])))
        return pairs

    def _equal(self, column: int, value: float) -> str:
        """Whether a number, a time or the code of a category is this one."""
        if self.tree.columns[column].kind != "numeric":
            return self.among(column, [int(value)])
        if column in self.times.kinds:
            return self.times.among(column, [value])
        return f"{self.value(column)} = {self.sql.compared(value)}"

    def _expression(self, node: int) -> Pairs:
        text = self.formula(formula_of(self.tree, node))
        return [(text, 0), (f"NOT ({text})", 1)]

    def _surrogate(self, k: int) -> Pairs:
        tree, column = self.tree, int(self.tree.surrogate_column[k])
        if tree.surrogate_map_offset[k] == tree.surrogate_map_offset[k + 1]:
            sides = int(tree.surrogate_low[k]), int(tree.surrogate_high[k])
            return self._cut(column, float(tree.surrogate_threshold[k]), *sides)
        return self._looked_up(column, surrogate_branches_of_codes(tree, k))

    # ---- expressions ---------------------------------------------------------------------------------------

    def formula(self, formula: FormulaPart) -> str:
        """An expression; unknown where a value is missing."""
        return self._formula(formula)[0]

    def _formula(self, formula: FormulaPart) -> tuple[str, int]:
        """The text of an expression, and how deeply brackets are nested in it."""
        operands = [self._formula(part) for part in formula.parts]
        parts, depth = [text for text, _ in operands], max((below for _, below in operands), default=0)
        kind, value = formula.kind, formula.value
        if not parts:
            leaves = {"number": self.sql.double, "column": self.number, "truth": self.sql.value}
            if kind in leaves:
                return leaves[kind](value), 1
            return (self._alike(*value) if kind == "alike" else self._among(*value)), 1
        if kind in _WORDS and not leaves_range(formula, self.tree.columns, self.sql):
            return self._staged(_WORDS[kind](*parts), depth + 1)
        short = all(part.kind in ("column", "number") for part in formula.parts)
        if kind in _COMPARISONS and short:
            return f"({parts[0]} {_COMPARISONS[kind]} {parts[1]})", 1
        a, b = (self._staged(text, below + DEEPEST * (below > 1))[0] for text, below in operands)
        if kind in CALLS:
            return CALLS[kind](a, b, self.sql), 2
        known = f"{a} <= {self.sql.infinite} AND {b} <= {self.sql.infinite}"
        return f"(CASE WHEN {known} THEN {a} {_COMPARISONS[kind]} {b} END)", 2

    def _staged(self, text: str, depth: int) -> tuple[str, int]:
        """Text nested too deeply, or needed twice, becomes a column of its own, worked out before."""
        if depth < DEEPEST:
            return text, depth
        self.stages.append(text)
        return f"r.hb_part_{len(self.stages) - 1}", 0

    def _among(self, column: int, codes: frozenset[int]) -> str:
        """True for these categories, false for the others of the column, unknown for any other value."""
        others = [c for c in range(len(self.tree.columns[column].categories)) if c not in codes]
        true, false = self.among(column, sorted(codes)), self.among(column, others)
        return f"(CASE WHEN {true} THEN TRUE WHEN {false} THEN FALSE END)"

    def _alike(self, first: int, second: int, table: Sequence[int]) -> str:
        del table
        known = " AND ".join(
            self.among(column, range(len(self.tree.columns[column].categories))) for column in (first, second)
        )
        if first in self.times.kinds and second in self.times.kinds:
            return f"(CASE WHEN {known} THEN {self.times.same(first, second)} END)"
        return f"(CASE WHEN {known} THEN {self.value(first)} = {self.value(second)} END)"


_WRITERS: Mapping[int, Callable[[SqlTests, int], Pairs]] = {
    THRESHOLD: SqlTests._threshold,
    SUBSET: SqlTests._map,
    EQUALS: SqlTests._equals,
    MULTIWAY: SqlTests._map,
    HYPERPLANE: SqlTests._plane,
    COLUMNS: SqlTests._tuple,
    EXPRESSION: SqlTests._expression,
    INTERVALS: SqlTests._intervals,
}
