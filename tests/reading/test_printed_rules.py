"""What is printed is what decides: every text of a tree, applied by its words, answers as the model does."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.support.odd_tables import PLACES, numbers, odd_words, outcome, plain_and_odd, times, with_gaps
from tests.support.printed_conditions import ConditionReader, is_missing
from tests.support.printed_texts import (
    SURROGATES,
    check_explanation,
    leaf_by_lines,
    printed_forms,
    printed_markdown,
    printed_page,
    printed_rules,
)

import hornbeam as hb
from hornbeam.parts import Binary, ColumnSets, Linear, Multiway, Oblique, OneVsRest, Predicates
from hornbeam.tree.apply import leaves as leaves_of


def domains_of(table: pd.DataFrame) -> dict[str, Any]:
    """What a reader knows of the columns of a table."""
    domains: dict[str, Any] = {}
    for name, column in table.items():
        values = column.dropna()
        if isinstance(column.dtype, pd.CategoricalDtype):
            domains[name] = list(column.cat.categories)
        elif (
            column.dtype.kind in "mM"
            or isinstance(column.dtype, pd.DatetimeTZDtype)
            or (column.dtype == object and values.map(lambda v: isinstance(v, dt.time)).all())
        ):
            domains[name] = "time"
        elif column.dtype.kind in "iuf":
            domains[name] = "number"
        else:
            domains[name] = list(dict.fromkeys(values.tolist()))
    return domains


def rows_of(table: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a table as a reader takes them."""
    columns = {
        name: [None if is_missing(v) else v for v in column.tolist()] for name, column in table.items()
    }
    for name, column in table.items():
        if column.dtype.kind in "mM":
            columns[name] = [None if pd.isna(v) else v for v in column]
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def rows_to_try(tree: hb.Tree, table: pd.DataFrame, rng: np.random.Generator, *, gaps: bool) -> pd.DataFrame:
    """Training rows, their values mixed anew, and values on the cuts of the tree and right beside them."""
    n = 60
    mixed = {}
    for place, (name, column) in enumerate(table.items()):
        drawn = column.iloc[rng.integers(0, len(column), n)].reset_index(drop=True)
        is_cut = (tree.column == place) & np.isfinite(tree.threshold)
        own_cuts = np.repeat(tree.column, np.diff(tree.cut_offset)) == place
        cuts = np.concatenate([tree.threshold[is_cut], tree.cut_threshold[own_cuts]])
        if len(cuts) and column.dtype.kind in "iuf":
            near = np.concatenate(
                [cuts, np.nextafter(cuts, np.inf), np.nextafter(cuts, -np.inf), -cuts, [0.0]]
            )
            drawn = drawn.astype(np.float64)
            chosen = rng.random(n) < 0.7
            drawn[chosen] = rng.choice(near, int(chosen.sum()))
        elif len(cuts) and column.dtype.kind in "mM":
            ticks = np.concatenate([np.floor(cuts) + k for k in (-1, 0, 1)]).astype(np.int64)
            moments = pd.Series(rng.choice(ticks, n)).astype(np.dtype(f"{column.dtype.kind}8[us]"))
            drawn = (
                moments.dt.tz_localize("UTC").dt.tz_convert(column.dt.tz)
                if hasattr(column.dtype, "tz")
                else moments
            )
        if gaps:
            drawn[rng.random(n) < 0.15] = None
        mixed[name] = drawn
    return pd.DataFrame(mixed)


