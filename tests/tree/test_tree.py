"""The Tree: its text, its sizes, walking, answers and collapsing."""

import numpy as np
import pytest
from tests.support.written_trees import GAME, ROBOTS, TENNIS_TEXT, every_kind, stump, stump_arrays, tennis

from hornbeam import datasets
from hornbeam.data.columns import Column
from hornbeam.data.table import Table
from hornbeam.tree.tree import Tree

# --- canonical text and sizes -------------------------------------------------------------------------------


def test_the_canonical_text_lists_branches_in_domain_order_with_counts():
    assert tennis().text() == TENNIS_TEXT
    robots = Tree.from_nested(ROBOTS, classes=["ally", "enemy"])
    assert robots.text() == (
        "body[circle: smile[no: enemy(0:1) | yes: ally(2:0)] | square: enemy(0:3) | triangle: ally(2:0)]"
    )


def test_p92_statistics_of_the_game_tree():
    assert Tree.from_nested(GAME).statistics() == {
        "depth": 2,
        "leaves": 4,
        "tests": 3,
        "nodes": 7,
        "reading_size": 7,
    }


def test_b2_statistics_of_the_lecture_trees():
    assert tuple(Tree.from_nested(ROBOTS, classes=["ally", "enemy"]).statistics().values()) == (2, 4, 2, 6, 7)
    assert tuple(tennis().statistics().values()) == (2, 5, 3, 8, 9)


def test_p93_the_smallest_consistent_robot_tree():
    data = datasets.load("robots")
    nested = {
        "column": "body",
        "equals": "square",
        "yes": "enemy",
        "no": {"column": "neck", "equals": "bow", "yes": "enemy", "no": "ally"},
    }
    tree = Tree.from_nested(nested, Table.learn(data.X))
    assert (tree.predict(data.X) != np.array(data.y)).sum() == 0
    assert tree.statistics() == {"depth": 2, "leaves": 3, "tests": 2, "nodes": 5, "reading_size": 5}
    assert tree.text() == "body=square[yes: enemy | no: neck=bow[yes: enemy | no: ally]]"


def test_p28_a_branch_without_rows_has_zero_counts_and_the_majority_of_its_parent():
    column = Column("neck", "nominal", ("bow", "nothing", "tie"))
    nested = {"column": "neck", "branches": {"bow": {"counts": [0, 1]}, "tie": {"counts": [2, 0]}}}
    tree = Tree.from_nested(nested, [column], ["ally", "enemy"])
    assert tree.text() == "neck[bow: enemy(0:1) | nothing: ally(0:0) | tie: ally(2:0)]"
    assert tree.answers()[3].tolist() == tree.answers()[0].tolist() == pytest.approx([2 / 3, 1 / 3])


def test_a_leaf_shared_by_absent_values_counts_once_for_each_of_them_but_is_read_once():
    column = Column("day", "nominal", tuple(range(100)))
    tree = Tree.from_nested({"column": "day", "branches": {3: "p", 7: "q"}}, [column])
    assert len(tree) == 4
    assert tree.statistics() == {"depth": 1, "leaves": 100, "tests": 1, "nodes": 101, "reading_size": 5}
    assert tree.text().startswith("day[0: p | 1: p | 2: p | 3: p | 4: p | 5: p | 6: p | 7: q |")


def test_every_kind_of_test_has_a_canonical_text():
    assert every_kind().text() == (
        "age[<=0.1: colour[{green,red}: a | {blue}: b | Missing: c]"
        " | >0.1: age-2.5*height[<=0.5: colour[blue: b | green: a | red: a]"
        " | >0.5: (size,colour)[{(S,red),(L,blue)}: a | {(M,red)}: b"
        " | {(L,red)}: (age * height > 2 and colour != 'red')[yes: size[<=M: a | >M: b]"
        " | no: colour=red[yes: a | no: b | Missing: c]]]]]"
    )


def test_counts_print_as_whole_numbers_or_with_six_decimals():
    tree = Tree.from_nested({"counts": {"No": 3, "Yes": 5 / 13}})
    assert tree.text() == "No(3:0.384615)"


def test_regression_leaves_print_mean_and_rows():
    nested = {"column": "x", "<=": -5.5, "yes": {"value": 46.25, "n": 4}, "no": {"value": 143 / 3, "n": 3}}
    assert Tree.from_nested(nested).text() == "x[<=-5.5: 46.2500(n=4) | >-5.5: 47.6667(n=3)]"


def test_thresholds_print_with_the_fewest_digits_that_read_back():
    assert stump(threshold=[29.0, np.nan, np.nan]).text().startswith("x[<=29:")
    assert stump(threshold=[0.1 + 0.2, np.nan, np.nan]).text().startswith("x[<=0.30000000000000004:")


# --- walking ------------------------------------------------------------------------------------------------


def test_walking_goes_down_first_and_from_left_to_right():
    tree = tennis()
    assert list(tree.walk()) == [(0, 0), (1, 1), (2, 1), (4, 2), (5, 2), (3, 1), (6, 2), (7, 2)]
    assert list(tree.walk(2)) == [(2, 0), (4, 1), (5, 1)]
    assert tree.leaves().tolist() == [1, 4, 5, 6, 7]
    assert tree.parent.tolist() == [-1, 0, 0, 0, 2, 2, 3, 3]
    assert tree.path(5) == [0, 2, 5]


