"""The measures hold for any data: against obvious twins, scipy, and the tests of candidates; bad input gets a
sentence."""

from __future__ import annotations

import doctest
import math
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit
from scipy.stats import entropy as scipy_entropy
from sklearn import metrics

import hornbeam as hb
from hornbeam import measures as m

DOCS = Path(__file__).parents[1] / "docs"
NAMES = ("error", "gini", "half-entropy", "root", "entropy")
counted = st.lists(st.integers(0, 9), min_size=1, max_size=6).filter(any)


# ---- groups ----------------------------------------------------------------------------------------------


def twin(counts, name):
    """The potential of a group, as it is written in a textbook."""
    total = sum(counts)
    p = [c / total for c in counts]
    if name == "error":
        return 1 - max(p)
    if name == "gini":
        return sum(x * (1 - x) for x in p)
    if name == "root":
        return sum(math.sqrt(x * (1 - x)) for x in p) / 2
    bits = -sum(x * math.log2(x) for x in p if x)
    return bits if name == "entropy" else bits / 2


@given(counted, st.sampled_from(NAMES))
def test_a_potential_is_the_formula_of_the_textbook(counts, name):
    assert m.val(counts, name) == pytest.approx(twin(counts, name), abs=1e-12)


@given(counted)
def test_the_named_functions_are_the_potentials(counts):
    found = [m.error(counts), m.gini(counts), m.half_entropy(counts), m.root(counts), m.entropy(counts)]
    assert found == [m.val(counts, name) for name in NAMES]


@given(counted, st.sampled_from([2, 3, math.e, 10]))
def test_entropy_is_scipys_in_any_base(counts, base):
    assert m.entropy(counts, base) == pytest.approx(float(scipy_entropy(counts, base=base)), abs=1e-12)


@given(st.floats(0, 1), st.sampled_from(NAMES))
def test_a_fraction_is_a_group_of_two_classes(q, name):
    assert m.potential(q, name) == pytest.approx(m.val([1 - q, q], name), abs=1e-8)
    assert m.potential(q, name) == pytest.approx(m.potential(1 - q, name), abs=1e-7)


def test_only_proportions_matter():
    for name in NAMES:
        for scale in (1e-320, 1e-9, 7.0, 1e300, 1e308):
            assert m.val([scale * 0.75, scale * 0.25], name) == pytest.approx(m.val([3, 1], name), rel=1e-3)


def test_a_group_is_a_list_an_array_a_dict_or_a_series():
    expected = m.entropy([2, 1])
    groups = [
        np.array([2, 1]),
        (2, 1),
        {"a": 2, "b": 1},
        Counter("aab"),
        pd.Series([2, 1]),
        pl.Series([2, 1]),
    ]
    assert [m.entropy(group) for group in groups] == [expected] * 6


def test_a_fraction_gives_a_float_and_an_array_an_array_of_its_shape():
    assert isinstance(m.potential(0.3), float)
    assert m.binary_entropy(np.full((2, 3), 0.5)).tolist() == [[1.0] * 3] * 2
    assert m.gini_two([0.0, 0.5]).tolist() == [0.0, 0.5]


