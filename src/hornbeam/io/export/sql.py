"""SQL: a tree as one query, in the dialect of a database.

One idea: a row that reaches one leaf finds it in a nested CASE, which is NULL where a gap leads to several.
Only those rows walk the tree, in a recursive query that follows all branches, and their leaves are added up.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from hornbeam.io.export.refused_names import free_prefix, refuse_in_sql, refuse_taken_names
from hornbeam.io.export.sql_dialects import SqlDialect, dialect_named
from hornbeam.io.export.sql_equations import sql_equations
from hornbeam.io.export.sql_tests import DEEPEST, SqlTests
from hornbeam.io.export.tree_program import Program, program_of
from hornbeam.tree.tree import Tree


def sql(
    tree: Tree,
    *,
    table: str = "data",
    name: str = "prediction",
    keep: Sequence[str] | None = None,
    dialect: str = "standard",
    key: str | Sequence[str] | None = None,
) -> str:
    """A query that predicts every row of a table.

    The result has a column `name` and, for classes, a column `name_<class>` with each probability: `name_1`,
    `name_2`, ... where the database refuses one of those names. NULL and NaN are gaps. Dates and clock times
    are compared as what they are: DATE, TIMESTAMP (WITH TIME ZONE where the tree learned a zone) and TIME, in
    SQLite ISO text, in UTC where there is a zone. A column of SQLite that holds numbers or other text there
    makes the query fail ("integer overflow") rather than answer wrongly. Spans of time are refused.

    Parameters
    ----------
    table : str
        The table or view that is asked.
    name : str
        The column that holds the prediction; the columns given back must have other names.
    keep : list of str or None
        The columns of the table to give back beside the prediction. None: all of them where there is a
        `key` or the dialect is duckdb, postgres or spark; otherwise those that the tree asks for.
    dialect : str
        "standard" (runs in SQLite and DuckDB alike), "sqlite", "duckdb", "postgres", "mysql" (and MariaDB)
        or "spark".
    key : str or list of str or None
        Columns that together are different in each row, in SQLite also "rowid"; mysql needs them. Rows come
        back sorted by them; without a key in the order in which the database reads the table.

    Notes
    -----
    Names the query makes begin with `hb_`, or `hb1_` if a column does: the table must have no others that
    begin so.

    Examples
    --------
    >>> import sqlite3
    >>> tree = Tree.from_nested({"column": "width", "<=": 0.8, "yes": "a", "no": "b"})
    >>> base = sqlite3.connect(":memory:")
    >>> _ = base.execute("CREATE TABLE flowers AS SELECT 1 AS id, 0.5 AS width UNION SELECT 2, 3.0")
    >>> sorted(base.execute(sql(tree, table="flowers", keep=["id"])).fetchall())
    [(1, 'a', 1.0, 0.0), (2, 'b', 0.0, 1.0)]
    """
    if isinstance(keep, str):
        raise TypeError(f"keep={keep!r} must be a list of columns, such as [{keep!r}]")
    keys = [key] if isinstance(key, str) else list(key or ())
    if not keys and not dialect_named(dialect).row_number:
        raise ValueError(
            f"dialect={dialect!r} needs key=..., a column or columns that are different in each row, such as"
            " 'id': the database keeps rows in no order"
        )
    program = program_of(tree)
    refuse_in_sql(program.columns, program.classes)
    given = [*([column.name for column in tree.columns] if keep is None else keep), *keys]
    refuse_taken_names([name, *dialect_named(dialect).share_names(name, program.classes)], given)
    writer = _SqlWriter(program, name, dialect_named(dialect), table, keep, keys)
    result = writer.result()  # first, and equations: what they need is worked out with the rows
    parts = writer.walk() if writer.follows_all else []
    if program.equations:
        parts += sql_equations(program, writer.tests, follows_all=writer.follows_all)
    elif writer.follows_all:
        parts.append(writer.mixed())
    parts = [*writer.rows(), writer.leaves(), *parts]
    text = f"WITH{' RECURSIVE' * writer.follows_all}\n" + ",\n".join(parts) + f"\n{result}\n"
    return _renamed(text, free_prefix([*(column.name for column in tree.columns), name, *given]))


def _renamed(text: str, prefix: str) -> str:
    """The query with another prefix for its own names; quoted names are the user's and stay."""
    if prefix == "hb_":
        return text
    return re.sub(
        r"""\"(?:[^\"]|\"\")*\"|'(?:[^']|'')*'|`(?:[^`]|``)*`|\bhb_""",
        lambda match: prefix if match[0] == "hb_" else match[0],
        text,
    )


