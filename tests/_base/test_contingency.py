"""The chi-square test of independence, and the tails of its laws."""
# ruff: noqa: N802 (a test is called by the number of its case)

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats
from tests.support.selection import examples

import hornbeam as hb
from hornbeam._base.significance.contingency import chi_square, chi_square_critical, p_text, statistics
from hornbeam._base.significance.tails import log_any, log_chi2, log_f, log_max, log_normal


def test_voting_preferences():
    found = hb.teaching.chi_square([[200, 150, 50], [250, 300, 50]])
    assert found.expected.tolist() == [[180, 180, 40], [270, 270, 60]]
    assert found.chi2 == pytest.approx(16.203704, abs=1e-6)
    assert found.df == 2
    assert found.p == pytest.approx(0.000302978, abs=1e-6)
    assert found.warning is None


def test_node_X2_of_the_count_example():
    found = hb.teaching.chi_square([[0, 1], [5, 0]])
    assert found.chi2 == pytest.approx(6.0)
    assert found.df == 1
    assert found.p == pytest.approx(0.014306, abs=1e-6)
    assert found.critical(0.05) == pytest.approx(3.841459, abs=1e-6)
    assert [found.rejects(0.05), found.rejects(0.01)] == [True, False]
    assert found.expected == pytest.approx(np.array([[5 / 6, 1 / 6], [25 / 6, 5 / 6]]))
    assert found.warning is not None
    assert "4 of 4 expected counts are below 5 (the smallest is 0.166667)" in found.warning


def test_rows_and_columns_without_counts_are_left_out():
    whole = chi_square([[10, 20], [30, 5]])
    padded = chi_square([[10, 0, 20], [0, 0, 0], [30, 0, 5]])
    assert (padded.chi2, padded.df, padded.p) == (whole.chi2, whole.df, whole.p)
    assert padded.expected.shape == (3, 3)
    assert padded.warning is None


@pytest.mark.parametrize("table", [[[3, 4, 5]], [[3], [4]], [[0, 7], [0, 9]], [[5]]])
def test_a_table_of_one_row_or_column_has_nothing_to_test(table):
    found = chi_square(table)
    assert (found.chi2, found.df, found.p, found.log_p) == (0.0, 0, 1.0, 0.0)


def test_proportional_rows_have_a_statistic_of_exactly_zero():
    assert chi_square([[1, 2, 7], [3, 6, 21], [10, 20, 70]]).chi2 == 0.0


tables = st.lists(st.lists(st.integers(0, 50), min_size=3, max_size=3), min_size=2, max_size=4)


@settings(max_examples=examples(60), deadline=None)
@given(tables, st.sampled_from(["pearson", "likelihood-ratio"]))
def test_statistics_are_those_of_scipy(table, statistic):
    kept = np.array(table)[np.sum(table, axis=1) > 0]
    kept = kept[:, kept.sum(axis=0) > 0]
    if kept.size == 0:
        with pytest.raises(ValueError, match="table has no counts"):
            chi_square(table)
        return
    found = chi_square(table, statistic=statistic)
    kind = "pearson" if statistic == "pearson" else "log-likelihood"
    expected = stats.chi2_contingency(kept, correction=False, lambda_=kind)
    assert found.chi2 == pytest.approx(expected.statistic, abs=1e-9)
    assert found.df == expected.dof
    assert found.p == pytest.approx(expected.pvalue, abs=1e-12)


@settings(max_examples=examples(40), deadline=None)
@given(tables, st.randoms(use_true_random=False))
def test_the_order_of_rows_and_columns_does_not_matter(table, random):
    if not np.sum(table):
        return
    order = random.sample(range(3), 3)
    shuffled = [[row[k] for k in order] for row in random.sample(table, len(table))]
    assert chi_square(shuffled).chi2 == pytest.approx(chi_square(table).chi2, rel=1e-12, abs=1e-12)


def test_a_stack_of_tables_is_tested_at_once():
    stack = np.array([[[5.0, 1.0], [2.0, 8.0]], [[1.0, 1.0], [1.0, 1.0]]])
    value, df = statistics(stack, "pearson")
    assert value.tolist() == [pytest.approx(chi_square(stack[0]).chi2), 0.0]
    assert df.tolist() == [1.0, 1.0]


