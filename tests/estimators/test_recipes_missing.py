"""Gaps in the lectures' recipes: the branch learned for them is followed, all paths only where none was."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest
from tests.io.export.case import Case, records
from tests.io.export.runners import expected, run_duckdb, run_javascript, run_python, run_sqlite
from tests.support.mixed_tables import outcome, random_columns, strange_rows

import hornbeam as hb
from hornbeam.parts import AllPaths

GROWN = ("builddt", "dt", "buildtree")  # to the end, whatever is gained
COLOURS = {"colour": ["red", "red", "red", "blue", None, None], "size": ["s", "m", "m", "m", "m", "s"]}
LABELS = ["a", "a", "a", "b", "b", "c"]


def contradicted(X, y):
    """Rows that no tree can answer right: fewer than others of the same values."""
    keys = [repr(row) for row in X.astype(object).where(X.notna(), None).to_numpy().tolist()]
    counts = pd.DataFrame({"key": keys, "label": y}).value_counts()
    return int(counts.sum() - counts.groupby("key").max().sum())


@pytest.mark.parametrize("name", GROWN)
@pytest.mark.parametrize("gaps", [0.1, 0.4, 0.8])
def test_a_tree_grown_to_the_end_answers_its_own_training_rows(name, gaps):
    for seed in range(8):
        rng = np.random.default_rng([seed, int(gaps * 10)])
        X = random_columns(rng, int(rng.integers(2, 90)), gaps=gaps)
        X = X[["city", "size", "owner"]] if seed % 2 else X
        y = rng.choice(["p", "q", "r"], len(X))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # small tables have columns like identifiers
            found = hb.teaching.consistent(hb.recipe(name).fit(X, y), X, y)
        assert found.errors == contradicted(X, y)


@pytest.mark.parametrize("name", [*GROWN, "id3"])
def test_a_gap_takes_the_branch_learned_for_gaps_and_all_paths_where_there_is_none(name):
    model = hb.recipe(name).fit(COLOURS, LABELS)
    tree = model.tree_
    assert tree.columns[tree.column[0]].name == "colour"
    assert tree.policy == {"missing": "branch", "vote": "leaf", "weights": "leaf", "unseen": "missing"}
    given = {"colour": [None, None], "size": ["m", "s"]}
    np.testing.assert_allclose(model.predict_proba(given), [[0, 1, 0], [0, 0, 1]])
    nothing = {"colour": [None], "size": [None]}  # the size was known in every training row
    np.testing.assert_allclose(model.predict_proba(nothing), [[0, 0.5, 0.5]])


def test_all_paths_of_the_recipes_give_one_vote_a_leaf():
    X = {"a": ["u", "u", "u", "v", "v"], "b": ["x", "x", "x", "x", "x"]}
    model = hb.teaching.builddt().fit(X, ["p", "p", "q", "q", "q"])
    np.testing.assert_allclose(model.predict_proba({"a": [None], "b": ["x"]}), [[0.6, 0.4]])
    shares = model.set_params(missing="branch").fit(X, ["p", "p", "q", "q", "q"])
    np.testing.assert_allclose(shares.predict_proba({"a": [None], "b": ["x"]}), [[0.4, 0.6]])


@pytest.mark.parametrize("name", GROWN)
def test_exports_of_a_recipe_follow_the_learned_branch(name):
    rng = np.random.default_rng(5)
    X = random_columns(rng, 80, gaps=0.2)
    model = hb.recipe(name, max_depth=5).fit(X, outcome(rng, X, 3))
    case = Case(model.tree_, records(strange_rows(rng, 60)) + records(X))
    said, shares = expected(case)
    for run in (run_sqlite, run_duckdb, run_python, run_javascript):
        found, found_shares = run(case)
        assert found == said
        np.testing.assert_allclose(found_shares, shares, atol=1e-12)


def test_show_and_explain_say_where_a_gap_goes():
    model = hb.teaching.builddt().fit(COLOURS, LABELS)
    assert "is missing  size?" in hb.show(model)
    found = hb.explain(model, {"colour": None, "size": "m"})
    assert found.answer == "b"
    assert "colour is missing, which has a branch of its own  and  size = m" in str(found)
    assert "size is missing: both branches were followed" in str(
        hb.explain(model, {"colour": None, "size": None})
    )


def test_a_recipe_saved_and_loaded_follows_the_learned_branch(tmp_path):
    model = hb.teaching.builddt().fit(COLOURS, LABELS)
    again = hb.load(hb.save(model, tmp_path / "model.json"))
    assert repr(again) == repr(model)
    assert again.predict(COLOURS).tolist() == LABELS


def test_a_recipe_saved_before_answers_as_it_did(tmp_path):
    """Its tree says all paths, and so do its parameters."""
    before = hb.teaching.builddt(missing=AllPaths(vote="leaf")).fit(COLOURS, LABELS)
    path = hb.save(before, tmp_path / "model.json")
    assert '"all-paths"' in json.dumps(json.loads(path.read_text(encoding="utf-8")))
    again = hb.load(path)
    assert repr(again.missing) == "AllPaths(vote='leaf')"
    np.testing.assert_allclose(again.predict_proba(COLOURS), before.predict_proba(COLOURS))
    assert again.predict(COLOURS).tolist() != LABELS