def test_a_fraction_off_by_rounding_is_moved_to_the_border():
    assert m.potential(1 + 1e-15, "entropy") == 0.0
    assert m.gini([0.9, 0.1, 1 - 0.9 - 0.1]) == pytest.approx(0.18)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: m.entropy([3, -1]), r"counts\[1\]=-1 must be a finite number of at least 0"),
        (lambda: m.entropy([1, math.nan]), r"counts\[1\]=nan must be a finite number"),
        (lambda: m.gini([1, math.inf]), r"counts\[1\]=inf must be a finite number"),
        (lambda: m.gini([0, 0]), "counts holds no positive number"),
        (lambda: m.gini([]), "counts holds no positive number"),
        (lambda: m.gini(0.3), r"counts must be one row of numbers.*potential\(q"),
        (lambda: m.gini([[1, 2], [3, 4]]), "counts must be one row of numbers.*val_branches"),
        (lambda: m.entropy([1, 1], base=1), "base=1 must be a number above 1"),
        (lambda: m.entropy([1, 1], base="2"), "base='2' must be a number above 1"),
        (lambda: m.potential(1.2), "q=1.2 must be a fraction from 0 to 1"),
        (lambda: m.potential([0.5, math.nan]), "q=nan must be a fraction from 0 to 1"),
        (lambda: m.potential(0.5, "ginni"), r"potential='ginni' must be one of .*did you mean 'gini'"),
        (lambda: m.val([1, 2], 3), "potential=3 must be one of 'error'"),
    ],
)
def test_a_group_that_is_none_gets_a_sentence(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()


def test_labels_instead_of_counts_get_a_sentence():
    with pytest.raises(TypeError, match=r"counts must hold numbers, the counts or probabilities.* not 'yes'"):
        m.entropy(["yes", "no"])
    with pytest.raises(TypeError, match="counts must hold numbers"):
        m.entropy(["1", "2"])
    with pytest.raises(TypeError, match="q must hold numbers"):
        m.potential(np.array([0.5, "0.5"], dtype=object))


# ---- splits ----------------------------------------------------------------------------------------------


def random_columns(seed, gaps=0.0):
    """A nominal column, classes, weights and counts."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 40))
    x = [None if rng.random() < gaps else v for v in rng.choice(list("abcd"), n).tolist()]
    return x, rng.choice(["no", "yes", "perhaps"], n).tolist(), rng.random(n) + 0.1, rng.integers(1, 4, n)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("criterion", ["entropy", "gini", "root", "error"])
def test_gains_are_those_of_candidates(seed, criterion):
    x, y, weight, counts = random_columns(seed, gaps=0.2 * (seed % 2))
    options = {"sample_weight": weight, "counts": counts}
    found = hb.candidates({"x": x}, y, criterion=criterion, split="multiway", **options)
    if not found:
        assert len(set(x)) == 1
        return
    assert m.gain(x, y, potential=criterion, **options) == pytest.approx(found[0].gain, abs=1e-12)
    assert m.split_information(x, y, **options) == pytest.approx(found[0].split_information, abs=1e-12)
    if criterion == "entropy":
        assert m.information_gain(x, y, **options) == pytest.approx(found[0].gain, abs=1e-12)
        assert m.gain_ratio(x, y, **options) == pytest.approx(found[0].gain_ratio, abs=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_a_gain_is_the_mutual_information_of_scikit_learn(seed):
    x, y, _, _ = random_columns(seed)
    codes = [sorted(set(y)).index(label) for label in y]
    expected = metrics.mutual_info_score([ord(v) for v in x], codes)
    assert m.information_gain(x, y, base=math.e) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_columns_and_their_table_give_the_same(seed):
    x, y, weight, _ = random_columns(seed, gaps=0.2)
    table = m.tabulate(x, y, sample_weight=weight)
    by_branch = dict(zip(table.branches, table.counts.tolist(), strict=True))
    named = {b: dict(zip(table.classes, row, strict=True)) for b, row in by_branch.items()}
    for measure in (
        m.information_gain,
        m.conditional_entropy,
        m.split_information,
        m.gain_ratio,
        m.val_branches,
    ):
        expected = measure(x, y, sample_weight=weight)
        for same in (table, table.counts, by_branch, named, pd.DataFrame(table.counts)):
            assert measure(same) == pytest.approx(expected, abs=1e-12)


@settings(max_examples=50)
@given(
    st.lists(st.lists(st.integers(0, 5), min_size=3, max_size=3), min_size=1, max_size=5),
    st.sampled_from(NAMES),
)
def test_a_split_never_raises_a_potential(table, name):
    if not np.sum(table):
        return
    before = m.val(np.sum(table, axis=0), name)
    assert m.val_branches(table, potential=name) <= before + 1e-12
    assert m.gain(table, potential=name) == pytest.approx(
        before - m.val_branches(table, potential=name), abs=1e-12
    )


@pytest.mark.parametrize("name", ["gini", "half-entropy", "root", "entropy"])
def test_a_concave_potential_falls_unless_both_sides_are_alike(name):
    assert m.gain([[1, 3], [2, 3]], potential=name) > 1e-4
    assert m.gain([[1, 3], [2, 6]], potential=name) == pytest.approx(0.0, abs=1e-15)


def test_counts_are_repetitions_and_weights_scale():
    x, y = list("aab"), [0, 1, 1]
    repeated = m.information_gain(list("aaaab"), [0, 1, 1, 1, 1])
    assert m.information_gain(x, y, counts=[1, 3, 1]) == pytest.approx(repeated)
    assert m.information_gain(x, y, sample_weight=[0.5, 1.5, 0.5]) == pytest.approx(repeated)
    assert m.information_gain(x, y, counts=[1, 3, 1], sample_weight=[2, 2, 2]) == pytest.approx(repeated)


def test_gaps_are_a_value_or_dropped():
    x, y = ["a", None, "b", float("nan")], [0, 1, 1, 0]
    assert m.tabulate(x, y).branches == ("a", "b", "Missing")
    assert m.tabulate(x, y, missing="drop").counts.tolist() == [[1, 0], [0, 1]]
    assert m.information_gain(x, y) == 0.5
    assert m.information_gain(x, y, missing="drop") == 1.0
    assert m.tabulate([1.5, float("nan"), 0.5, 1.5], y).branches == (0.5, 1.5, "Missing")
    only = [None, None, None, None]
    assert m.information_gain(only, y) == 0.0
    with pytest.raises(ValueError, match="x is missing in every row"):
        m.information_gain(only, y, missing="drop")


def test_columns_come_from_any_library():
    x, y = ["u", "v", "u"], ["p", "q", "p"]
    kinds = (list, np.array, pd.Series, pl.Series, lambda v: pd.Series(v, dtype="category"))
    assert [m.information_gain(kind(x), kind(y)) for kind in kinds] == pytest.approx([0.918296] * 5, abs=1e-6)


def test_branches_stand_in_the_order_of_their_domain():
    size = pd.Categorical(list("LSM"), categories=list("SML"), ordered=True)
    assert m.tabulate(size, [0, 1, 1]).branches == ("S", "M", "L")
    assert m.tabulate([10, 9, 10], [0, 1, 1]).branches == (9, 10)
    assert m.tabulate([(1, "a"), (0, "b")], [0, 1]).branches == ((1, "a"), (0, "b"))
    assert m.tabulate([False, True], ["b", "a"]).classes == ("a", "b")


def test_a_cut_is_a_column_of_truth_values():
    cold = hb.datasets.load("temperature")
    x = np.array(cold.X["Temperature"])
    expected = {found.threshold: found.gain for found in hb.candidates(cold.X, cold.y)}
    assert {cut: m.information_gain(x <= cut, cold.y) for cut in expected} == pytest.approx(expected)


def test_split_information_takes_sizes():
    expected = m.entropy([3, 4, 1])
    sizes = ([3, 4, 1], np.array([3, 4, 1]), {"a": 3, "b": 4, "c": 1}, pd.Series([3, 4, 1]), [[3], [4], [1]])
    assert [m.split_information(given) for given in sizes] == [expected] * 5


def test_a_trivial_split_has_no_ratio():
    assert m.gain_ratio(["a", "a"], [0, 1]) == 0.0
    assert m.split_information(["a", "a"], [0, 1]) == 0.0
    assert m.is_useless(["a", "a"], [0, 1])
    assert m.gain_ratio([[1, 2], [0, 0]]) == 0.0


def test_perfect_and_useless_within_a_tolerance():
    nearly = [[999, 1], [0, 1000]]
    assert not m.is_perfect(nearly)
    assert m.is_perfect(nearly, tolerance=0.002)
    even = [[501, 499], [500, 500]]
    assert not m.is_useless(even)
    assert m.is_useless(even, tolerance=0.001)
    assert m.is_useless([[1, 2], [0, 0], [2, 4]])
    assert m.is_perfect([[0.1, 0.0], [0.0, 0.3]])
    assert m.is_perfect([1, 2], ["a", "a"])
    assert m.is_useless([1, 2], ["a", "a"])
    thirds = [[1 / 3, 2 / 3], [0.1 + 0.2, 0.6]]
    assert m.is_useless(thirds)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: m.information_gain([[1, -2], [3, 4]]),
            r"table\[0, 1\]=-2 must be a finite number of at least 0",
        ),
        (lambda: m.information_gain([[0, 0], [0, 0]]), "table holds no positive number"),
        (lambda: m.information_gain([1, 2, 3]), "table must have two dimensions.*give y as well"),
        (lambda: m.gain([[1, 2]], counts=[1]), "counts belongs to the rows of columns"),
        (lambda: m.gain([[1, 2]], sample_weight=np.ones(2)), "sample_weight belongs to the rows of columns"),
        (lambda: m.gain([[1, 2]], missing="drop"), "missing belongs to the rows of columns"),
        (lambda: m.gain([1, 2], [0, 1], missing="guess"), "missing='guess' must be 'value'.*or 'drop'"),
        (lambda: m.gain([1, 2, 3], [0, 1]), "inconsistent numbers of samples"),
        (lambda: m.gain([], []), "x has no rows"),
        (lambda: m.gain([1, 2], [0, None]), "the target of row 1 is missing"),
        (
            lambda: m.gain([1, 2], [0, 1], sample_weight=[1, -1]),
            r"sample_weight\[1\]=-1 must be a finite number",
        ),
        (lambda: m.gain([1, 2], [0, 1], counts=[0, 0]), "counts is zero in every row"),
        (lambda: m.gain([1, 2], [0, 1], counts=[1, 1.5]), r"counts\[1\]=1.5 must be a whole number"),
        (lambda: m.gain([[1, 2], [2, 1]], potential="best"), "potential='best' must be one of"),
        (lambda: m.is_perfect([[1, 2]], tolerance=-1), "tolerance=-1 must be a number from 0 to 1"),
        (lambda: m.gain([[1, 2], [3]]), "table must hold numbers"),
        (lambda: m.split_information([[1, 2], [3]]), "table must hold numbers"),
        (lambda: m.split_information([["1", "2"]]), "table must hold numbers"),
        (lambda: m.gain(["a", "b"], [0.5, 1.5]), r"y holds numbers with fractions.*sdr"),
        (lambda: m.gain(np.ones((2, 2)), [0, 1]), "column 'x' has 2 dimensions"),
    ],
)
def test_a_split_that_is_none_gets_a_sentence(call, sentence):
    with pytest.raises((ValueError, TypeError), match=sentence):
        call()


@pytest.mark.parametrize("x", ["text", {"a": 1}, 3])
def test_what_is_no_column_gets_a_sentence(x):
    with pytest.raises(TypeError, match="x must be a column, one value for each row"):
        m.information_gain(x, [0, 1])


def test_text_without_a_target_gets_a_sentence():
    with pytest.raises(TypeError, match="for a column give y as well"):
        m.split_information(["a", "b"])


# ---- trees -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["robots", "tennis", "tax", "xcount"])
def test_val_of_a_tree_is_that_of_its_leaves(name):
    data = hb.datasets.load(name)
    model = hb.TreeClassifier(max_depth=1).fit(data.X, data.y, counts=data.counts)
    leaves = model.tree_.stats[1:]
    for potential in NAMES:
        expected = sum(sum(leaf) * twin(leaf, potential) for leaf in leaves.tolist()) / leaves.sum()
        assert m.val_tree(model, potential) == pytest.approx(expected)
        assert m.val_tree(model.tree_, potential) == pytest.approx(expected)
    wrong = m.error_rate(data.y, model.predict(data.X), counts=data.counts)
    assert m.val_tree(model, "error") == pytest.approx(wrong)


def test_a_tree_without_rows_or_classes_is_refused():
    with pytest.raises(ValueError, match=r"written without counts.*refit"):
        m.val_tree(hb.Tree.from_nested({"column": "a", "<=": 1, "yes": "p", "no": "q"}))
    hours = hb.datasets.load("hours")
    with pytest.raises(ValueError, match="hold no classes"):
        m.val_tree(hb.TreeRegressor().fit(hours.X, hours.y))
    with pytest.raises(ValueError, match="call fit first"):
        m.val_tree(hb.TreeClassifier())
    with pytest.raises(TypeError, match="a model is a Tree"):
        m.val_tree("tree")


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.sampled_from(NAMES))
def test_the_potential_of_a_split_in_two_is_that_of_two_leaves(u, p, r, name):
    assert m.val_split(u, p, r, name) == pytest.approx(m.val_leaves([u, 1 - u], [p, r], name), abs=1e-9)
    q = u * p + (1 - u) * r
    assert m.val_split(u, p, r, name) <= m.potential(q, name) + 1e-9


def test_val_of_arrays_of_splits():
    found = m.val_split([0.5, 0.5], [0.6, 0.5], [1.0, 0.5], "gini")
    assert found == pytest.approx([0.24, 0.5])
    with pytest.raises(ValueError, match=r"u=1\.5 must be a fraction"):
        m.val_split(1.5, 0.1, 0.2)
    with pytest.raises(ValueError, match=r"p and q must have one number for each leaf"):
        m.val_leaves([1, 2], [0.5])


# ---- codes -----------------------------------------------------------------------------------------------


@given(st.lists(st.integers(1, 50), min_size=2, max_size=12))
def test_huffman_codes_are_prefix_free_and_within_a_bit_of_the_entropy(counts):
    words = m.huffman_code(counts)
    assert [len(word) for word in words] == m.huffman_lengths(counts)
    assert sum(2.0 ** -len(word) for word in words) == 1.0
    assert not any(a != b and b.startswith(a) for a in words for b in words)
    assert len(set(words)) == len(words)
    mean, bits = m.mean_code_length(counts), m.entropy(counts)
    assert bits - 1e-12 <= mean < bits + 1


@given(st.lists(st.integers(1, 30), min_size=2, max_size=6))
def test_no_other_lengths_are_shorter(counts):
    """Against every way to join two groups first."""

    def shortest(weights):
        if len(weights) == 1:
            return 0
        pairs = [(i, j) for i in range(len(weights)) for j in range(i)]
        rest = ([w for k, w in enumerate(weights) if k not in pair] for pair in pairs)
        sums = [weights[i] + weights[j] for i, j in pairs]
        return min(s + shortest([*r, s]) for s, r in zip(sums, rest, strict=True))

    if len(counts) <= 4:
        assert m.mean_code_length(counts) * sum(counts) == pytest.approx(shortest(counts))


def test_codes_at_the_edges():
    assert m.huffman_lengths({"only": 3}) == {"only": 0}
    assert m.huffman_code([1.0]) == [""]
    assert m.huffman_lengths([1, 0, 1]) == [2, 2, 1]
    assert m.huffman_lengths([0.4, 0.2, 0.2, 0.1, 0.1]) == [2, 2, 2, 3, 3]
    assert m.mean_code_length({"a": 3, "b": 1}, {"b": 2, "a": 1}) == 1.25
    with pytest.raises(ValueError, match="lengths has no length for 'b'"):
        m.mean_code_length({"a": 3, "b": 1}, {"a": 1})
    with pytest.raises(ValueError, match="lengths has 1 numbers for 2 symbols"):
        m.mean_code_length([1, 1], [1])


@given(counted, st.integers(0, 5))
def test_cross_entropy_is_never_below_entropy(counts, seed):
    other = np.random.default_rng(seed).random(len(counts)) + 0.01
    assert m.cross_entropy(counts, other) >= m.entropy(counts) - 1e-12
    assert m.cross_entropy(counts, counts) == pytest.approx(m.entropy(counts), abs=1e-12)


def test_cross_entropy_of_the_impossible_is_infinite():
    assert m.cross_entropy([1, 1], [1, 0]) == math.inf
    assert m.cross_entropy([1, 0], [1, 0]) == 0.0
    assert m.cross_entropy({"a": 1, "b": 1}, {"b": 3, "a": 1}) == pytest.approx(1.207519, abs=1e-6)
    assert m.cross_entropy({"a": 1, "b": 1}, {"a": 1}) == math.inf
    assert m.cross_entropy([1, 3], [1, 3], math.e) == pytest.approx(m.entropy([1, 3]) * math.log(2))
    with pytest.raises(ValueError, match="p has 2 numbers and q has 3"):
        m.cross_entropy([1, 1], [1, 1, 1])
    with pytest.raises(TypeError, match="both be dicts"):
        m.cross_entropy({"a": 1}, [1])


# ---- logistic regression ---------------------------------------------------------------------------------


def test_the_logistic_function_is_scipys():
    z = np.array([-1000.0, -3.0, 0.0, 0.5, 1000.0])
    assert m.logistic(z) == pytest.approx(expit(z), abs=1e-15)


def test_the_gradient_is_the_slope_of_the_loss():
    rng = np.random.default_rng(0)
    theta, x, y = rng.normal(size=3), rng.normal(size=(5, 3)), rng.integers(0, 2, 5)
    step = 1e-6
    slope = [
        (m.logistic_loss(theta + step * e, x, y) - m.logistic_loss(theta - step * e, x, y)) / (2 * step)
        for e in np.eye(3)
    ]
    assert m.logistic_gradient(theta, x, y) == pytest.approx(slope, abs=1e-6)
    after = m.logistic_step(theta, x, y, eta=0.01)
    assert m.logistic_loss(after, x, y) < m.logistic_loss(theta, x, y)
    one_by_one = sum(m.logistic_gradient(theta, row, label) for row, label in zip(x, y, strict=True))
    assert m.logistic_gradient(theta, x, y) == pytest.approx(one_by_one)
    p = m.logistic(x @ theta)
    assert m.logistic_loss(theta, x, y) == pytest.approx(5 * m.log_loss(y, p))


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: m.logistic_gradient([1, 2], [1, 2, 3], 1), "x must have 2 numbers in a row"),
        (
            lambda: m.logistic_gradient([1, 2], [[1, 2], [3, 4]], 1),
            "y must hold one number for each of the 2 rows",
        ),
        (lambda: m.logistic_gradient([1, 2], [1, 2], 2), "y=2 must be a fraction"),
        (lambda: m.logistic_step([1], [1], 1, eta=-1), "eta=-1 must be a number of at least 0"),
        (lambda: m.logistic([1, math.nan]), "x holds nan"),
        (lambda: m.logistic_gradient([1], [math.inf], 1), "x holds nan or infinity"),
    ],
)
def test_logistic_regression_refuses_what_does_not_fit(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()


# ---- numbers ---------------------------------------------------------------------------------------------

reals = st.lists(st.floats(-1e6, 1e6, allow_subnormal=False), min_size=1, max_size=12)


@given(reals)
def test_mean_and_deviation_are_numpys(y):
    assert m.mean(y) == pytest.approx(float(np.mean(y)), rel=1e-9, abs=1e-9)
    assert m.sd(y) == pytest.approx(float(np.std(y)), rel=1e-6, abs=1e-7)


def test_deviation_with_counts_weights_and_extremes():
    assert m.sd([1, 5], counts=[3, 1]) == pytest.approx(np.std([1, 1, 1, 5]))
    assert m.sd([1, 5], sample_weight=[0.75, 0.25]) == pytest.approx(np.std([1, 1, 1, 5]))
    assert m.sd([1, 5, 99], counts=[3, 1, 0]) == pytest.approx(np.std([1, 1, 1, 5]))
    assert m.sd([0.1, 0.1, 0.1]) == 0.0
    assert m.sd([1e308, -1e308]) == pytest.approx(1e308)
    assert m.mean([1e308, 1e308, -1e308]) == pytest.approx(1e308 / 3)
    assert m.sd([1e9 + 1, 1e9 + 2, 1e9 + 3]) == pytest.approx(math.sqrt(2 / 3))


def test_the_coefficient_of_variation_at_the_edges():
    assert m.variation([-3, 3]) == math.inf
    assert m.variation([0.1, -0.1, 0.3, -0.3]) == math.inf
    assert m.variation([0, 0]) == 0.0
    assert m.variation([5]) == 0.0
    assert m.variation([-2, -4]) == pytest.approx(1 / 3)


@pytest.mark.parametrize("seed", range(15))
def test_the_reduction_is_that_of_candidates(seed):
    rng = np.random.default_rng(seed)
    x, _, weight, counts = random_columns(seed, gaps=0.2 * (seed % 2))
    y = rng.normal(100, 3, len(x))
    found = hb.candidates({"x": x}, y, criterion="sd", split="multiway", sample_weight=weight, counts=counts)
    if found:
        options = {"sample_weight": weight, "counts": counts}
        assert m.sdr(x, y, **options) == pytest.approx(found[0].gain, abs=1e-9)
        assert m.sd(y, **options) - m.sd_after_split(x, y, **options) == pytest.approx(
            found[0].gain, abs=1e-9
        )


def test_the_reduction_leaves_gaps_out_if_asked():
    x, y = ["a", "a", None, "b"], [1.0, 3.0, 100.0, 5.0]
    assert m.sdr(x, y, missing="drop") == pytest.approx(np.std([1, 3, 5]) - 2 / 3)
    assert m.sdr(x, y) == pytest.approx(np.std(y) - 0.5)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: m.sd([]), "y must be a column of at least one number"),
        (lambda: m.sd([1, None]), r"y\[1\] is missing"),
        (lambda: m.sd([1, math.inf]), r"y\[1\] is infinite"),
        (lambda: m.sd(["a"]), "y must hold numbers, one for each row, not 'a'"),
        (lambda: m.sd([[1, 2]]), r"its shape is \(1, 2\)"),
        (lambda: m.sdr([1, 2], [1.0]), "x has 2 rows and y has 1"),
        (lambda: m.sdr([None, 1], [1, 2], counts=[1, 0], missing="drop"), "leaves no row of positive weight"),
        (lambda: m.mean([1, 2], counts=[1]), r"counts.shape == \(1,\), expected \(2,\)"),
    ],
)
def test_numbers_that_are_none_get_a_sentence(call, sentence):
    with pytest.raises((ValueError, TypeError), match=sentence):
        call()


# ---- errors ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(10))
def test_errors_are_those_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    n, w = 30, rng.random(30)
    y, said = rng.choice(list("abc"), n), rng.choice(list("abc"), n)
    assert m.error_rate(y, said, sample_weight=w) == pytest.approx(
        1 - metrics.accuracy_score(y, said, sample_weight=w)
    )
    p = rng.dirichlet(np.ones(3), n)
    expected = metrics.log_loss(y, p, labels=list("abc"), sample_weight=w)
    assert m.log_loss(y, p, classes=list("abc"), sample_weight=w) == pytest.approx(expected)
    a, b = rng.normal(size=n), rng.normal(size=n)
    assert m.mse(a, b, sample_weight=w) == pytest.approx(metrics.mean_squared_error(a, b, sample_weight=w))
    assert m.rmse(a, b) == pytest.approx(math.sqrt(metrics.mean_squared_error(a, b)))
    assert m.mae(a, b, sample_weight=w) == pytest.approx(metrics.mean_absolute_error(a, b, sample_weight=w))


def test_log_loss_of_two_classes_takes_the_probability_of_the_second():
    assert m.log_loss(["no", "yes"], [0.2, 0.8]) == pytest.approx(-math.log(0.8))
    assert m.log_loss([True, False], [0.8, 0.2]) == pytest.approx(-math.log(0.8))
    assert m.log_loss(["yes"], [0.8], classes=["no", "yes"]) == pytest.approx(-math.log(0.8))
    assert m.log_loss([1, 1], [0.5, 0.5], base=2) == 1.0
    assert m.log_loss([1, 0], [1.0, 0.0]) == 0.0
    assert m.log_loss([1], [0.0]) == math.inf
    assert m.log_loss([1, 0], [0.5, 1.0], counts=[1, 0]) == pytest.approx(math.log(2))


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: m.log_loss(["yes"], [0.8]),
            "p has the probabilities of 2 classes, but there are 1 .*`classes`",
        ),
        (lambda: m.log_loss([0, 1, 2], [0.1, 0.2, 0.3]), "of 2 classes, but there are 3"),
        (lambda: m.log_loss([0, 1], [0.1, 0.2, 0.3]), "p must have one row for each of the 2 rows"),
        (lambda: m.log_loss([0, 1], [[0.5, 0.6], [0.5, 0.5]]), r"p\[0\] adds up to 1.1"),
        (lambda: m.log_loss([0, 1], [1.5, 0.2]), "p=1.5 must be a fraction"),
        (lambda: m.log_loss(["c"], [0.5], classes=["a", "b"]), "y holds 'c', which is not among classes"),
        (lambda: m.error_rate([1, 0], [0.8, 0.2]), r"answers\[0\]=0.8 is no class of y; cut probabilities"),
        (lambda: m.error_rate([1, 0], ["1", "0"]), "y holds 1 and answers '1'"),
        (lambda: m.error_rate([1, None], [1, 0]), r"y\[1\] is missing"),
        (lambda: m.error_rate([1, 0], [1]), "y has 2 rows and answers has 1"),
        (lambda: m.error_rate([], []), "y has no rows"),
        (lambda: m.error_rate("ab", "ab"), "y must be a column"),
        (lambda: m.mse([1, 2], [1]), "y has 2 rows and answers has 1"),
        (lambda: m.is_overfitted((0.1,), (0.2, 0.3)), r"h=\(0.1,\) must be a pair"),
        (lambda: m.is_overfitted((0.1, 0.2), (0.2, math.nan)), "other=.* must be a pair"),
        (lambda: m.memorising_error(1.5), "p=1.5 must be a number from 0 to 1"),
        (lambda: m.memorising_error(True), "p=True must be a number from 0 to 1"),
    ],
)
def test_answers_that_do_not_fit_get_a_sentence(call, sentence):
    with pytest.raises((ValueError, TypeError), match=sentence):
        call()


def test_overfitting_needs_both_signs():
    assert not m.is_overfitted((0.2, 0.2), (0.1, 0.3))
    assert not m.is_overfitted((0.1, 0.3), (0.2, 0.3))
    assert m.is_overfitted([0.1, 0.31], np.array([0.2, 0.3]))


@given(st.floats(0, 1))
def test_memorising_is_never_better_than_the_majority(p):
    assert m.memorising_error(p) >= m.potential(p, "error") - 1e-15
    assert m.memorising_error(p) == pytest.approx(m.gini_two(p))


# ---- pages -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", ["algorithms/measures.md", "howto/reproduce.md"])
def test_the_examples_of_a_page_hold(page):
    text = (DOCS / page).read_text(encoding="utf-8")
    examples = "\n".join(re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL))
    test = doctest.DocTestParser().get_doctest(examples, {}, page, page, 0)
    assert test.examples
    assert doctest.DocTestRunner().run(test).failed == 0
