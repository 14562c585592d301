"""The pseudo-code of growing: every line that is reached, with the library's numbers."""

from __future__ import annotations

import numpy as np
import pytest
from tests.support.mixed_tables import outcome, random_columns
from tests.support.selection import some

import hornbeam as hb
from hornbeam.estimators.recipes import RECIPES
from hornbeam.teaching.pseudocode import listing_of, listings
from hornbeam.tree.arrays import LEAF

TENNIS = hb.datasets.load("tennis")
HOURS = hb.datasets.load("hours")
EVENTS = {
    "enter", "empty", "answer", "pure", "limit", "columns", "scores", "guard", "choose", "gain", "split",
    "branches", "prune",
}  # fmt: skip


def test_every_listing_enters_scores_chooses_splits_and_goes_on() -> None:
    for one in listings().values():
        events = [event for line in one.lines for event in line.on]
        assert len(events) == len(set(events)), one.name
        assert set(events) <= EVENTS
        assert {"enter", "pure", "scores", "choose", "split", "branches"} <= set(events)
        assert one.recipe is None or one.recipe in RECIPES


@pytest.mark.parametrize(
    ("recipe", "name"),
    [
        ("id3", "id3"), ("builddt", "builddt"), ("c45", "c45"), ("j48", "c45"), ("cart", "cart"),
        ("rpart", "cart"), ("buildtree", "buildtree"), ("dt", "dt"), ("chaid", "induction"),
        ("ctree", "induction"),
    ],
)  # fmt: skip
def test_a_recipe_has_the_listing_of_its_lecture(recipe: str, name: str) -> None:
    draft = hb.edit(RECIPES[recipe](), TENNIS.X, TENNIS.y)
    assert listing_of(draft.context.plan).name == name


def test_id3_at_the_root_of_tennis() -> None:
    draft = hb.edit(hb.id3(), TENNIS.X, TENNIS.y)
    steps = hb.teaching.walk(draft).steps
    assert [step.line for step in steps] == list(range(8))
    assert steps[0].say == "Node 0: 14 rows, the whole table."
    assert steps[1].say == "5 No, 9 Yes: the majority is Yes."
    assert steps[2].say == "No: the rows differ (entropy 0.940)."
    table = steps[4].table
    assert table is not None
    wanted = [
        (one.column, one.short, f"{one.after:.4f}", f"{one.gain:.4f}")
        for one in hb.candidates(hb.id3(), TENNIS.X, TENNIS.y)
    ]
    assert list(table.rows) == wanted
    assert table.marked == 0
    assert dict(steps[5].values)["by hand"].endswith("= 0.2467 bits")
    assert steps[-1].operation == {"op": "step", "node": 0}
    branches = steps[-1].table
    assert branches is not None
    assert branches.rows[1] == ("= Rain", "5 rows", "2 No, 3 Yes", "0.9710")


def test_doing_what_the_lines_say_grows_the_tree_of_fit() -> None:
    rng = np.random.default_rng(3)
    X = random_columns(rng, 60)
    y = outcome(rng, X, 2)
    for make in (hb.id3, hb.c45, hb.cart, hb.teaching.buildtree, hb.teaching.builddt, hb.chaid):
        model = make(max_depth=4)
        draft = hb.edit(model, X, y)
        node = 0
        while node < len(draft.tree):
            operation = hb.teaching.walk(draft, node).steps[-1].operation
            draft = draft if operation is None else draft.apply(operation)
            node += 1
        assert draft.tree == hb.edit(model, X, y).grow().tree


def test_a_leaf_ends_at_the_line_that_says_why() -> None:
    draft = hb.edit(hb.id3(), TENNIS.X, TENNIS.y).step()
    last = hb.teaching.walk(draft, 1).steps[-1]
    assert (last.line, last.say) == (2, "Yes: all rows have the same target. A leaf that answers Yes.")
    flat = hb.edit(hb.cart(max_depth=1), TENNIS.X, TENNIS.y).step()
    walk = hb.teaching.walk(flat, 2)
    assert "limit" in walk.listing.lines[walk.steps[-1].line].on
    assert "max_depth=1 is reached" in walk.steps[-1].say
    xor = hb.datasets.load("xor2")
    walk = hb.teaching.walk(hb.edit(hb.id3(), xor.X, xor.y))
    assert "gain" in walk.listing.lines[walk.steps[-1].line].on
    gladiator = hb.datasets.load("gladiator")
    draft = hb.edit(hb.id3(), gladiator.X, gladiator.y).grow()
    walk = hb.teaching.walk(draft, 4)
    assert "columns" in walk.listing.lines[walk.steps[-1].line].on


def test_a_branch_without_rows_answers_as_the_node_above() -> None:
    X = {"a": ["p", "q", "r", "p", "q", "r", "p", "p"], "b": ["u", "u", "v", "u", "u", "v", "w", "w"]}
    draft = hb.edit(hb.teaching.builddt(), X, [0, 1, 0, 1, 1, 0, 1, 0]).grow()
    empty = next(node for node in range(len(draft.tree)) if not draft.tree.n_rows[node])
    (step,) = hb.teaching.walk(draft, empty).steps
    assert step.say == f"Node {empty}: no rows. It answers as the node above, class 0."


def test_c45_tells_its_guard() -> None:
    walk = hb.teaching.walk(hb.edit(hb.c45(), TENNIS.X, TENNIS.y))
    guard = walk.listing.line_of("guard")
    (step,) = [one for one in walk.steps if one.line == guard]
    assert step.say == "Less than the mean gain, 0.1190: Temperature, Wind."
    assert dict(walk.steps[5].values)["by hand"] == "gain ratio = 0.2467 / 1.5774 = 0.1564"


def test_a_test_chosen_by_hand_is_told_as_such() -> None:
    draft = hb.edit(hb.id3(), TENNIS.X, TENNIS.y).split(0, on="Wind", multiway=True)
    says = [step.say for step in hb.teaching.walk(draft).steps]
    assert "The tree tests Wind = Strong here: chosen by hand, rank 3 of 4." in says
    assert says[-1] == "The same for each of the 2 branches, from node 1 on."


def test_numbers_are_grown_by_standard_deviation_too() -> None:
    model = hb.TreeRegressor("sd", split="multiway")
    walk = hb.teaching.walk(hb.edit(model, HOURS.X, HOURS.y))
    assert walk.steps[1].say == "The mean of 14 rows is 39.79, their standard deviation 9.321."
    table = walk.steps[3].table
    assert table is not None
    assert table.rows[0] == ("Outlook", "3-way", "7.6589", "1.6622")


def test_numeric_classes_are_not_read_as_counts() -> None:
    xor = hb.datasets.load("xor2")
    assert (
        hb.teaching.walk(hb.edit(hb.id3(), xor.X, xor.y))
        .steps[1]
        .say.startswith("2 of class 0, 2 of class 1: a tie, which goes to class 0.")
    )


@pytest.mark.parametrize("seed", some(range(3), of=[0]))
def test_every_node_of_mixed_tables_can_be_walked(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = random_columns(rng, 70)
    y = outcome(rng, X, 3)
    for make in RECIPES.values():
        if make in (RECIPES["auto"], RECIPES["m5"]):
            continue
        draft = hb.edit(make(), X, y).grow(max_depth=3)
        for node in range(len(draft.tree)):
            walk = hb.teaching.walk(draft, node)
            assert walk.steps
            assert (draft.tree.kind[node] != LEAF) == any(
                "branches" in walk.listing.lines[step.line].on for step in walk.steps
            )
            assert str(walk).count("▸") == len(walk.steps)
