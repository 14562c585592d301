"""Trees written by hand: the nested format, kind by kind, and the sentences for what is not in it."""

import numpy as np
import pytest

from hornbeam import datasets
from hornbeam.data.columns import Column
from hornbeam.data.table import Table
from hornbeam.tree.tree import Tree

XOR = [{"X1": a, "X2": b} for a in (0, 1) for b in (0, 1)]


def test_a_label_alone_is_a_tree():
    tree = Tree.from_nested("p")
    assert (tree.text(), tree.depth, tree.n_nodes) == ("p", 0, 1)


def test_p38_the_tax_tree_of_the_slide():
    data = datasets.load("tax")
    tree = Tree.from_nested(
        {
            "column": "Refund",
            "branches": {
                "yes": "NO",
                "no": {
                    "column": "MarSt",
                    "branches": {
                        "Married": "NO",
                        ("Single", "Divorced"): {"column": "TaxInc", "<=": 80, "yes": "NO", "no": "YES"},
                    },
                },
            },
        },
        Table.learn(data.X),
    )
    assert tree.text() == (
        "Refund[no: MarSt[{Married}: NO | {Divorced,Single}: TaxInc[<=80: NO | >80: YES]] | yes: NO]"
    )
    assert [label.lower() for label in tree.predict(data.X)] == data.y
    assert tree.predict([{"Refund": "no", "MarSt": "Married", "TaxInc": 80}]).tolist() == ["NO"]


def test_p24_a_set_of_columns_tells_exclusive_or_at_once():
    tree = Tree.from_nested({"columns": ["X1", "X2"], "branches": {((0, 0), (1, 1)): 0, ((0, 1), (1, 0)): 1}})
    assert tree.text() == "(X1,X2)[{(0,0),(1,1)}: 0 | {(0,1),(1,0)}: 1]"
    assert tree.predict(XOR).tolist() == [0, 1, 1, 0]


def test_p25_two_hyperplanes_tell_exclusive_or_with_three_leaves():
    plane = {"weights": {"X1": 1, "X2": 1}, "<=": 0.5, "yes": 0}
    tree = Tree.from_nested(plane | {"no": {"weights": {"X1": 1, "X2": 1}, "<=": 1.5, "yes": 1, "no": 0}})
    assert tree.text() == "X1+X2[<=0.5: 0 | >0.5: X1+X2[<=1.5: 1 | >1.5: 0]]"
    assert tree.n_leaves == 3
    assert tree.predict(XOR).tolist() == [0, 1, 1, 0]


def test_an_expression_is_a_test():
    tree = Tree.from_nested({"expression": "X1 != X2", "yes": 1, "no": 0})
    assert tree.predict(XOR).tolist() == [0, 1, 1, 0]


def test_p103_an_ordinal_column_is_cut_by_its_order():
    size = Column("size", "ordinal", ("S", "M", "L"))
    tree = Tree.from_nested(
        {"column": "size", "<=": "S", "yes": {"counts": {"n": 2}}, "no": {"counts": {"y": 3, "n": 2}}},
        [size],
        meta={"criterion": "entropy"},
    )
    assert tree.text() == "size[<=S: n(2:0) | >S: y(2:3)]"
    assert tree.gain[0] == pytest.approx(0.291692, abs=1e-6)
    assert tree.threshold[0] == 0.5


def test_branches_may_be_a_list_of_pairs_as_in_json():
    tree = Tree.from_nested({"column": "c", "branches": [[["u", "v"], "p"], ["w", "q"]]})
    assert tree.text() == "c[{u,v}: p | {w}: q]"


def test_columns_are_inferred_in_order_of_mention_with_sorted_domains():
    tree = Tree.from_nested(
        {"column": "b", "branches": {"y": {"column": "a", "<=": 1, "yes": 0, "no": 1}, "x": 0}}
    )
    assert tree.columns == (Column("b", "nominal", ("x", "y")), Column("a", "numeric"))
    assert tree.classes == (0, 1)
    assert tree.text() == "b[x: 0 | y: a[<=1: 0 | >1: 1]]"


def test_the_class_order_may_be_declared():
    tree = Tree.from_nested({"counts": [5, 5]}, classes=["yes", "no"])
    assert tree.text() == "yes(5:5)"


def test_missing_values_get_a_branch_of_their_own_or_follow_another():
    own = Tree.from_nested({"column": "x", "<=": 1, "yes": "p", "no": "q", "missing": "r"})
    assert own.text() == "x[<=1: p | >1: q | Missing: r]"
    assert (own.missing[0], own.own_missing[0]) == (2, True)
    other = Tree.from_nested({"column": "c", "branches": {"v": "q", "u": "p"}, "missing_to": "v"})
    assert (other.missing[0], other.own_missing[0]) == (1, False)
    rows = [{"x": None}, {"x": 0}]
    assert own.predict(rows).tolist() == ["r", "p"]
    assert other.predict([{"c": None}]).tolist() == ["q"]