def test_a_very_deep_tree_needs_no_deep_recursion():
    nested = "q"
    for t in range(5000):
        nested = {"column": "x", "<=": -t, "yes": "p", "no": nested}
    tree = Tree.from_nested(nested)
    assert tree.depth == 5000
    assert tree.text().count("[") == 5000
    assert tree.predict([{"x": 1.0}, {"x": -9999.0}]).tolist() == ["q", "p"]


# --- answers ------------------------------------------------------------------------------------------------


def test_answers_are_class_shares_and_an_uncounted_leaf_is_certain():
    nested = {"column": "x", "<=": 1, "yes": {"counts": [6, 4, 2, 0]}, "no": {"counts": [0, 0, 0, 0]}}
    tree = Tree.from_nested(nested, classes=[0, 1, 2, 3])
    assert tree.answers()[1].tolist() == pytest.approx([0.5, 1 / 3, 1 / 6, 0])
    assert tree.answers()[2].tolist() == tree.answers()[0].tolist()
    assert Tree.from_nested(GAME).answers()[5].tolist() == [1.0, 0.0]


def test_a_node_answers_its_mean_and_an_empty_one_that_above():
    tree = Tree(
        columns=[Column("x", "numeric")],
        task="real",
        **stump_arrays(label=[-1] * 3, stats=[[3, 101, 6], [2, 102, 0.5], [0, 0, 0]], n_rows=[3, 2, 0]),
    )
    assert tree.answers().tolist() == [101.0, 102.0, 101.0]


def test_a_density_is_weight_over_volume():
    below, above = {"n": 3, "box": {"x": [0, 2.75]}}, {"n": 2, "box": {"x": [2.75, 10]}}
    nested = {"column": "x", "<=": 2.75, "box": {"x": [0, 10]}, "yes": below, "no": above}
    tree = Tree.from_nested(nested, task="density")
    assert tree.answers().tolist() == pytest.approx([0.1, 0.218182, 0.055172], abs=1e-6)


def test_importances_share_out_the_weighted_decrease():
    tree = tennis()
    root = 14 * (1 - (5 / 14) ** 2 - (9 / 14) ** 2) - 2 * 5 * 0.48
    expected = np.array([root, 0, 5 * 0.48, 5 * 0.48])
    assert tree.feature_importances(normalize=False) == pytest.approx(expected / 14)
    assert tree.feature_importances() == pytest.approx(expected / expected.sum())


# --- collapse -----------------------------------------------------------------------------------------------


def test_collapsing_turns_nodes_into_leaves_and_renumbers_the_rest():
    tree = tennis()
    mask = np.zeros(len(tree), dtype=bool)
    mask[2] = True
    smaller = tree.collapse(mask)
    assert smaller.text() == (
        "Outlook[Overcast: Yes(0:4) | Rain: Yes(2:3) | Sunny: Humidity[High: No(3:0) | Normal: Yes(0:2)]]"
    )
    assert tree.text() == TENNIS_TEXT
    mask[0] = True
    assert tree.collapse(mask).text() == "Yes(5:9)"


@pytest.mark.parametrize("node", range(20))
def test_collapsing_any_node_of_any_kind_keeps_the_rest_intact(node):
    tree = every_kind()
    mask = np.zeros(len(tree), dtype=bool)
    mask[node] = True
    smaller = tree.collapse(mask)
    for row in [
        {"age": 0.0, "height": 1.0, "colour": "blue", "size": "L"},
        {"age": 5.0, "height": 1.0, "colour": "red", "size": "M"},
        {"age": 5.0, "height": 9.0, "colour": "green", "size": "S"},
        {"age": None, "height": None, "colour": None, "size": "S"},
    ]:
        if all(node not in tree.path(leaf) for leaf in tree.route([row]).leaf):
            assert smaller.predict_proba([row]).tolist() == tree.predict_proba([row]).tolist()
    if tree.kind[node] == 0:
        assert smaller == tree


def test_collapse_asks_for_a_boolean_mask():
    with pytest.raises(ValueError, match="boolean mask with one value for each of the 8 nodes"):
        tennis().collapse([2])


# --- replacing ----------------------------------------------------------------------------------------------


def test_replace_changes_what_is_named_and_leaves_the_tree_as_it_was():
    tree = tennis()
    changed = tree.replace(meta={"criterion": "gini"}, gain=np.zeros(len(tree)))
    assert changed.meta == {"criterion": "gini"}
    assert not changed.gain.any()
    assert changed.text() == tree.text() == TENNIS_TEXT
    assert tree.replace() == tree == tennis()


def test_replace_checks_the_new_tree():
    with pytest.raises(ValueError, match="policy has no entry 'gaps'"):
        tennis().replace(policy={"gaps": "learn"})
    with pytest.raises(TypeError, match="a Tree has no array 'colour'"):
        tennis().replace(colour=[1])
