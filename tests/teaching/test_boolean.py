"""Boolean functions: truth tables, their trees and their normal forms."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles.smallest import smallest_by_subcubes
from tests.support.selection import examples

import hornbeam as hb
from hornbeam.evaluation.consistency import consistent
from hornbeam.teaching import boolean
from hornbeam.teaching.boolean import count_smallest, dnf, minimal_leaves, tree_of, truth_table
from hornbeam.teaching.smallest import smallest_size, smallest_tree

OUTPUTS = st.integers(1, 5).flatmap(lambda n: st.lists(st.booleans(), min_size=2**n, max_size=2**n))


def every(n):
    return list(itertools.product([False, True], repeat=n))


# ---- the lectures ----------------------------------------------------------------------------------------


def test_leaves_and_satisfying_assignments_of_the_lectures_functions():
    formulas = {
        "AND": "X2 and X5",
        "OR": "X2 or X5",
        "XOR": "X1 != X2",
        "F1": "X2 and X5 or X3 and X4 and not X1",
        "F2": "(A or B) and (C or not D or E)",
    }
    found = {name: [minimal_leaves(f), truth_table(f).n_true] for name, f in formulas.items()}
    assert found == {"AND": [3, 1], "OR": [3, 3], "XOR": [4, 2], "F1": [9, 11], "F2": [9, 21]}


def test_the_two_trees_of_xor_are_counted():
    assert count_smallest("X1 != X2") == 2
    assert count_smallest("(A != B) != C") == 12  # any variable first, then 2 trees on either side


def test_any_function_has_a_tree_and_trees_need_not_be_balanced():
    tree = tree_of("A and B and C")
    assert tree.statistics() == {"depth": 3, "leaves": 4, "tests": 3, "nodes": 7, "reading_size": 7}
    for outputs in every(4):  # all 16 functions of two variables
        for smallest in (False, True):
            assert consistent(tree_of(outputs, smallest=smallest), truth_table(outputs).X, outputs)


@pytest.mark.parametrize(
    ("formula", "leaves", "n_true"),
    [
        ("A", 2, 1),
        ("not A", 2, 1),
        ("A and B and C and D", 5, 1),
        ("(A != B) != C", 8, 4),
        ("A + B + C >= 2", 6, 4),
        ("(S and A) or (not S and B)", 4, 4),
        ("(A and B) or (C and D)", 7, 7),
        ("A == B", 4, 2),
        ("A + B + C + D in (0, 4)", 8, 2),
    ],
)
def test_small_functions_have_the_leaves_one_counts_by_hand(formula, leaves, n_true):
    assert (minimal_leaves(formula), truth_table(formula).n_true) == (leaves, n_true)


# ---- truth tables ----------------------------------------------------------------------------------------


def test_a_function_may_be_given_in_five_ways():
    wanted = truth_table("A and not B")
    assert wanted.variables == ("A", "B")
    assert wanted.outputs == (False, False, True, False)
    assert truth_table([False, False, True, False], ["A", "B"]) == wanted
    assert truth_table(np.array([False, False, True, False]), ["A", "B"]) == wanted
    assert truth_table(lambda A, B: A and not B) == wanted
    mapping = {(1, 1): False, (1, 0): True, (0, 1): False, (0, 0): False}
    assert truth_table(mapping, ["A", "B"]) == wanted
    assert truth_table({"11": 0, "10": 1, "01": 0, "00": 0}, ["A", "B"]).n_true == 1
    assert truth_table(wanted) is wanted


def test_the_columns_are_all_assignments_in_the_order_of_counting():
    table = truth_table("A and B", ["B", "C", "A"])
    assert list(table.X) == ["B", "C", "A"]
    assert list(zip(*table.X.values(), strict=True)) == every(3)
    assert table.y == [b and a for b, _, a in every(3)]
    assert table.n_rows == 8


def test_variables_that_do_not_matter_count_in_assignments_but_not_in_leaves():
    names = ["X1", "X2", "X3", "X4", "X5"]
    assert truth_table("X2 and X5", names).n_true == 8
    assert minimal_leaves("X2 and X5", names) == 3


def test_the_variables_of_a_table_can_be_put_in_another_order():
    table = truth_table("A and not B")
    other = truth_table(table, ["B", "A"])
    assert other(A=True, B=False) is True
    assert other.outputs == (False, True, False, False)


def test_one_assignment_is_looked_up_by_name():
    table = truth_table("A + B + C >= 2")
    assert table(A=1, B=0, C=True) is True
    with pytest.raises(ValueError, match="no value for 'C'"):
        table(A=1, B=0)
    with pytest.raises(ValueError, match="'D' is no variable"):
        table(A=1, B=0, C=0, D=1)


def test_formulas_may_compare_calculate_and_quote_names():
    assert truth_table("`is red` AND NOT (B OR C)").variables == ("is red", "B", "C")
    assert truth_table("(A and B) != (C or D)").n_true == 10
    assert truth_table("A + 2*B - C > 1").outputs == tuple(a + 2 * b - c > 1 for a, b, c in every(3))
    assert truth_table("True or A").n_true == 2
    assert truth_table("A in (0, 1)").n_true == 2


@pytest.mark.parametrize(
    ("function", "variables", "sentence"),
    [
        ("A !=", None, "cannot be read"),
        ("", None, "must be a text such as"),
        ("A and f(B)", None, "not part of the language"),
        ("A + B", None, "as a truth value, but it is a number: compare it"),
        ("A and 'x'", None, "contains \"'x'\""),
        ("A != B != C", None, "chains !=.*write .A != B. != C"),
        ("A and B", ["A", "C"], "uses 'B', which is not among the variables A, C"),
        ("A", ["A", "A"], "must be different names"),
        ([0, 1, 1], None, "there are 3 outputs, but they must be 2, 4, 8"),
        ([0, 1, 1, 0], ["A"], "there are 4 outputs, but they must be 2.1 = 2"),
        ({(0, 0): 1, (0, 1): 1, (1, 0): 0}, None, r"nothing about the assignment \(1, 1\): give all 4"),
        ({(0, 0): 1, (0,): 1}, None, "but there are 2 variables"),
        ({(0, 2): 1}, None, "must be true or false"),
        (7, None, "must be a formula"),
        ([[0], [1]], None, "neither a truth value nor a label"),
        (lambda *values: True, None, "name them in variables"),
        (" or ".join(f"v{k}" for k in range(21)), None, "has 21 variables"),
    ],
)
def test_what_is_no_function_gets_a_sentence(function, variables, sentence):
    with pytest.raises((ValueError, TypeError), match=sentence):
        truth_table(function, variables)


# ---- trees -----------------------------------------------------------------------------------------------


@settings(max_examples=examples(30), deadline=None)
@given(OUTPUTS)
def test_the_search_finds_what_the_recursion_over_subcubes_finds(outputs):
    table = truth_table(outputs)
    tree = tree_of(table, smallest=True)
    leaves, n_trees = smallest_by_subcubes(tuple(outputs))
    assert tree.n_leaves == minimal_leaves(table) == leaves
    assert count_smallest(table) == n_trees
    assert tree.text() == smallest_tree(table.X, table.y, split="multiway").text()
    assert consistent(tree, table.X, table.y)


@settings(max_examples=examples(30), deadline=None)
@given(OUTPUTS)
def test_the_greedy_tree_computes_the_function_with_no_fewer_leaves(outputs):
    table = truth_table(outputs)
    assert consistent(tree_of(table), table.X, table.y)
    assert tree_of(table).n_leaves >= minimal_leaves(table)


def test_a_greedy_tree_may_be_larger_than_the_smallest():
    multiplexer = truth_table("(S and A) or (not S and B)", ["A", "B", "S"])
    assert tree_of(multiplexer).n_leaves == 6
    assert tree_of(multiplexer, smallest=True).n_leaves == 4


def test_outputs_may_be_labels():
    table = truth_table({(0, 0): "low", (0, 1): "mid", (1, 0): "mid", (1, 1): "high"})
    assert minimal_leaves(table) == 4
    assert tree_of(table, smallest=True).text() == (
        "X1[False: X2[False: low(0:1:0) | True: mid(0:0:1)]"
        " | True: X2[False: mid(0:0:1) | True: high(1:0:0)]]"
    )
    with pytest.raises(ValueError, match="no truth values but 'low', 'mid', 'high'"):
        _ = table.n_true


def test_functions_of_more_than_two_values_go_through_their_table():
    X = {"a": [a for a in "xyz" for _ in "xyz"], "b": list("xyz") * 3}
    same = [a == b for a, b in zip(X["a"], X["b"], strict=True)]
    assert smallest_size(X, same, split="multiway") == 9
    assert smallest_size(X, same, split="one-vs-rest") == 6


def test_a_random_function_of_nine_variables_is_searched_at_once():
    outputs = np.random.default_rng(0).integers(0, 2, 512)
    tree = tree_of(outputs, smallest=True)
    assert consistent(tree, truth_table(outputs).X, outputs)
    assert tree.n_leaves == minimal_leaves(outputs) < tree_of(outputs).n_leaves


def test_too_many_variables_are_refused_with_the_number_of_subcubes():
    many = " and ".join(f"v{k}" for k in range(10))
    with pytest.raises(ValueError, match=r"10 variables, but .* up to 9: there would be 3.10 = 59,049"):
        minimal_leaves(many)


# ---- normal forms ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("formula", "minimal", "canonical"),
    [
        ("X2 and X5", "(X2 AND X5)", "(X2 AND X5)"),
        ("X1 != X2", "(X1 AND NOT X2) OR (NOT X1 AND X2)", "(NOT X1 AND X2) OR (X1 AND NOT X2)"),
        ("A or B", "A OR B", "(NOT A AND B) OR (A AND NOT B) OR (A AND B)"),
        ("A and not A", "FALSE", "FALSE"),
        ("A or not A", "TRUE", "NOT A OR A"),
    ],
)
def test_normal_forms_are_written_as_one_writes_them(formula, minimal, canonical):
    assert str(dnf(formula)) == minimal
    assert str(dnf(formula, minimal=False)) == canonical


@settings(max_examples=examples(30), deadline=None)
@given(OUTPUTS)
def test_normal_forms_equal_the_function_on_all_inputs(outputs):
    table = truth_table(outputs)
    for form in (dnf(table), dnf(table, minimal=False)):
        assert form.evaluate(table.X).tolist() == outputs
        assert list(form.table().outputs) == outputs
        if any(outputs) and not all(outputs):
            assert list(truth_table(form.expression, table.variables).outputs) == outputs
            assert [
                form(**dict(zip(table.variables, row, strict=True)))
                for row in zip(*table.X.values(), strict=True)
            ] == outputs
    assert dnf(table, minimal=False).n_terms == table.n_true
    assert dnf(table).n_terms <= max(table.n_true, 1)


def covers(outputs, n):
    """(terms, literals) of every set of subcubes that is the function, the fewest terms first."""
    wanted = frozenset(np.flatnonzero(outputs).tolist())
    rows_of = {
        cube: frozenset(
            i for i, row in enumerate(every(n)) if all(d in (2, v) for d, v in zip(cube, row, strict=True))
        )
        for cube in itertools.product([0, 1, 2], repeat=n)
    }
    inside = [cube for cube, rows in rows_of.items() if rows <= wanted]
    for k in range(len(wanted) + 1):
        for chosen in itertools.combinations(inside, k):
            if frozenset().union(*(rows_of[cube] for cube in chosen)) == wanted:
                yield k, sum(digit != 2 for cube in chosen for digit in cube)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_no_form_of_any_function_has_fewer_terms_or_literals(n):
    for outputs in itertools.product([False, True], repeat=2**n):
        form = dnf(outputs)
        found = itertools.takewhile(lambda one, k=form.n_terms: one[0] <= k, covers(outputs, n))
        assert min(found) == (form.n_terms, form.n_literals)


def test_a_cover_with_a_cycle_is_still_the_least():
    # Every prime implicant of this function covers two of its six minterms: three of them, where taking them
    # one after the other may end with four.
    form = dnf([0, 1, 1, 1, 1, 1, 1, 0])
    assert (form.n_terms, form.n_literals) == (3, 6)


def test_the_minimal_form_of_a_random_function_of_eight_variables_is_found():
    outputs = np.random.default_rng(2).random(256) < 0.7
    form = dnf(outputs)
    assert form.evaluate(truth_table(outputs).X).tolist() == outputs.tolist()
    assert form.n_terms < 45


def test_the_form_of_one_label_tells_it_from_the_others():
    table = truth_table({(0, 0): "low", (0, 1): "mid", (1, 0): "mid", (1, 1): "high"}, ["a", "b"])
    assert str(dnf(table, value="mid")) == "(a AND NOT b) OR (NOT a AND b)"
    with pytest.raises(ValueError, match="say which of them is meant, as in value='low'"):
        dnf(table)
    assert str(dnf("A and B", value=False)) == "NOT A OR NOT B"


def test_names_that_are_no_words_are_quoted_so_that_the_text_reads_back():
    form = dnf("`is red` and not B")
    assert str(form) == "(`is red` AND NOT B)"
    assert truth_table(str(form)) == truth_table("`is red` and not B")


def test_a_form_is_evaluated_on_columns_of_truth_values_only():
    form = dnf("A and B")
    with pytest.raises(ValueError, match="X has no column 'B'"):
        form.evaluate({"A": [1]})
    with pytest.raises(ValueError, match="column 'B' must hold truth values"):
        form.evaluate({"A": [1], "B": ["yes"]})
    with pytest.raises(ValueError, match=r"11 variables, but a minimal form .* minimal=False"):
        dnf(" and ".join(f"v{k}" for k in range(11)))


def test_the_module_offers_its_names():
    assert set(boolean.__all__) == {
        "DNF",
        "TruthTable",
        "count_smallest",
        "dnf",
        "minimal_leaves",
        "tree_of",
        "truth_table",
    }
    assert hb.Tree is not None