def with_unseen(table: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """The table with values that training never saw in half the cells of a column of words."""
    words = [name for name, column in table.items() if column.dtype.kind not in "iufbmM"]
    words = [name for name in words if not table[name].map(lambda v: isinstance(v, dt.time)).any()]
    table = table.copy()
    for name in words[: int(rng.integers(0, 3))]:
        unseen = table[name].astype(object)
        unseen[rng.random(len(table)) < 0.5] = "never seen"
        table[name] = unseen
    return table


def check_everything_printed(
    model: Any, table: pd.DataFrame, y: Any, rng: np.random.Generator, *, gaps: bool = False
) -> None:
    """What each text says of rows is what the model does with them; rows sent several ways meet no rule."""
    tree = model.tree_
    zones = {name: column.dt.tz for name, column in table.items() if hasattr(column.dtype, "tz")}
    reader = ConditionReader(domains_of(table), zones)
    texts = {"rules": printed_rules(model), "markdown": printed_markdown(model)}
    if not tree.task.is_density:
        texts["page"] = printed_page(model, table, y)
    if tree.classes is not None:
        texts["forms"] = printed_forms(model)
    lines = hb.show(model, node_ids=True)
    notes = {name: printed.notes for name, printed in texts.items()} | {"lines": lines.splitlines()}
    check_note_of_divided_rows(tree, table, notes)
    trials = [table.iloc[:30], rows_to_try(tree, table, rng, gaps=gaps)]
    if not tree.task.is_density:
        trials.append(with_unseen(trials[1], rng))
    for trial in trials:
        leaves = leaves_of(tree, trial)
        answers = None if tree.classes is None else model.predict(trial)
        for k, (row, leaf) in enumerate(zip(rows_of(trial), leaves.tolist(), strict=True)):
            shown, asked_surrogates = leaf_by_lines(model, lines, reader, row)
            if shown != SURROGATES:
                assert shown in (leaf, None), (row, lines)
                assert shown is not None or leaf < 0, (row, lines)
            if not asked_surrogates:
                for name, printed in texts.items():
                    met = printed.met(reader, row)
                    expected = [] if shown is None else [leaf]
                    assert [there for there, _ in met] == expected, (name, row, printed)
                    if answers is not None and name != "page" and met:
                        assert met[0][1] == str(answers[k]), (name, row)
            if k % 10 == 0:
                check_explanation(model, reader, row, leaf)


def check_note_of_divided_rows(tree: hb.Tree, table: pd.DataFrame, notes: dict[str, list[str]]) -> None:
    """A sentence says that rows follow several branches, where training met gaps and some row does so."""
    tested = {tree.columns[c].name for node in range(len(tree)) for c in tree.tested_columns(node)}
    is_divided = False
    for name in tested:
        blank = table.assign(**{name: table[name].where(np.zeros(len(table), dtype=bool))})
        is_divided |= bool((leaves_of(tree, blank) < 0).any())
    expected = is_divided and bool(table[list(tested)].isna().any(axis=None))
    for name, said in notes.items():
        there = any("a row without the value follows all branches" in note.lower() for note in said)
        assert there == expected, (name, said, expected)


SPLITS: dict[str, Callable[[str], Any]] = {
    "binary": lambda place: Binary(threshold_at=place),
    "multiway": lambda place: Multiway(threshold_at=place),
    "one-vs-rest": lambda place: OneVsRest(threshold_at=place),
}
TABLES = {"numbers": numbers, "odd words": odd_words, "times": times}
SEEDS = [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 25))]


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 25))])
@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("kind", TABLES)
def test_printed_classifiers_answer_as_they_do(kind, split, seed):
    rng = np.random.default_rng(seed)
    table = TABLES[kind](rng, 100)
    y = outcome(rng, table, 2 + seed % 3)
    model = hb.TreeClassifier(split=SPLITS[split](PLACES[seed % 4]), max_depth=5).fit(table, y)
    check_everything_printed(model, table, y, rng)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("missing", ["learn", "majority", "branch", "all-paths", "fractional", "surrogates"])
def test_what_is_printed_sends_gaps_where_the_model_does(missing, seed):
    rng = np.random.default_rng(seed)
    whole = TABLES[list(TABLES)[seed % 3]](rng, 100)
    table, y = with_gaps(whole, rng), outcome(rng, whole, 2)
    kinds = list(SPLITS.values())[:: 2 if missing == "surrogates" else 1]
    split = kinds[seed % len(kinds)](PLACES[seed % 4])
    model = hb.TreeClassifier(split=split, missing=missing, max_depth=4).fit(table, y)
    check_everything_printed(model, table, y, rng, gaps=True)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("leaf", ["constant", "linear"])
