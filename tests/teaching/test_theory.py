"""The calculators: the worked cases, other data, refusals, and the upper limits of error."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

import hornbeam as hb
from hornbeam import pruning
from hornbeam.teaching import theory as t


def close(value):
    """Equal to six decimals."""
    return pytest.approx(value, abs=1e-6)


# ---- the cases -------------------------------------------------------------------------------------------


def test_hypothesis_validation_sample_size():
    found = [t.validation_sample_size(100, 0.1, 0.05), t.validation_sample_size(1000, 0.05, 0.01)]
    assert [f.notes for f in found] == [761, 4606]
    assert [f.hoeffding for f in found] == [415, 2442]
    assert [f.guarantee for f in found] == [0.2, 0.1]


def test_boolean_functions():
    assert [t.boolean_instances(n) for n in range(1, 6)] == [2, 4, 8, 16, 32]
    assert [t.boolean_functions(n) for n in range(1, 6)] == [4, 16, 256, 65536, 4294967296]


def test_trees_by_depth():
    assert [t.trees_by_depth(2, k) for k in range(4)] == [2, 8, 128, 32768]
    assert [t.trees_by_depth(10, k) for k in range(4)] == [2, 40, 16000, 2560000000]
    logs = [t.log_trees_by_depth(10, k, base=2) for k in range(4)]
    assert logs == close([1.0, 5.321928, 13.965784, 31.253497])


def test_trees_by_leaves():
    assert [t.trees_by_leaves(3, k) for k in range(1, 7)] == [2, 12, 144, 2160, 36288, 653184]
    assert [t.catalan(k) for k in range(6)] == [1, 1, 2, 5, 14, 42]
    assert t.log_trees_by_leaves_bound(3, 6, base=2) == close(23.924813)
    assert t.log_trees_by_leaves(3, 6, base=2) == close(19.31713)


def test_vc_dimension_boolean():
    found = [t.vc_boolean(4, 8), t.vc_boolean(10, 100)]
    assert [(f.lower, f.upper, f.log2_functions) for f in found] == [
        close((4, 24.0, 21.0)),
        close((10, 96.438562, 89.794706)),
    ]


def test_vc_dimension_general():
    assert [t.vc_general(s, d) for s, d in [(2, 1), (4, 2), (8, 3)]] == [13, 59, 208]


def test_pac_sample_size_by_depth():
    log_h = t.log_trees_by_depth(10, 3)
    assert log_h == close(21.663273)
    assert t.sample_size(log_h, 0.1, 0.05) == t.sample_size_by_depth(10, 3, 0.1, 0.05) == 1233
    assert t.sample_size(log_h, 0.1, 0.05, learner="consistent") == 247


def test_pac_sample_size_and_bound_by_leaves():
    log_h = t.log_trees_by_leaves(10, 5)
    assert log_h == close(15.315134)
    assert t.sample_size(log_h, 0.1, 0.05) == t.sample_size_by_leaves(10, 5, 0.1, 0.05) == 916
    assert t.error_gap(log_h, 1000, 0.05) == close(0.095684)
    assert t.error_bound(0.2, log_h, 1000, 0.05) == close(0.295684)


def test_kearns_mansour_exponents():
    found = [t.log_size_to_reach(name, 0.1, 0.1) for name in ("gini", "entropy", "root", "gini-notes")]
    assert found == close([23025.85093, 530.189811, 230.258509, 53018.981105])
    assert t.log_size_to_reach("root", 0.1, 0.1, constant=3) == close(3 * 230.258509)


def test_srm_guarantee():
    assert t.srm_guarantee(7, 1000, 0.05, 2, 10) == close(2.455914)
    assert t.srm_guarantee(7, 1000, 0.05, 2, 10, constant=2) == close(2 * 2.455914)


# ---- other data ------------------------------------------------------------------------------------------


@given(st.integers(1, 6), st.integers(1, 8), st.integers(1, 4))
def test_trees_by_leaves_follow_their_recurrence(n, k, labels):
    h = [0, labels]
    for size in range(2, k + 1):
        h.append(n * sum(h[i] * h[size - i] for i in range(1, size)))
    assert t.trees_by_leaves(n, k, labels=labels) == h[k]
    assert t.log_trees_by_leaves(n, k, labels=labels) == pytest.approx(math.log(h[k]), abs=1e-12)


@given(st.integers(1, 200), st.integers(1, 2000))
def test_the_loose_bound_is_never_exceeded(n, k):
    assert t.log_trees_by_leaves(n, k) <= t.log_trees_by_leaves_bound(n, k) + 1e-9


def test_the_often_seen_bound_fails_from_six_leaves_on():
    fails = [
        k
        for k in range(1, 10)
        if t.log_trees_by_leaves(4, k, base=2) > (k - 1) * math.log2(4) + 2 * k - 1 + 1e-9
    ]
    assert fails == [6, 7, 8, 9]


@given(st.integers(1, 12), st.integers(1, 5))
def test_the_general_vc_bound_is_the_last_that_holds(s, d):
    def holds(m):
        return 2**m <= 4**s * 2**s * m ** (d * s)

    m = t.vc_general(s, d)
    assert holds(m)
    assert not holds(m + 1)


def test_logarithms_of_any_base():
    assert t.log_trees_by_depth(10, 3, base=2) == close(t.log_trees_by_depth(10, 3) / math.log(2))
    bits = t.log_trees_by_depth(10, 3, base=2)
    assert t.sample_size(bits, 0.1, 0.05, base=2) == math.ceil((bits + math.log2(20)) / 0.02)
    two = t.srm_penalty(50, 5, 1, 8, 0.1, base=2)
    assert two == close(math.sqrt((6 * 3 + math.log2(10)) / 50))


def test_the_penalty_of_arrays_is_that_of_each_number():
    m, size, depth = [50, 100, 7.5], [5, 3, 9], [1, 0, 4]
    found = t.srm_penalty(m, size, depth, 8, 0.1, numerator="m", constant=2)
    each = [
        t.srm_penalty(*one, 8, 0.1, numerator="m", constant=2) for one in zip(m, size, depth, strict=True)
    ]
    assert found == close(each)
    assert isinstance(each[0], float)
    assert each[0] == close(2 * math.sqrt((6 * math.log(8) + math.log(500)) / 50))


def test_there_is_one_penalty():
    assert not hasattr(pruning, "srm_penalty")


def test_large_numbers_are_exact_and_larger_ones_have_logarithms():
    assert t.boolean_functions(12) == 2**4096
    assert t.log_boolean_functions(100, base=2) == 2.0**100
    assert t.trees_by_depth(10, 12).bit_length() == math.floor(t.log_trees_by_depth(10, 12, base=2)) + 1
    assert t.log_trees_by_leaves(1000, 10**6) > 0


def test_work_is_counted_with_the_constant_one():
    found = t.work(5, 8)
    assert (found.node, found.balanced, found.worst, found.pruning) == (40, 120.0, 320, 64)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: t.boolean_functions(-1), "n=-1"),
        (lambda: t.boolean_functions(60), "n=60"),
        (lambda: t.trees_by_depth(3, 40), "k=40"),
        (lambda: t.trees_by_leaves(0, 3), "n=0"),
        (lambda: t.trees_by_leaves(3, 2.5), "k=2.5"),
        (lambda: t.vc_boolean(9, 3), "leaves=9"),
        (lambda: t.sample_size(3.0, 0, 0.05), "epsilon=0"),
        (lambda: t.sample_size(3.0, 0.1, 1), "delta=1"),
        (lambda: t.sample_size(-3.0, 0.1, 0.1), "log_hypotheses=-3.0"),
        (lambda: t.sample_size(3.0, 0.1, 0.1, learner="lazy"), "learner='lazy'"),
        (lambda: t.sample_size(3.0, 0.1, 0.1, base=1), "base=1"),
        (lambda: t.error_gap(3.0, 0, 0.1), "m=0"),
        (lambda: t.error_bound(1.5, 3.0, 10, 0.1), "training_error=1.5"),
        (lambda: t.srm_penalty(10, 3, 1, 4, 0), "delta=0"),
        (lambda: t.srm_penalty(10, 3, 1, 4, 0.1, constant=-1), "constant=-1"),
        (lambda: t.srm_penalty(0, 3, 1, 4, 0.1), "m=0 must be a number above 0"),
        (lambda: t.srm_penalty([5, -2], 3, 1, 4, 0.1), "m=-2.0 must be a number above 0"),
        (lambda: t.srm_penalty(10, "three", 1, 4, 0.1), "size='three' must be a number above 0"),
        (lambda: t.srm_penalty(10, 3, -1, 4, 0.1), "depth=-1 must be a number of at least 0"),
        (lambda: t.srm_penalty(10, 3, 1, 0, 0.1), "n=0 must be a number of at least 1"),
        (lambda: t.srm_penalty(10, 3, 1, 4, 0.1, numerator="x"), "numerator='x'"),
        (lambda: t.srm_guarantee(3, 10, float("nan"), 1, 4), "delta=nan"),
        (lambda: t.log_size_to_reach("gini", 0.6, 0.1), "gamma=0.6"),
        (lambda: t.log_size_to_reach("sd", 0.1, 0.1), "criterion='sd'"),
        (lambda: t.validation_sample_size(0, 0.1, 0.1), "m=0"),
        (lambda: t.expected_errors(1, 16, 0), "confidence=0"),
        (lambda: t.expected_errors(1, 16, limit="wilson"), "limit='wilson'"),
        (lambda: t.expected_errors(17, 16), "errors=17"),
        (lambda: t.upper_limit(0, 0), "n must be above 0"),
    ],
)
def test_a_wrong_argument_is_named(call, name):
    with pytest.raises(ValueError, match=name.replace(".", r"\.")):
        call()


# ---- upper limits ----------------------------------------------------------------------------------------


def add_errs(n, e, cf):
    """C4.5's AddErrs, line by line."""
    val = [0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.00]
    dev = [4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.00]
    i = next(i for i, v in enumerate(val) if cf <= v)
    coeff = dev[i - 1] + (dev[i] - dev[i - 1]) * (cf - val[i - 1]) / (val[i] - val[i - 1])
    coeff *= coeff
    if e < 1e-6:
        return n * (1 - math.exp(math.log(cf) / n))
    if e < 0.9999:
        none = n * (1 - math.exp(math.log(cf) / n))
        return none + e * (add_errs(n, 1.0, cf) - none)
    if e + 0.5 >= n:
        return 0.67 * (n - e)
    inside = coeff * ((e + 0.5) * (1 - (e + 0.5) / n) + coeff / 4)
    return n * (e + 0.5 + coeff / 2 + math.sqrt(inside)) / (n + coeff) - e