def test_a_p_value_too_small_for_a_double_keeps_its_logarithm():
    found = chi_square([[3000, 0], [0, 3000]])
    assert found.p == 0.0
    assert found.log_p == pytest.approx(math.log(2) + float(stats.norm.logsf(math.sqrt(6000.0))))
    assert "p = 1e-1305" in str(found)


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ([1, 2, 3], "table has shape"),
        ([[1, 2], [3]], "table must be a table of numbers, every row of the same length"),
        ([["a", "b"]], "table must be a table of numbers"),
        ([[1, float("nan")]], "table holds nan: counts are numbers from 0"),
        ([[1, -1]], "table holds -1.0"),
        ([[0, 0]], "table has no counts"),
        ([], "table has shape"),
    ],
)
def test_a_bad_table_is_refused_by_name(table, sentence):
    with pytest.raises(ValueError, match=sentence):
        chi_square(table)


def test_bad_options_are_refused_by_name():
    with pytest.raises(ValueError, match="statistic='yates' must be one of 'pearson', 'likelihood-ratio'"):
        chi_square([[1, 2], [3, 4]], statistic="yates")
    with pytest.raises(ValueError, match="alpha=0 must be a number above 0 and below 1"):
        chi_square([[1, 2], [3, 4]]).critical(0)
    with pytest.raises(ValueError, match="df=-1 must be a whole number"):
        chi_square_critical(0.05, -1)


# --- tails --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("df", [1, 2, 7, 60])
def test_the_tail_of_chi_square_is_smooth_where_it_leaves_the_doubles(df):
    x = np.linspace(1200, 1600, 41)  # p falls from 1e-260 to beyond 1e-330
    tail = log_chi2(x, df)
    slope = np.diff(tail) / np.diff(x)
    assert np.isfinite(tail).all()
    assert np.allclose(np.diff(slope), 0, atol=1e-3)
    assert tail[0] == pytest.approx(float(stats.chi2.logsf(1200, df)), rel=1e-12)


def test_the_tail_of_f_continues_beyond_the_doubles():
    assert float(log_f(3.0, 2, 50)) == pytest.approx(float(stats.f.logsf(3.0, 2, 50)))
    # with 2 degrees of freedom between, P(F > x) = (1 + 2 x / w)^(-w / 2)
    for x, within in ((40.0, 900), (500.0, 4000)):
        assert float(log_f(x, 2, within)) == pytest.approx(
            -within / 2 * math.log1p(2 * x / within), rel=1e-10
        )
    assert float(log_f(math.inf, 1, 5)) == -math.inf


def test_the_correction_for_several_tests_is_exact_at_both_ends():
    assert float(log_any(math.log(0.5), 2)) == pytest.approx(math.log(0.75))
    assert float(log_any(0.0, 3)) == 0.0
    assert float(log_any(-50.0, 3)) == pytest.approx(math.log(3) - 50)
    assert float(log_any(-39.9, 3)) == pytest.approx(math.log(3) - 39.9, rel=1e-12)


def test_the_maximum_of_two_normal_variables_is_as_integration_says():
    for r in (-0.9, 0.0, 0.4, 0.95):
        for z in (0.5, 1.5, 3.0):
            # P(|Y| <= z | X = x) over the part of X within z, by a fine sum
            x = np.linspace(-z, z, 4001)
            inner = stats.norm.cdf((z - r * x) / math.sqrt(1 - r * r)) - stats.norm.cdf(
                (-z - r * x) / math.sqrt(1 - r * r)
            )
            inside = integrate.trapezoid(inner * stats.norm.pdf(x), x)
            found = math.exp(log_max(z, np.array([[1.0, r], [r, 1.0]])))
            assert found == pytest.approx(1 - inside, rel=5e-3)


def test_variables_that_are_one_count_once():
    assert log_max(2.0, np.ones((5, 5))) == pytest.approx(float(log_normal(2.0)), abs=1e-12)
    signs = np.outer([1, -1, 1], [1, -1, 1]).astype(float)
    assert log_max(40.0, signs) == pytest.approx(float(log_normal(40.0)), abs=1e-12)


def test_p_values_are_printed_however_small():
    assert [p_text(x) for x in (0.0, math.log(0.05), -1000.0, -math.inf)] == ["1", "0.05", "1e-434", "0"]