class _SqlWriter:
    """Writes the parts of one query."""

    def __init__(
        self,
        program: Program,
        name: str,
        dialect: SqlDialect,
        table: str,
        keep: Sequence[str] | None,
        keys: Sequence[str],
    ) -> None:
        self.program, self.tree, self.name, self.sql = program, program.tree, name, dialect
        self.table, self.keep, self.keys = dialect.name(table), keep, [dialect.name(one) for one in keys]
        self.tests = SqlTests(program, dialect)
        self.pairs = {node: self.tests.pairs(node) for node in program.tests}
        self.stages = self.tests.stages
        self.follows_all = any(rest is None for _, rest in self.pairs.values())
        self.width = max(len(program.classes), 1)

    def _stage(self, name: str, column: str, source: str) -> str:
        """A step that adds a column to the rows of another."""
        start, end = f"{name} AS{self.sql.materialized} (\n", f"{self.sql.step_end})"
        return f"{start} SELECT {column},\n   r.*\n FROM {source} AS r{end}"

    def _source(self) -> str:
        """The rows with their numbers, and each as a whole where that is how to give all columns back."""
        order = ", ".join(f"hb_table.{one}" for one in self.keys)
        number = f"row_number() OVER (ORDER BY {order})" if order else self.sql.row_number
        more = ""
        if self.keep is None and self.sql.record:
            more = f", {self.sql.record} AS hb_record"
        elif self.keep is None:  # a key such as SQLite's rowid is no column of hb_table.*
            more = "".join(f", hb_table.{one} AS hb_key_{k}" for k, one in enumerate(self.keys))
        return (
            f"hb_source AS{self.sql.materialized} (\n SELECT {number} AS hb_row{more},\n   hb_table.*\n"
            f" FROM {self.table} AS hb_table)"
        )

    def rows(self) -> list[str]:
        """The rows with their numbers, then some levels at a time with the nodes they come to."""
        stages = [
            self._source(),
            *(
                self._stage(
                    f"hb_stage_{k}", f"{text} AS hb_part_{k}", f"hb_stage_{k - 1}" if k else "hb_source"
                )
                for k, text in enumerate(self.stages)
            ),
        ]
        below = f"hb_stage_{len(self.stages) - 1}" if self.stages else "hb_source"
        tops, level = [0], 0
        while True:
            last = all(self._is_short(top) for top in tops)
            name = "hb_rows" if last else f"hb_level_{level}"
            here = "hb_leaf" if last else f"hb_at_{level}"
            texts = {top: self._node(top, 3, DEEPEST) for top in tops}
            if level == 0:
                case = texts[0]
            else:
                at = f"r.hb_at_{level - 1}"
                cases = "".join(f"\n   WHEN {top} THEN {text}" for top, text in texts.items())
                case = f"CASE {at}{cases} ELSE {at} END"
            stages.append(self._stage(name, f"{case} AS {here}", below))
            if last:
                return stages
            tops = [node for top in tops for node in self._open(top)]
            below, level = name, level + 1

    def _is_short(self, top: int) -> bool:
        return not self._open(top)

    def _open(self, top: int) -> list[int]:
        """The tests that lie as deep below `top` as one CASE may be nested."""
        limit = int(self.tree.depths[top]) + DEEPEST
        todo, nodes = [top], []
        while todo:
            node = todo.pop()
            if node in self.pairs:
                if self.tree.depths[node] == limit:
                    nodes.append(node)
                else:
                    todo.extend(self.tree.children(node))
        return nodes

    def _node(self, node: int, indent: int, levels: int) -> str:
        """The number of the leaf, or of the test some levels below, as nested CASE."""
        if node not in self.pairs or levels == 0:
            return str(node)
        first, lead = int(self.tree.first_child[node]), "\n" + " " * (indent + 1)
        pairs, rest = self.pairs[node]
        taken = [branch for _, branch in pairs]
        ends = {*taken, *([] if rest is None else [rest])}
        below = {k: self._node(first + k, indent + 1, levels - 1) for k in ends}
        if len(set(taken)) < len(taken) or (rest in taken and not self._excludes(node)):
            cases = "".join(f"{lead}WHEN {k} THEN {text}" for k, text in sorted(below.items()))
            return f"CASE {self._branch(node)}{cases} END"
        cases = "".join(f"{lead}WHEN {test} THEN {below[branch]}" for test, branch in pairs if branch != rest)
        return f"CASE{cases}{'' if rest is None else f'{lead}ELSE {below[rest]}'} END"

    def _excludes(self, node: int) -> bool:
        """Whether the conditions exclude each other, so that the last need not be checked: no surrogates."""
        return bool(self.tree.surrogate_offset[node] == self.tree.surrogate_offset[node + 1])

    def _branch(self, node: int) -> str:
        """The branch of a test; NULL for all."""
        pairs, rest = self.pairs[node]
        cases = " ".join(f"WHEN {test} THEN {branch}" for test, branch in pairs)
        return f"(CASE {cases}{'' if rest is None else f' ELSE {rest}'} END)"

    def leaves(self) -> str:
        """What each leaf says: label, weight, answers alone and together, costs."""
        program, k = self.program, self.width
        names = ["leaf", "weight", "label", *(f"p{j}" for j in range(k)), *(f"q{j}" for j in range(k))]
        costs = program.leaf_costs
        names += [f"e{j}" for j in range(k)] if costs is not None else []
        rows = []
        for leaf in program.leaves:
            label = program.classes[int(self.tree.label[leaf])] if program.classes else None
            numbers = [*program.alone[leaf].tolist(), *program.together[leaf].tolist()]
            numbers += costs[leaf].tolist() if costs is not None else []
            rows.append([leaf, float(program.weight[leaf]), label, *map(float, numbers)])
        return self.sql.table("hb_leaves", names, rows)

    def walk(self) -> list[str]:
        """Rows without a leaf of their own down all branches, to the leaves they reach."""
        tree, program = self.tree, self.program
        edges = [
            [node, k, child, 1.0 if program.by_leaf else float(program.share[child])]
            for node in program.tests
            for k, child in enumerate(tree.children(node))
        ]
        tests = "\n".join(f"    WHEN {node} THEN {self._branch(node)}" for node in program.tests[1:])
        below = f"CASE e.child\n{tests}\n   END" if tests else "NULL"
        weight, one = "l.weight" if program.by_leaf else "w.part", self.sql.double(1)
        said = self._mixed_columns()
        return [
            self.sql.table("hb_edges", ["node", "branch", "child", "share"], edges),
            "hb_walk(hb_row, node, part, branch) AS (\n"
            f" SELECT r.hb_row, 0, {one}, {self._branch(0)} FROM hb_rows AS r WHERE r.hb_leaf IS NULL\n"
            " UNION ALL\n"
            f" SELECT w.hb_row, e.child, w.part * CASE WHEN w.branch IS NULL THEN e.share ELSE {one} END,\n"
            f"   {below}\n"
            " FROM hb_walk AS w\n"
            " JOIN hb_edges AS e ON e.node = w.node AND coalesce(w.branch, e.branch) = e.branch\n"
            " JOIN hb_rows AS r ON r.hb_row = w.hb_row)",
            "hb_reached AS (\n"
            f" SELECT w.hb_row, {weight} AS weight, sum({weight}) OVER (PARTITION BY w.hb_row) AS total,\n"
            f"   l.leaf, {', '.join(f'l.{c}' for c in said)}\n"
            " FROM hb_walk AS w JOIN hb_leaves AS l ON l.leaf = w.node)",
            "hb_counted AS (\n"
            f" SELECT hb_row, leaf, CASE WHEN total > 0 THEN weight ELSE {one} END AS weight,\n"
            f"   {', '.join(said)}\n FROM hb_reached WHERE weight > 0 OR total = 0)",
        ]

    def _mixed_columns(self) -> list[str]:
        """What is added up over leaves: answers, and costs if rows had costs."""
        columns = [f"q{j}" for j in range(self.width)]
        return columns + ([f"e{j}" for j in range(self.width)] if self.program.leaf_costs is not None else [])

    def mixed(self) -> str:
        """What the leaves that a row reaches answer together."""
        sums = ", ".join(f"sum(weight * {c}) / sum(weight) AS {c}" for c in self._mixed_columns())
        return (
            "hb_mixed AS (\n"
            " SELECT hb_row, CASE WHEN count(*) = 1 THEN max(leaf) END AS leaf,\n"
            f"   {sums}\n FROM hb_counted GROUP BY hb_row)"
        )

    def result(self) -> str:
        """The final SELECT."""
        names = [self.name, *self.sql.share_names(self.name, self.program.classes)]
        columns = [f"{text} AS {self.sql.name(n)}" for text, n in zip(self._said(), names, strict=True)]
        given, back = self._given_columns()
        joins = [f"SELECT {', '.join([*given, *columns])}", f"FROM hb_rows AS r{back}"]
        if self.program.equations:
            joins.append("JOIN hb_answers AS a ON a.hb_row = r.hb_row")
        elif not self.follows_all:
            joins.append("JOIN hb_leaves AS l ON l.leaf = r.hb_leaf")
        else:
            joins.append("LEFT JOIN hb_mixed AS m ON m.hb_row = r.hb_row")
            joins.append("LEFT JOIN hb_leaves AS l ON l.leaf = coalesce(r.hb_leaf, m.leaf)")
        return "\n".join([*joins, "ORDER BY r.hb_row"])

    def _given_columns(self) -> tuple[list[str], str]:
        """The columns to give back, and what to join for them."""
        if self.keep is None and self.sql.record:
            return [self.sql.columns_of_record], ""
        if self.keep is None and self.keys:
            same = " AND ".join(f"t.{one} = r.hb_key_{k}" for k, one in enumerate(self.keys))
            return ["t.*"], f"\nJOIN {self.table} AS t ON {same}"
        names = [column.name for column in self.program.columns] if self.keep is None else self.keep
        return [f"r.{self.sql.name(one)}" for one in names], ""

    def _said(self) -> list[str]:
        """The prediction, and the probability of each class."""
        if self.program.equations:
            return ["a.answer"]
        if self.program.box:
            outside = " OR ".join(self.tests.outside(side) for side in self.program.box)
            return [f"CASE WHEN {outside} THEN {self.sql.double(0)} ELSE {self._number()} END"]
        if not self.program.classes:
            return [self._number()]
        if not self.follows_all:
            return ["l.label", *(f"l.p{j}" for j in range(self.width))]
        shares = [f"CASE WHEN l.leaf IS NOT NULL THEN l.p{j} ELSE m.q{j} END" for j in range(self.width)]
        cases = " ".join(f"WHEN {test} THEN {label}" for test, label in self._decisions())
        return [f"CASE WHEN l.leaf IS NOT NULL THEN l.label {cases} END", *shares]

    def _number(self) -> str:
        """The number a leaf answers, or several together."""
        return "CASE WHEN l.leaf IS NOT NULL THEN l.p0 ELSE m.q0 END" if self.follows_all else "l.p0"

    def _decisions(self) -> list[tuple[str, str]]:
        """What makes several leaves answer each class: the first that fits."""
        labels, k = [self.sql.value(label) for label in self.program.classes], self.width
        tests = []
        for j in range(k):
            if j == k - 1:
                tests.append("TRUE")
            elif self.program.decision == "middle":
                below = " + ".join(f"m.q{i}" for i in range(j + 1))
                tests.append(
                    f"{below} >= {self.sql.double(0.5 - 1e-12)} * ({' + '.join(f'm.q{i}' for i in range(k))})"
                )
            elif self.program.decision == "heaviest":
                others = (f"m.q{j} >= {self.sql.double(1 - 1e-12)} * m.q{i}" for i in range(k) if i != j)
                tests.append(" AND ".join(others))
            else:
                costs = self._costs()
                slack = f"{self.sql.double(1e-12)} * ({' + '.join(costs)})"
                others = (f"{costs[j]} <= {costs[i]} + {slack}" for i in range(k) if i != j)
                tests.append(" AND ".join(others))
        return list(zip(tests, labels, strict=True))

    def _costs(self) -> list[Any]:
        """The expected cost of answering each class."""
        if self.program.leaf_costs is not None:
            return [f"m.e{j}" for j in range(self.width)]
        matrix = self.program.costs
        assert matrix is not None
        return [
            "("
            + " + ".join(f"m.q{i} * {self.sql.double(float(matrix[i, j]))}" for i in range(self.width))
            + ")"
            for j in range(self.width)
        ]