def test_upper_limits_of_error():
    errors, n = [0, 0, 0, 1], [6, 9, 1, 16]
    assert t.upper_limit(errors, n) == close([0.206299, 0.142756, 0.75, 0.159611])
    assert t.expected_errors(errors, n) == close([1.237797, 1.284804, 0.75, 2.506894])


@given(st.floats(0.1, 500), st.floats(0, 1), st.floats(0.0005, 0.99))
def test_the_estimate_is_c45s(n, share, cf):
    e = n * share
    assert t.expected_errors(e, n, cf) == pytest.approx(e + add_errs(n, e, cf), rel=1e-9, abs=1e-9)


@given(st.integers(1, 60), st.data(), st.floats(0.01, 0.9))
def test_the_exact_limit_solves_the_binomial(n, data, cf):
    e = data.draw(st.integers(0, n))
    p = t.upper_limit(e, n, cf)
    assert (p == 1.0) if e == n else (binom.cdf(e, n, p) == pytest.approx(cf, abs=1e-7))
    assert t.expected_errors(e, n, cf, limit="exact") == pytest.approx(n * p)


def test_a_leaf_without_cases_expects_no_error():
    assert t.expected_errors([0.0, 0.0], [0.0, 4.0], limit="weka")[0] == 0.0


# ---- the report ------------------------------------------------------------------------------------------


