"""The cases of the lectures with other tables, other orders, other limits: the rule, not the number."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.support.lectures import all_paths, errors, fitted, slow_tree, text

import hornbeam as hb
from hornbeam import id3
from hornbeam.teaching import builddt

NOMINAL = ["robots", "tennis", "gladiator", "eighty", "voting", "xcount", "xor2", "xor5", "fig84"]


def close(value):
    """Equal to six decimals."""
    return pytest.approx(value, abs=1e-6)


def random_table(seed):
    """A nominal table of ties, repeated rows and contradictions; declared domains may have unused values."""
    rng = np.random.default_rng(seed)
    n, n_columns, n_classes = rng.integers(1, 25), rng.integers(1, 5), rng.integers(1, 4)
    domains = {f"a{j}": [f"v{k}" for k in range(rng.integers(1, 5))] for j in range(n_columns)}
    X = {name: rng.choice(domain, n).tolist() for name, domain in domains.items()}
    return X, [f"c{k}" for k in rng.integers(0, n_classes, n)], domains


def declared(X, domains):
    """The table with its domains declared."""
    return pd.DataFrame({name: pd.Categorical(X[name], categories=domains[name]) for name in X})


# ---- BuildDT against the program of the slide ------------------------------------------------------------


@pytest.mark.parametrize("name", NOMINAL)
def test_builddt_grows_the_tree_of_the_slide_on_every_nominal_table(name):
    table = hb.datasets.load(name)
    slow = slow_tree(table.X, table.y, counts=table.counts)
    assert fitted(name, builddt()).tree_.text() == text(slow)


@pytest.mark.parametrize("name", ["robots", "tennis", "xor5"])
def test_with_the_columns_in_any_order(name):
    table = hb.datasets.load(name)
    for order in permutations(table.X):
        X = {column: table.X[column] for column in order}
        model = builddt(categorical_features=table.categorical).fit(X, table.y)
        assert model.tree_.text() == text(slow_tree(X, table.y))


@pytest.mark.parametrize("start", range(0, 200, 50))
def test_builddt_grows_the_tree_of_the_slide_with_declared_domains(start):
    for seed in range(start, start + 50):
        X, y, domains = random_table(seed)
        slow = slow_tree(X, y, domains=domains)
        assert builddt().fit(declared(X, domains), y).tree_.text() == text(slow)


def test_id3_stops_where_nothing_is_gained():
    for seed in range(50):
        X, y, domains = random_table(seed)
        slow = slow_tree(X, y, domains=domains, min_gain=1e-9)
        assert id3().fit(declared(X, domains), y).tree_.text() == text(slow)


def test_the_kind_of_table_does_not_matter():
    table = hb.datasets.load("tennis")
    columns = table.X | {}
    rows = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    kinds = [
        table.frame().drop(columns="Play"),
        pd.DataFrame(columns),
        pl.DataFrame(columns),
        pa.table(columns),
        rows,
    ]
    for X in kinds:
        assert builddt().fit(X, table.y).tree_ == builddt().fit(columns, table.y).tree_
    nameless = builddt().fit(pd.DataFrame(columns).to_numpy(), table.y).tree_.text()
    assert nameless.startswith("x0[Overcast: Yes(0:4) | Rain: x3[Strong: No(2:0)")


# ---- empty branches --------------------------------------------------------------------------------------


def test_empty_branches_at_every_level_are_counted_and_answer_as_their_parent():
    robots = hb.datasets.load("robots").frame()
    X = robots.drop(columns="class").astype(object)
    X["body"] = pd.Categorical(X["body"], categories=["circle", "hexagon", "pentagon", "square", "triangle"])
    X["smile"] = pd.Categorical(X["smile"], categories=["broad", "no", "yes"])
    model = builddt().fit(X, robots["class"])
    assert model.tree_.text() == (
        "body[circle: smile[broad: ally(0:0) | no: enemy(0:1) | yes: ally(2:0)] | hexagon: ally(0:0)"
        " | pentagon: ally(0:0) | square: enemy(0:3) | triangle: ally(2:0)]"
    )
    assert model.tree_.statistics() == {"depth": 2, "leaves": 7, "tests": 2, "nodes": 9, "reading_size": 11}
    new = X.iloc[[0, 0]].assign(body=["pentagon", "circle"], smile=["yes", "broad"])
    assert model.predict_proba(new) == close(np.array([[0.5, 0.5], [2 / 3, 1 / 3]]))
    assert errors(model, X, robots["class"].tolist()) == 0


def test_an_empty_branch_weighs_nothing_among_all_paths():
    neck = pd.Categorical(["tie", "tie", "bow"], categories=["bow", "nothing", "tie"])
    model = builddt().fit({"neck": neck}, ["ally", "ally", "enemy"])
    assert model.predict_proba([{"neck": None}])[0] == close([2 / 3, 1 / 3])


def test_contradictions_go_to_the_first_class():
    X, y = {"a": ["u", "u", "v", "v"], "b": ["k"] * 4}, ["q", "p", "q", "p"]
    model = builddt().fit(X, y)
    assert model.tree_.text() == "a[u: p(1:1) | v: p(1:1)]"
    assert errors(model, X, y) == 2
    ordered = pd.Categorical(y, categories=["q", "p"], ordered=True)
    assert builddt().fit(X, ordered).tree_.text() == "a[u: q(1:1) | v: q(1:1)]"


def test_parity_of_three_columns_needs_all_eight_leaves():
    rows = list(product([0, 1], repeat=3))
    X, y = np.array(rows, dtype=float), [sum(row) % 2 for row in rows]
    full = builddt(categorical_features=[0, 1, 2]).fit(X, y)
    assert full.tree_.statistics() == {"depth": 3, "leaves": 8, "tests": 7, "nodes": 15, "reading_size": 15}
    assert errors(full, X, y) == 0
    assert id3(categorical_features=[0, 1, 2]).fit(X, y).tree_.text() == "0(4:4)"
    assert hb.TreeClassifier().fit(X, y).tree_.n_leaves == 8  # cut as numbers


# ---- numbers, other splits, ordered values ---------------------------------------------------------------


def test_depth_and_size_stop_at_their_limit():
    def grown(**limits):
        return fitted("temperature", hb.TreeClassifier("gini", **limits)).tree_.text()

    stump = "Temperature[<=-5.5: No(2:0) | >-5.5: Yes(2:4)]"
    assert grown(max_depth=0) == grown(min_samples_split=9) == "No(4:4)"
    assert grown(min_samples_split=8) == stump
    assert grown(min_samples_leaf=3) == "Temperature[<=1.5: No(2:1) | >1.5: Yes(2:3)]"
    assert grown(min_samples_leaf=5) == "No(4:4)"


def test_the_other_ways_to_split_a_nominal_column():
    assert fitted("tax", hb.TreeClassifier("entropy", split="one-vs-rest")).tree_.text() == (
        "MarSt=Divorced[yes: yes(0:1) | no: no(4:0)]"
    )
    assert fitted("tax", hb.TreeClassifier("entropy", split="binary")).tree_.text() == (
        "MarSt[{Divorced}: yes(0:1) | {Married,Single}: no(4:0)]"
    )


def test_the_binary_split_of_tennis_with_the_largest_gini_decrease():
    tree = fitted("tennis", hb.TreeClassifier("gini", max_depth=1)).tree_
    assert tree.text() == "Outlook[{Overcast}: Yes(0:4) | {Rain,Sunny}: No(5:5)]"


def test_a_tree_of_an_ordinal_column_respects_its_order():
    size = pd.Categorical(list("SSMMMLL"), categories=list("SML"), ordered=True)
    assert hb.TreeClassifier("entropy").fit({"size": size}, list("nnyynyn")).tree_.text() == (
        "size[<=S: n(2:0) | >S: size[<=M: y(1:2) | >M: n(1:1)]]"
    )


def test_without_an_order_the_middle_value_can_be_split_off():
    given, y = ["S", "S", "M", "M", "L", "L"], list("nnyynn")
    for ordered, expected in [
        (False, "size[{S,L}: n(4:0) | {M}: y(0:2)]"),
        (True, "size[<=S: n(2:0) | >S: size[<=M: y(0:2) | >M: n(2:0)]]"),
    ]:
        size = pd.Categorical(given, categories=["S", "M", "L"], ordered=ordered)
        assert hb.TreeClassifier("entropy").fit({"size": size}, y).tree_.text() == expected


def test_a_cut_stands_after_the_last_value_present_below_it():
    size = pd.Categorical(["XS", "L", "XL"], categories=["XS", "S", "M", "L", "XL"], ordered=True)
    model = hb.TreeClassifier("entropy", max_depth=1).fit({"size": size}, ["n", "y", "y"])
    assert model.tree_.text() == "size[<=XS: n(1:0) | >XS: y(0:2)]"
    assert model.predict({"size": ["M"]}).tolist() == ["y"]


# ---- values that are missing or new ----------------------------------------------------------------------


@pytest.mark.parametrize("name", ["robots", "tennis", "gladiator"])
def test_every_row_of_known_missing_and_new_values_takes_all_its_paths(name):
    table = hb.datasets.load(name)
    model, slow = fitted(name, builddt()), slow_tree(table.X, table.y)
    tested = [c.name for c in model.tree_.columns if c.name in text(slow)]
    choices = [[*sorted(set(table.X[c])), None, "new"] if c in tested else [None] for c in table.X]
    rows = [dict(zip(table.X, values, strict=True)) for values in product(*choices)]
    shares = model.predict_proba(rows)
    for row, found in zip(rows, shares, strict=True):
        leaves = list(all_paths(slow, row))
        if len(leaves) == 1:
            continue  # one leaf answers with its shares
        total = sum(n for _, n in leaves)
        votes = [sum(n for label, n in leaves if label == k) / total for k in model.classes_]
        assert found == close(votes)
    assert len(rows) > 10


def test_one_vote_a_leaf_or_its_distribution():
    student = {"Gender": "Female", "Major": "Law"}
    by_vote = fitted("gladiator", builddt()).predict_proba([student])[0]
    by_shares = fitted("gladiator", builddt().set_params(missing="all-paths")).predict_proba([student])[0]
    assert by_vote == close([5 / 7, 2 / 7])  # CS 0:2, History 2:0 and Math/Female 2:1
    assert by_shares == close([4 / 7, 3 / 7])


def test_a_row_of_gaps_gets_the_distribution_of_the_table():
    for name in ("robots", "tennis"):
        model = fitted(name, builddt())
        nothing = dict.fromkeys(hb.datasets.load(name).X)
        root = model.tree_.stats[0] / model.tree_.stats[0].sum()
        assert model.predict_proba([nothing])[0] == close(root)
    assert fitted("robots", builddt()).predict([dict.fromkeys(hb.datasets.load("robots").X)]) == ["ally"]


def test_a_missing_number_follows_both_sides():
    model = fitted("temperature", builddt())
    assert model.predict_proba([{"Temperature": None}])[0] == close([0.5, 0.5])
    hours = fitted("hours", hb.TreeRegressor("sd", split="multiway", missing="all-paths", max_depth=1))
    day = {"Outlook": None, "Temp": "Hot", "Humidity": "High", "Windy": False}
    assert hours.predict([day, day | {"Outlook": "Overcast"}]) == close([39.785714, 46.25])


def test_a_gap_beside_one_value_is_a_value_in_training():
    model = builddt().fit({"a": ["k", "k", None]}, ["p", "p", "q"])
    assert model.tree_.text() == "a[k: p(2:0) | Missing: q(0:1)]"
    assert model.predict_proba([{"a": None}])[0] == close([0, 1])
    everywhere = model.set_params(missing="all-paths").fit({"a": ["k", "k", None]}, ["p", "p", "q"])
    assert everywhere.predict_proba([{"a": None}])[0] == close([2 / 3, 1 / 3])


def test_a_new_value_follows_all_paths_under_every_rule_for_gaps():
    for rule in ("learn", "branch", "all-paths"):
        model = fitted("tennis", builddt().set_params(missing=rule))
        day = {"Outlook": "Fog", "Temperature": "Hot", "Humidity": "High", "Wind": "Weak"}
        assert model.predict_proba([day])[0] == close([0.3, 0.7])
        assert model.predict([day | {"Humidity": "Dense"}]) == ["Yes"]
