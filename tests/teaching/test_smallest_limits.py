"""The smallest consistent trees: how large a table may be, and what is refused."""

from __future__ import annotations

import pickle
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import hornbeam as hb
from hornbeam.evaluation.consistency import consistent
from hornbeam.parts import PerColumn
from hornbeam.teaching.smallest import (
    SearchTooLargeError,
    count_smallest_trees,
    smallest_size,
    smallest_tree,
    smallest_trees,
)

# ---- how large a table may be ----------------------------------------------------------------------------


@pytest.mark.parametrize("split", ["threshold", "binary", "one-vs-rest", "multiway"])
@pytest.mark.parametrize("classes", [2, 4, 64])
def test_64_rows_of_8_columns_with_4_values_and_random_classes_are_searched_to_the_end(split, classes):
    rng = np.random.default_rng(classes)
    X = rng.integers(0, 4, (64, 8))
    y = rng.permutation(64) if classes == 64 else rng.integers(0, classes, 64)
    nominal = None if split == "threshold" else list(range(8))
    start = time.process_time()
    tree = smallest_tree(
        X, y, split="binary" if split == "threshold" else split, categorical_features=nominal
    )
    assert time.process_time() - start < 60
    assert consistent(tree, X, y)


def test_a_search_that_costs_too_much_is_refused_with_what_is_known():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 10)), rng.integers(0, 2, 300)
    with pytest.raises(
        SearchTooLargeError, match=r"300 different rows and 10 columns .* max_cost=200,000"
    ) as caught:
        smallest_tree(X, y, max_cost=200_000)
    error = caught.value
    assert 2 <= error.at_least < error.at_most <= 300
    assert error.expected > 200_000
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    grown = hb.TreeClassifier(criterion="entropy").fit(X, y).tree_
    assert error.at_most == grown.n_leaves


@pytest.mark.parametrize("size", ["depth", "tests", "nodes"])
def test_every_size_is_refused_in_the_same_way(size):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 8)), rng.integers(0, 2, 100)
    with pytest.raises(SearchTooLargeError, match="raise max_cost"):
        smallest_tree(X, y, size=size, max_cost=5000)
    with pytest.raises(SearchTooLargeError, match="raise max_cost"):
        smallest_size(X, y, size=size, max_cost=5000)


def test_a_chain_of_hundreds_of_tests_is_no_trouble():
    X, y = {"a": [f"v{k:03d}" for k in range(300)]}, np.arange(300)
    for size in ("leaves", "depth"):
        tree = smallest_tree(X, y, split="one-vs-rest", size=size)
        assert tree.statistics() == {
            "depth": 299,
            "leaves": 300,
            "tests": 299,
            "nodes": 599,
            "reading_size": 599,
        }


def test_more_smallest_trees_than_can_be_listed_are_refused():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 4, (64, 8)), np.arange(64)  # any tests will do, in any order
    with pytest.raises(SearchTooLargeError, match="the least size is 64 to 64 leaves"):
        count_smallest_trees(X, y, categorical_features=list(range(8)), max_cost=100_000)


def test_more_than_1024_different_rows_are_refused_at_once():
    with pytest.raises(
        ValueError, match=r"2,000 different rows, but .* up to 1,024: there would be up to \de\+"
    ):
        smallest_tree(np.arange(2000.0).reshape(-1, 1), np.arange(2000) % 2)


def test_ctrl_c_ends_the_search():
    code = (
        "import _thread, threading, time, numpy as np\n"
        "from hornbeam.teaching.smallest import smallest_tree\n"
        "rng = np.random.default_rng(0)\n"
        "X, y = rng.normal(size=(900, 20)), rng.integers(0, 2, 900)\n"
        "threading.Timer(0.5, _thread.interrupt_main).start()\n"
        "start = time.process_time()\n"
        "try:\n"
        "    smallest_tree(X, y, max_cost=10**9)\n"
        "except KeyboardInterrupt:\n"
        "    print('stopped', time.process_time() - start < 5)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout.strip() == "stopped True", done.stderr


# ---- refusals --------------------------------------------------------------------------------------------


def test_contradictory_rows_are_named():
    X, y = {"a": ["u", "v", "u", "v"], "n": [1, 2, 1.5, 2]}, ["p", "q", "p", "p"]
    with pytest.raises(ValueError, match=r"rows 1 and 3 .*\(a=v, n=2\) but the classes 'q' and 'p'"):
        smallest_tree(X, y)
    with pytest.raises(ValueError, match="rows 1 and 3"):
        smallest_size(X, y, split="multiway", size="depth")


def test_a_gap_is_named():
    with pytest.raises(ValueError, match="column 'a' has a missing value in row 2"):
        smallest_tree({"a": ["u", "v", None]}, ["p", "q", "q"])
    with pytest.raises(ValueError, match="column 'n' has a missing value in row 0"):
        smallest_tree({"a": ["u", "v"], "n": [np.nan, 1.0]}, ["p", "q"])


def test_a_column_with_too_many_values_for_value_sets_is_named():
    X, y = {"a": [f"v{k}" for k in range(20)]}, [k % 2 for k in range(20)]
    with pytest.raises(ValueError, match=r"column 'a' has 20 values, but subset tests .* up to 16"):
        smallest_tree(X, y)
    assert smallest_size(X, y, split="one-vs-rest") == 11
    assert smallest_size(X, y, split="multiway") == 20


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            {"size": "leafs"},
            "size='leafs' is not known .did you mean 'leaves'.*'leaves', 'nodes', 'tests', 'depth'",
        ),
        ({"split": "ternary"}, "split='ternary' is not known"),
        ({"max_cost": 0}, "max_cost=0 must be a whole number of at least 1"),
        ({"max_cost": "much"}, "max_cost='much' must be a whole number"),
        ({"counts": [1, -1]}, "counts"),
        ({"split": PerColumn({"b": "multiway"})}, "PerColumn names the column 'b'"),
    ],
)
def test_a_bad_option_gets_a_sentence(options, sentence):
    with pytest.raises((ValueError, TypeError), match=sentence):
        smallest_tree({"a": ["u", "v"]}, ["p", "q"], **options)


def test_there_is_no_list_of_all_trees_of_least_depth_nor_of_less_than_one():
    with pytest.raises(ValueError, match="size='depth' has no list"):
        smallest_trees({"a": ["u", "v"]}, ["p", "q"], size="depth")
    with pytest.raises(ValueError, match="max_trees=0 must be"):
        smallest_trees({"a": ["u", "v"]}, ["p", "q"], max_trees=0)


@pytest.mark.slow
def test_the_benchmark_prints_a_line_for_each_kind_of_split():
    options = ["--rows=12", "--columns=3", "--values=3", "--classes=2", "--draws=2"]
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.bench_smallest", *options],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert [line.split(" | ")[4] for line in lines[2:]] == ["threshold", "binary", "one-vs-rest", "multiway"]