def test_the_report_agrees_with_the_calculators():
    table = hb.datasets.load("tennis")
    found = t.report(hb.id3().fit(table.X, table.y), 14, n_tests=4, delta=0.1, epsilon=0.2)
    log_h = t.log_trees_by_leaves(4, 5)
    assert (found.leaves, found.depth, found.training_error) == (5, 2, 0.0)
    assert found.gap == close(t.error_gap(log_h, 14, 0.1))
    assert found.needed == t.sample_size(log_h, 0.2, 0.1)
    assert found.vc == t.vc_general(5, 1)
    assert f"{found.needed:,} rows" in str(found)


def test_the_report_counts_errors_tests_and_classes():
    X = {"x": [1.0, 2.0, 3.0, 4.0], "c": ["a", "b", "c", "a"], "b": [True, False, True, True]}
    found = t.report(hb.TreeClassifier(max_depth=0).fit(X, ["u", "u", "v", "w"]))
    assert (found.n_rows, found.n_tests, found.classes, found.training_error) == (4, 3 + 3 + 1, 3, 0.5)
    assert found.bound == pytest.approx(0.5 + found.gap)
    assert found.as_dict()["leaves"] == 1


def test_the_report_refuses_what_it_cannot_judge():
    with pytest.raises(ValueError, match="task='real'"):
        t.report(hb.TreeRegressor().fit([[1.0], [2.0]], [1.0, 2.0]))
    with pytest.raises(ValueError, match="n_rows"):
        t.report(hb.Tree.from_nested("yes"))
    with pytest.raises(TypeError, match="int"):
        t.report(3)
    assert np.isfinite(t.report(hb.Tree.from_nested("yes"), 10).bound)