def test_inner_nodes_add_up_what_their_leaves_hold():
    tree = Tree.from_nested(
        {"column": "x", "<=": 1, "yes": {"value": 10, "n": 1}, "no": {"value": 20, "n": 3, "sd": 2}}
    )
    assert tree.n_rows.tolist() == [4, 1, 3]
    assert tree.answers().tolist() == [17.5, 10, 20]
    assert tree.impurity.tolist() == pytest.approx([(100 + 1200 + 12) / 4 - 17.5**2, 0, 4])
    assert tree.gain[0] == pytest.approx(tree.impurity[0] - 3)


def test_a_tree_without_counts_has_answers_but_no_rows():
    tree = Tree.from_nested({"column": "x", "<=": 1, "yes": {"value": 10}, "no": {"value": 20}})
    assert tree.uncounted
    assert tree.n_rows.sum() == 0
    assert tree.predict([{"x": 0}, {"x": None}]).tolist() == [10, 15]


@pytest.mark.parametrize(
    ("nested", "sentence"),
    [
        ({"column": "x", "yes": "p", "no": "q"}, "nothing to test"),
        ({"column": "x", "<=": 1, "yes": "p"}, "lacks 'no'"),
        ({"column": "x", "<=": 1, "yes": "p", "no": "q", "maybe": "r"}, "no key 'maybe'"),
        ({"labell": "p"}, "a leaf has no key 'labell'"),
        ({"column": "x", "<=": "warm", "yes": "p", "no": "q"}, "'warm' must be a number"),
        ({"column": "x", "<=": float("nan"), "yes": "p", "no": "q"}, "must be a finite number"),
        ({"column": "c", "branches": {"u": "p"}}, "fewer than two branches"),
        ({"column": "c", "branches": {("u", "v"): "p", "v": "q"}}, "leads to two branches"),
        ({"column": "c", "branches": ["u", "v"]}, "branches must map values to subtrees"),
        ({"columns": ["a", "b"], "branches": {(0, 1, 2): "p", (0, 0): "q"}}, "are 3, but the test names 2"),
        ({"column": "x", "<=": 1, "yes": "p", "no": "q", "missing_to": "perhaps"}, "answer 'perhaps'"),
        ({"column": "x", "<=": 1, "yes": "p", "no": "q", "missing": "p", "missing_to": "no"}, "give one"),
        ({"column": "x", "<=": 1, "yes": {"counts": {"p": 1}}, "no": "q"}, "in some leaves only"),
        ({"counts": [1, 2]}, "needs the class order"),
        ({"column": "x", "<=": 1, "yes": {"column": "x", "equals": 1, "yes": 0, "no": 1}, "no": 0}, "say"),
        ({"n": 3}, "says nothing"),
        ([1, 2], "cannot have the label"),
    ],
)  # fmt: skip
def test_what_is_not_in_the_format_gets_a_sentence(nested, sentence):
    with pytest.raises(ValueError, match=sentence):
        Tree.from_nested(nested)


def test_tests_must_fit_the_columns_given():
    columns = [Column("x", "numeric"), Column("c", "nominal", ("u", "v"))]
    for nested, sentence in [
        ({"column": "z", "<=": 1, "yes": 0, "no": 1}, "a column 'z', but the columns are 'x', 'c'"),
        ({"column": "c", "<=": 1, "yes": 0, "no": 1}, "'c' is nominal, so it has no threshold"),
        ({"column": "x", "equals": 1, "yes": 0, "no": 1}, "'x' is numeric, so it has no value 1"),
        ({"column": "c", "equals": "w", "yes": 0, "no": 1}, "no value 'w': its values are 'u', 'v'"),
        ({"expression": "z > 1", "yes": 0, "no": 1}, "names the column 'z'"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            Tree.from_nested(nested, columns)


def test_labels_must_be_among_the_classes_given():
    with pytest.raises(ValueError, match="label 'r' is not among the classes 'p', 'q'"):
        Tree.from_nested("r", classes=["p", "q"])
    with pytest.raises(ValueError, match="3 numbers for 2 classes"):
        Tree.from_nested({"counts": [1, 2, 3]}, classes=["p", "q"])


def test_the_tree_does_not_depend_on_the_order_branches_are_written_in():
    one = Tree.from_nested({"column": "c", "branches": {"u": "p", "v": "q"}})
    two = Tree.from_nested({"column": "c", "branches": {"v": "q", "u": "p"}})
    assert one == two
    assert np.array_equal(one.map_branch, [0, 1])
