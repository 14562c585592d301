"""A method and an engine plug into growing by one line of a table each."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from tests.support.mixed_tables import outcome, random_columns

from hornbeam import ForestClassifier, TreeClassifier
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.growing.finish import learn
from hornbeam.growing.grower import (
    ENGINES,
    METHODS,
    Engine,
    Grower,
    MemoryEngine,
    Method,
    RowsInMemory,
    grow,
    method_of,
)
from hornbeam.growing.stepwise import SEARCHES
from hornbeam.parts import Predicates
from hornbeam.tree.answer_rule import AnswerRule
from hornbeam.tree.tree import Tree


@dataclass(frozen=True)
class TableInBlocks:
    """Rows in several tables, one after the other."""

    blocks: tuple[Table, ...]


class BlockEngine(RowsInMemory):
    """An engine of rows that lie in blocks."""

    def __init__(self, rows: TableInBlocks, target: Target) -> None:
        self.blocks = rows.blocks
        self.columns = rows.blocks[0].columns
        self.target = target
        self.n_rows = sum(block.n_rows for block in rows.blocks)

    def table(self) -> Table:
        arrays = zip(*(block.arrays for block in self.blocks), strict=True)
        return Table(self.columns, self.n_rows, tuple(np.concatenate(parts) for parts in arrays))


class RootOnly:
    """A method that lets another one test once, at the root."""

    def __init__(self, method: Method) -> None:
        self.method = method

    def grow(self, plan: Any, engine: Engine, progress: Any) -> tuple[Tree, bool]:
        limits = {**plan.limits, "max_depth": 1}
        return self.method.grow(replace(plan, limits=limits), engine, progress)


@pytest.fixture
def rows() -> tuple[Table, Target]:
    rng = np.random.default_rng(3)
    X = random_columns(rng, 200)
    table = Table.learn(X)
    return table, Target.classes_of(outcome(rng, X, 3), n_rows=table.n_rows)


def test_a_second_engine_grows_the_same_tree(monkeypatch, rows):
    table, target = rows
    monkeypatch.setitem(ENGINES, TableInBlocks, BlockEngine)
    plan = TreeClassifier(max_depth=4).make_plan(table, target)
    blocks = TableInBlocks(tuple(table.take(part) for part in np.array_split(np.arange(table.n_rows), 3)))
    assert grow(plan, blocks, target) == grow(plan, table, target)
    assert learn(plan, blocks, target, AnswerRule()) == learn(plan, table, target, AnswerRule())
    stepwise = Grower(METHODS["stepwise"], BlockEngine(blocks, target)).grow(plan)
    assert stepwise == Grower(METHODS["stepwise"], MemoryEngine(table, target)).grow(plan)


def test_a_second_method_is_chosen_by_the_plan(monkeypatch, rows):
    table, target = rows
    monkeypatch.setitem(METHODS, "root-only", RootOnly(METHODS["core"]))
    plan = replace(TreeClassifier().make_plan(table, target), method="root-only")
    stump = learn(plan, table, target, AnswerRule())
    assert stump.depth == 1
    assert stump == TreeClassifier(max_depth=1).learn_tree(table, target, None)[0]


def test_the_choices_of_a_plan_pick_its_method(rows):
    table, target = rows
    assert method_of(TreeClassifier().make_plan(table, target)) is METHODS["core"]
    special = TreeClassifier(split=Predicates(["rooms * pay > 1"]))
    assert method_of(special.make_plan(table, target)) is METHODS["stepwise"]


def test_a_method_without_forests_grows_their_trees_one_by_one(monkeypatch):
    monkeypatch.setitem(METHODS, "core", RootOnly(METHODS["core"]))
    X, y = np.arange(20.0).reshape(10, 2), ["a", "b"] * 5
    forest = ForestClassifier(n_estimators=3, random_state=0).fit(X, y)
    assert [tree.depth for tree in forest.trees_] == [1, 1, 1]


@pytest.mark.parametrize("part", SEARCHES)
def test_what_has_a_search_of_its_own_is_grown_node_by_node(part):
    assert part.method == "stepwise"
