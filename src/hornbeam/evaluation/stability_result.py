"""What `hb.stability` returns: how often each test is chosen again, and where; as facts and as text."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from hornbeam._base.types import Floats, Task
from hornbeam.data.formatting import visible
from hornbeam.data.shown_result import TabularResult
from hornbeam.evaluation.same_place import Columns, Met, Places
from hornbeam.reading.line_widths import shorten_text
from hornbeam.tree.branches import branches_of_codes
from hornbeam.tree.json_values import json_fields
from hornbeam.tree.tree import Tree
from hornbeam.tree.words import (
    ASCII,
    Signs,
    amount,
    condition_text,
    number_of,
    percent,
    question_text,
    threshold_text,
)

NO_TEST = "no test"


@dataclass(frozen=True)
class TestStability:
    """One test of the tree, and what the trees of the samples do at the same place.

    Attributes
    ----------
    node : the node of the tree
    depth : its depth
    test : the test in words: "age <= 6.5"
    columns : what it tests: the name of the column, of several with commas
    chosen : how many trees test the same at this place
    reached : how many trees come to this place: those that test the same above
    others : what else they test here -> how many trees, the most frequent first; "no test" for a leaf
    low, high : between which the cuts of the chosen ones lie, 5 % below and above; None if it has no cut
    cut : both in words: "between 5 and 9.5", "always 6.5"; ""
    values : value -> how many of the chosen ones send it to the same branch; of tests on values only
    """

    __test__ = False  # no test of pytest

    node: int
    depth: int
    test: str
    columns: str
    chosen: int
    reached: int
    others: Mapping[str, int]
    low: float | None
    high: float | None
    cut: str
    values: Mapping[str, int]

    @property
    def share_text(self) -> str:
        """In how many trees it is tested again: "61 of 100"."""
        return f"{self.chosen} of {self.reached}"


@dataclass(frozen=True, eq=False)
class Stability(TabularResult):
    """How sure a tree is; `str()` is a short text, `to_dict()` the facts.

    Attributes
    ----------
    tree : the tree
    n : how many trees were grown again
    asked : how many were to be grown; more than `n` if time was over or growing was stopped
    n_rows : how many rows there are, as many as were drawn for each tree
    tests : a TestStability for each test, in the order of the nodes
    same_columns : how many of the trees test the same columns at all places
    tested : column -> how many of the trees test it anywhere, the most frequent first
    agreement : the share of all answers, over rows and trees, that are the tree's own; None for numbers
    unsure : the share of the rows for which a quarter of the trees or more answer otherwise; None for numbers
    spread : of numbers: the standard deviation of a row's answers, its root mean square over the rows
    changes : for each row the share of the trees that answer otherwise; of numbers the standard deviation of
        their answers
    """

    tree: Tree
    n: int
    asked: int
    n_rows: int
    tests: tuple[TestStability, ...]
    same_columns: int
    tested: Mapping[str, int]
    agreement: float | None
    unsure: float | None
    spread: float | None
    changes: Floats

    @property
    def task(self) -> Task:
        """What the tree answers."""
        return self.tree.task

    def __iter__(self) -> Iterator[TestStability]:
        return iter(self.tests)

    def __getitem__(self, node: int) -> TestStability:
        for test in self.tests:
            if test.node == node:
                return test
        raise KeyError(f"node {node!r} is no test of the tree: the tests are the nodes {self._nodes()}")

    def _nodes(self) -> str:
        nodes = [str(test.node) for test in self.tests]
        return ", ".join(nodes[:8]) + ", ..." * (len(nodes) > 8) if nodes else "of none: it is a leaf"

    def __str__(self) -> str:
        return stability_text(self)

    def shares(self) -> dict[int, str]:
        """Node -> in how many trees it is tested again, in words: "61 of 100"."""
        return {test.node: test.share_text for test in self.tests}

    def columns(self) -> dict[str, list[Any]]:
        """A column for each fact of the tests, for any data frame: `polars.DataFrame(s.columns())`."""
        facts = {part.name: [getattr(one, part.name) for one in self.tests] for part in fields(TestStability)}
        return facts | {name: [dict(each) for each in facts[name]] for name in ("others", "values")}

    def shown_text(self) -> str:
        """The lines of the text above the tests."""
        return "\n".join(str(self).splitlines()[: -min(len(self.tests), MOST_TESTS) or None])

    def shown_tables(self) -> list[Mapping[str, Sequence[Any]]]:
        """A row for each test: how often it comes back, what else was tested, where it cuts."""
        facts = self.columns()
        return [
            {
                "node": facts["node"],
                "test": facts["test"],
                "chosen again": [test.share_text for test in self.tests],
                "otherwise": facts["others"],
                "cut": facts["cut"],
            }
        ]

    def to_dict(self) -> dict[str, Any]:
        """The facts as plain values that JSON can hold, with "schema": "hornbeam/stability/1".

        Single rows are not among them; `changes` has those.
        """
        names = ("task", "n", "asked", "n_rows", "same_columns", "tested", "agreement", "unsure", "spread")
        tests = [json_fields(one, [part.name for part in fields(TestStability)]) for one in self.tests]
        return {"schema": "hornbeam/stability/1", **json_fields(self, names), "tests": tests}


# ---- the text ------------------------------------------------------------------------------------------

MOST_TESTS = 20  # that are listed
LONGEST = 60  # characters of a test there
MOST_COLUMNS = 5  # that are named
OFTEN = 0.25  # of the trees: an answer that changes as often is called unsure


def stability_text(result: Stability, most: int = MOST_TESTS) -> str:
    """The text; of more tests than `most` those that most trees come to."""
    listed = listed_tests(result, most)
    width = max((len(test.share_text) for test in listed), default=0)
    lines = summary_lines(result)
    for test in listed:
        question = shorten_text(visible(test.test), LONGEST, "...") + " at the root" * (not test.depth)
        share, _, others = again_text(test).partition(", ")
        words = "; ".join(filter(None, (question, others, again_where(test))))
        lines.append(f"{share.rjust(width)}  {'  ' * test.depth}{words}")
    if len(listed) < len(result.tests):
        rest = number_of(len(result.tests) - len(listed), "more test", "more tests")
        lines.append(f"and {rest}, which fewer trees come to")
    return "\n".join(lines)


def listed_tests(result: Stability, most: int) -> list[TestStability]:
    """The tests that most trees come to, at most so many, in the order in which the tree is read."""
    first = sorted(result.tests, key=lambda test: (-test.reached, test.node))[:most]
    order = {node: place for place, (node, _) in enumerate(result.tree.walk())}
    return sorted(first, key=lambda test: order[test.node])


def summary_lines(result: Stability) -> list[str]:
    """What is said of all trees together."""
    stopped = "" if result.n == result.asked else f" (of {result.asked:,} asked for)"
    trees, rows = number_of(result.n, "tree", "trees"), number_of(result.n_rows, "row", "rows")
    lines = [
        f"{trees}{stopped} grown again, each on {rows} drawn with replacement",
        f"{result.same_columns} of {result.n} test the same columns at all places",
    ]
    if result.tested:
        named = [f"{visible(name)} {n}" for name, n in result.tested.items()]
        more = ", ..." * (len(named) > MOST_COLUMNS)
        lines.append(f"columns tested anywhere: {', '.join(named[:MOST_COLUMNS])}{more}")
    if result.agreement is not None and result.unsure is not None:
        lines.append(f"{percent(result.agreement)} of all their answers are those of the tree")
        lines.append(
            f"for {percent(result.unsure)} of the rows a quarter of the trees or more answer otherwise"
        )
    elif result.spread is not None:
        lines.append(f"their answers for one row have a standard deviation of {amount(result.spread)}")
    return lines


def again_text(test: TestStability, n_others: int = 2) -> str:
    """In how many trees the column is tested again, and what else is: "61 of 100, else sibsp 22"."""
    others = " or ".join(f"{visible(name)} {n}" for name, n in list(test.others.items())[:n_others])
    return f"{test.share_text}, else {others}" if others else test.share_text


def again_where(test: TestStability) -> str:
    """Where these trees cut the column, or which value changes sides most: "cut between 5 and 9.5"."""
    if test.cut:
        return f"cut {test.cut}"
    moving = sorted((n, value) for value, n in test.values.items() if n < test.chosen)
    if not moving:
        return ""
    (n, value), *others = moving
    more = "".join(f", {visible(other)} in {times}" for times, other in others[:2]) + ", ..." * (
        len(others) > 2
    )
    return f"{visible(value)} on the same side in {n} of {test.chosen}{more}"


# ---- from the trees to the tests ---------------------------------------------------------------------------


def columns_tested(tree: Tree, trees: Sequence[frozenset[int]]) -> dict[str, int]:
    """How many of some trees, given by the columns they test, test each column."""
    counts = Counter(column for columns in trees for column in columns)
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return {tree.columns[column].name: n for column, n in ranked}


def all_tests(places: Places, notes: Sequence[Sequence[Met]]) -> tuple[TestStability, ...]:
    """What the trees do at the place of each test."""
    tree = places.tree
    met_at: dict[int, list[Met]] = {node: [] for node, columns in places.tested.items() if columns}
    for of_tree in notes:
        for met in of_tree:
            if met.node in met_at:
                met_at[met.node].append(met)
    return tuple(_test(tree, node, places.tested[node], met) for node, met in met_at.items())


def _test(tree: Tree, node: int, columns: Columns, met: Sequence[Met]) -> TestStability:
    chosen = [one for one in met if one.columns == columns]
    others = Counter(one.columns for one in met if one.columns != columns)
    ranked = sorted(others.items(), key=lambda pair: (-pair[1], pair[0]))
    cuts = sorted(one.cut for one in chosen if one.cut is not None and math.isfinite(one.cut))
    low, high = (_quantile(cuts, 5), _quantile(cuts, 95)) if cuts else (None, None)
    sides = [one.same_side for one in chosen if one.same_side is not None]
    values = {}
    if sides:
        column, counts = tree.columns[columns[0]], Counter(code for some in sides for code in some)
        known = [code for code, branch in enumerate(branches_of_codes(tree, node)) if branch >= 0]
        values = {column.word(code): counts[code] for code in known}
    return TestStability(
        node=node,
        depth=int(tree.depths[node]),
        test=words_of_test(tree, node, ASCII),
        columns=_names(tree, columns),
        chosen=len(chosen),
        reached=len(met),
        others={_names(tree, other): number for other, number in ranked},
        low=low,
        high=high,
        cut=_cut_text(tree, columns, low, high),
        values=values,
    )


def words_of_test(tree: Tree, node: int, signs: Signs) -> str:
    """A test of two branches by what its first one says, others by what they ask."""
    if int(tree.n_children[node]) != 2:
        return question_text(tree, node)
    return condition_text(tree, node, 0, signs, brief=True)


def _names(tree: Tree, columns: Columns) -> str:
    return ", ".join(tree.columns[column].name for column in columns) if columns else NO_TEST


def _quantile(ordered: Sequence[float], percent: int) -> float:
    """The least of these values that as many percent of them do not exceed."""
    return ordered[max(-(-percent * len(ordered) // 100) - 1, 0)]


def _cut_text(tree: Tree, columns: Columns, low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return ""
    ends = [threshold_text(tree.columns[columns[0]], end) for end in (low, high)]
    return f"always {ends[0]}" if low == high else f"between {ends[0]} and {ends[1]}"