def test_printed_regressions_reach_the_leaves_of_the_model(leaf, seed):
    rng = np.random.default_rng(seed)
    table = TABLES[list(TABLES)[seed % 3]](rng, 100)
    table = table.drop(columns="wide", errors="ignore")  # no sum of squares can hold it
    y = outcome(rng, table, 0)
    model = hb.TreeRegressor(leaf=Linear() if leaf == "linear" else leaf, max_depth=4).fit(table, y)
    check_everything_printed(model, table, y, rng)


@pytest.mark.parametrize("seed", SEEDS)
def test_printed_densities_reach_the_leaves_of_the_model(seed):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame({"x - y": rng.normal(size=80).round(2), "b": rng.integers(0, 9, 80) * 1.0})
    check_everything_printed(hb.TreeDensity(max_depth=3).fit(table), table, None, rng)


SEVERAL: dict[str, Any] = {
    "sums": Oblique(restarts=1),
    "sums with indicators": Oblique(restarts=1, indicators=True),
    "column sets": ColumnSets([["city, town", "grade"]]),
    "predicates": Predicates(["x > `x - y`", "`city, town` == 'Aš, CZ'", "x * `2*z` <= 0.1"]),
}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", SEVERAL)
def test_printed_tests_of_several_columns_answer_as_the_model_does(kind, seed):
    rng = np.random.default_rng(seed)
    table = plain_and_odd(rng, 80)
    tilted = table["x"] + table["x - y"] - 0.5 * table["2*z"] + (table["city, town"] == "Aš, CZ")
    paired = (table["city, town"].str.len() + table["grade"].str.len()) % 2
    y = np.where((tilted > 0.3) ^ (paired == 1) if kind == "column sets" else tilted > 0.3, "yes", "no")
    if seed % 2:
        table = with_gaps(table, rng)
    model = hb.TreeClassifier(split=SEVERAL[kind], max_depth=4).fit(table, y)
    check_everything_printed(model, table, y, rng, gaps=bool(seed % 2))


def test_printed_intervals_answer_as_the_tree_does():
    nested = {"column": "x", "cuts": [-1.5, 0.1, 1e9], "branches": ["a", "b", "c", "d"]}
    tree = hb.Tree.from_nested(nested)
    reader = ConditionReader({"x": "number"})
    cuts = np.array(nested["cuts"])
    values = np.concatenate([cuts, np.nextafter(cuts, np.inf), np.nextafter(cuts, -np.inf)])
    lines = hb.show(tree, node_ids=True)
    for value, leaf in zip(values.tolist(), leaves_of(tree, {"x": values}).tolist(), strict=True):
        row = {"x": value}
        for printed in (printed_rules(tree), printed_forms(tree)):
            assert [there for there, _ in printed.met(reader, row)] == [leaf]
        assert leaf_by_lines(tree, lines, reader, row) == (leaf, False)


def test_every_value_of_a_rule_is_printed():
    letters = list("abcdefghijklmnopqrst")
    tree = hb.TreeClassifier().fit({"c": letters}, [letter < "m" for letter in letters]).tree_
    assert all("..." not in str(rule) for rule in hb.rules(tree))
    assert all(any(letter in str(rule) for rule in hb.rules(tree)) for letter in letters)
    assert "…" not in hb.show(tree)


def test_sums_with_indicators_are_cut_at_round_numbers():
    rng = np.random.default_rng(3)
    table = plain_and_odd(rng, 200)
    y = table["x"] + 0.7 * (table["grade"] == "and") > 0.31234567
    model = hb.TreeClassifier(split=Oblique(restarts=1, indicators=True), max_depth=1).fit(table, y)
    cut = re.search(r"<= (\S+)\?", hb.show(model))[1]
    assert len(cut.lstrip("-").replace(".", "")) <= 5, hb.show(model)
