"""Forests of rows that are read piece by piece: which are possible, and how a tree of one is grown.

Tree i is grown as a single tree of far rows is, one after the other, from the rows that were drawn for it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from hornbeam._base.types import Floats, Longs
from hornbeam.data.encoding import LARGEST
from hornbeam.data.target import Target
from hornbeam.engines.far_rows import FarRows
from hornbeam.engines.row_draws import RowFacts, drawn_rows, gather_facts, shared_rows
from hornbeam.estimators.base import Progress
from hornbeam.estimators.beyond_memory import check_rows, engine_of, far_request
from hornbeam.estimators.forest.grow_forest import Draws
from hornbeam.growing.interruption import TimeLimit


def fit_far(
    forest: Any,
    data: Any,
    columns: dict[str, Any],
    engine: Any,
    class_factors: Callable[[Target], Any],
    progress: Progress | None,
) -> None:
    """Fit a forest to data that an engine of `hornbeam.engines` reads; `columns` names y and weights."""
    limit = TimeLimit(forest.time_limit, progress)
    forest.check_forest()
    tree = forest.first_tree()
    if not forest.bootstrap and forest.task.is_classes:
        tree.class_weight = "balanced" if _is_by_tree(forest) else forest.class_weight
    request = far_request(tree, math.inf if forest.task.is_classes else LARGEST, **columns)
    engine = engine_of(engine, data)
    _refuse(forest, engine)
    with engine.open(data, request) as rows:
        forest.column_warning_ = ""  # what misleads a tree is seen in rows that lie side by side
        rows = check_rows(tree, rows)
        facts, draws, factors = None, None, None
        if forest.bootstrap:
            plan = tree.make_plan(rows, rows.target)
            facts = gather_facts(rows, plan)
            draws = Draws.of_keys(facts.keys, facts.target, forest.max_samples)
            factors = class_factors(facts.target)
        names = dict.fromkeys(column.name for column in rows.columns)
        fit_one = _fit_one(rows if forest.bootstrap else shared_rows(rows), facts, names)
        forest.grow_trees(names, rows, rows.target, draws, factors, fit_one, limit)


def _is_by_tree(forest: Any) -> bool:
    return isinstance(forest.class_weight, str) and forest.class_weight == "balanced_subsample"


def _fit_one(rows: FarRows, facts: RowFacts | None, names: dict[str, None]) -> Callable[..., Any]:
    """What grows a tree of its counts, weights of classes and seed."""

    def fit_one(tree: Any, drawn: Longs | None, factors: Floats | None, progress: Progress | None) -> Any:
        own = rows if drawn is None or facts is None else drawn_rows(rows, facts, drawn, factors)
        if factors is not None:
            tree.class_weight = dict(zip(rows.target.classes, factors.tolist(), strict=True))
        tree.learn_far(check_rows(tree, own), names, None, progress)
        return tree

    return fit_one


def _refuse(forest: Any, engine: Any) -> None:
    """Raise for what a forest asks of all rows at once."""
    if forest.oob_score:
        raise ValueError(
            "oob_score=True asks every row again, but the data is read piece by piece: use oob_score=False,"
            " and hb.evaluate(forest, ...) on rows held out"
        )
    if engine.checkpoint is not None:
        raise ValueError(
            f"checkpoint={engine.checkpoint!r} keeps the growth of one tree, but a forest has several: leave"
            " it out, or fit a TreeClassifier or TreeRegressor"
        )
