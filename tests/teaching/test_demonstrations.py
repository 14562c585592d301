"""Overfitting and early stopping can be shown, and show what theory expects."""

from __future__ import annotations

from itertools import product

import pytest

from hornbeam.teaching import demonstrations as d


def test_continuous_columns_are_learned_by_heart():
    found = d.overfitting(repetitions=3)
    assert (found.full_training, found.leaf_training, found.leaf_test) == (0.0, 0.25, 0.25)
    assert found.full_test == pytest.approx(0.381, abs=0.015)
    assert found.expected_training == 0.0
    assert found.memorising == 0.375
    assert found.is_overfitted
    assert found.leaves > 100


def test_ten_binary_columns_leave_an_eighth_of_training_errors():
    found = d.overfitting(kind="binary", repetitions=3)
    assert found.expected_training == pytest.approx(0.119559, abs=1e-6)
    assert found.full_training == pytest.approx(found.expected_training, abs=0.01)
    assert found.full_test == pytest.approx(0.348, abs=0.015)
    assert (found.leaf_training, found.leaf_test) == (0.25, 0.25)
    assert found.is_overfitted


def test_the_size_and_the_share_can_be_chosen():
    found = d.overfitting(60, 3, 0.5, n_test=200, repetitions=2)
    assert (found.n_rows, found.n_columns, found.share, found.n_test, found.repetitions) == (
        60,
        3,
        0.5,
        200,
        2,
    )
    assert found.leaf_training == found.leaf_test == 0.5
    assert found.memorising == 0.5
    pure = d.overfitting(10, 2, 0.0, n_test=10, repetitions=1)
    assert (pure.full_training, pure.full_test, pure.leaves) == (0.0, 0.0, 1.0)


def test_a_seed_gives_the_same_numbers_again():
    small = {"n_rows": 50, "n_columns": 2, "n_test": 100, "repetitions": 1}
    assert d.overfitting(**small, random_state=1) == d.overfitting(**small, random_state=1)
    assert d.overfitting(**small, random_state=1) != d.overfitting(**small, random_state=2)


def test_the_numbers_are_plain_and_print_as_a_table():
    found = d.overfitting(50, 2, n_test=50, repetitions=1)
    assert found.to_dict()["is_overfitted"] == found.is_overfitted
    lines = str(found).splitlines()
    assert lines[0] == "50 rows, 2 continuous columns unrelated to the class"
    assert {len(line) for line in lines[1:]} == {len(lines[1])}


def enumerated(n_rows, n_columns, share):
    """The expected training error, over all ways rows can fall into cells and be ill."""
    cells, total = range(2**n_columns), 0.0
    for places in product(cells, repeat=n_rows):
        for ill in product((0, 1), repeat=n_rows):
            weight = (1 / len(cells)) ** n_rows
            for label in ill:
                weight *= share if label else 1 - share
            groups = [[y for y, place in zip(ill, places, strict=True) if place == cell] for cell in cells]
            total += weight * sum(min(sum(g), len(g) - sum(g)) for g in groups) / n_rows
    return total


@pytest.mark.parametrize(
    ("n_rows", "n_columns", "share"), [(1, 1, 0.3), (3, 1, 0.25), (4, 1, 0.5), (3, 2, 0.1), (4, 0, 0.25)]
)
def test_the_expected_error_is_the_mean_over_all_worlds(n_rows, n_columns, share):
    found = d.expected_training_error(n_rows, n_columns, share)
    assert found == pytest.approx(enumerated(n_rows, n_columns, share), abs=1e-12)


def test_the_expected_error_grows_to_the_share_in_large_cells():
    assert d.expected_training_error(1_000_000, 1, 0.25) == pytest.approx(0.25, abs=1e-9)
    assert d.expected_training_error(1000, 200, 0.25) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("n_columns", [2, 3, 6])
@pytest.mark.parametrize("min_gain", [0.0, 1e-9, 0.5])
def test_a_minimum_gain_stops_exclusive_or_at_the_root(n_columns, min_gain):
    found = d.xor(n_columns, min_gain)
    assert list(found.gains.values()) == [0.0] * n_columns
    assert found.joint_gain == 1.0
    assert (found.full_leaves, found.full_error) == (4, 0.0)
    assert (found.stopped_leaves, found.stopped_error) == (1, 0.5)
    assert found.n_rows == 2**n_columns
    assert found.to_dict()["full_leaves"] == 4


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: d.overfitting(0), "n_rows=0 must be a whole number of at least 1"),
        (lambda: d.overfitting(n_columns=2.5), "n_columns=2.5 must be a whole number"),
        (lambda: d.overfitting(share=1.5), "share=1.5 must be a number from 0 to 1"),
        (lambda: d.overfitting(kind="binaer"), "kind='binaer' must be 'continuous' or 'binary'"),
        (lambda: d.overfitting(repetitions=0), "repetitions=0 must be"),
        (lambda: d.overfitting(n_test=0), "n_test=0 must be"),
        (lambda: d.overfitting(random_state=None), "random_state=None must be a whole number of at least 0"),
        (lambda: d.xor(1), "n_columns=1 must be a whole number from 2 to 16"),
        (lambda: d.xor(min_gain=-1), "min_gain=-1 must be a number of at least 0"),
        (lambda: d.expected_training_error(share="half"), "share='half' must be a number from 0 to 1"),
    ],
)
def test_what_cannot_be_shown_gets_a_sentence(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()
