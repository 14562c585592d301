"""The Tree as arrays: equality, copies, and the rules they must obey."""

import json
import pickle

import numpy as np
import pytest
from tests.support.written_trees import every_kind, leaf_arrays, stump, stump_arrays, tennis

from hornbeam.data.columns import Column
from hornbeam.tree.tree import KINDS, Tree

# --- equality, dicts, pickles -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "tree", [tennis(), every_kind(), stump(), Tree.from_nested({"value": 0.1})], ids=repr
)
def test_a_tree_survives_json_and_pickle_exactly(tree):
    document = json.dumps(tree.to_dict(), allow_nan=False)
    assert Tree.from_dict(json.loads(document)) == tree
    assert Tree.from_dict(json.loads(document)).to_dict() == tree.to_dict()
    assert pickle.loads(pickle.dumps(tree)) == tree


def test_every_double_and_every_kind_of_label_survives():
    values = [0.1 + 0.2, 5e-324, 1.7976931348623157e308]
    tree = Tree(
        columns=[Column("x", "numeric")],
        classes=(True, "a", 3, 2.5),
        meta={"list": [1, (2, 3)], "nan": float("inf"), "by": {1: "one"}},
        **stump_arrays(
            threshold=[values[0], np.nan, np.nan],
            gap=[[-values[1], values[2]], [np.nan, np.inf], [-np.inf, -0.0]],
            stats=np.full((3, 4), values[1]),
        ),
    )
    again = Tree.from_dict(json.loads(json.dumps(tree.to_dict(), allow_nan=False)))
    assert again == tree
    assert again.gap.tobytes() == tree.gap.tobytes()
    assert [type(c) for c in again.classes] == [bool, str, int, float]
    assert again.meta == tree.meta


def test_trees_differ_when_anything_differs():
    assert stump() == stump()
    assert stump() != stump(threshold=[0.25, np.nan, np.nan])
    assert stump() != stump(n_rows=[4, 3, 1])
    assert stump() != "tree"


def test_a_dict_of_another_format_or_version_is_refused():
    with pytest.raises(ValueError, match="not a tree"):
        Tree.from_dict({"nodes": {}})
    with pytest.raises(ValueError, match="version 99"):
        Tree.from_dict(tennis().to_dict() | {"version": 99})


def test_a_tree_never_changes():
    tree = stump()
    with pytest.raises(AttributeError, match="never changes"):
        tree.task = "real"
    with pytest.raises(ValueError, match="read-only"):
        tree.threshold[0] = 1.0


def test_arrays_of_the_right_type_are_not_copied():
    threshold = np.array([0.5, np.nan, np.nan])
    assert np.shares_memory(stump(threshold=threshold).threshold, threshold)
    assert threshold.flags.writeable


# --- the rules a tree obeys ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"kind": [9, 0, 0]}, "node 0 has an unknown kind"),
        ({"kind": [0, 0, 0]}, "node 0 is a leaf but has children"),
        ({"n_children": [1, 0, 0]}, "node 0 is a test with fewer than two branches"),
        ({"first_child": [0, -1, -1]}, "node 0 has a child that does not come after it"),
        ({"first_child": [2, -1, -1]}, "node 0 has children beyond the last node"),
        ({"kind": [1, 1, 0], "first_child": [1, 2, -1], "n_children": [2, 2, 0]}, "beyond the last node"),
        ({"column": [1, -1, -1]}, "node 0 tests a column outside 0 to 0"),
        ({"column": [0, 0, -1]}, "node 1 is no test of one column"),
        ({"threshold": [-np.inf, 0, 0]}, "node 0 has a threshold that is not a finite number"),
        ({"missing": [2, -1, -1]}, "node 0 sends missing values to a branch it has not"),
        ({"label": [0, 0, 2]}, "node 2 answers a label outside 0 to 1"),
        ({"stats": [[2, 1], [2, 0], [0, -1]]}, "node 2 has a negative class weight"),
        ({"stats": [[2, 1], [2, np.nan], [0, 1]]}, "node 1 has stats that are not finite"),
        ({"stats": [[2], [2], [0]]}, "stats has shape"),
        ({"gain": [1.0]}, "gain has shape"),
        ({"n_rows": [1, -1, 0]}, "node 1 has a negative number of rows"),
        ({"kind": [3, 0, 0]}, "node 0 tests values of a column without categories"),
        ({"absent": [1, -1, -1]}, "absent branch only if it is multiway"),
        (
            {"plane_offset": [0, 1, 1, 1], "plane_column": [0], "plane_weight": [1.0]},
            "its kind is 'hyperplane'",
        ),
        ({"map_offset": [0, 1]}, "map_offset must hold 4 numbers"),
        ({"expressions": {1: "x > 1"}}, "expressions are given for the nodes"),
        ({"leaf_models": {7: {}}}, "leaf_models names node 7"),
        (
            {"policy": {"vote": "loudest"}},
            "policy\\['vote'\\]='loudest' must be one of 'distribution', 'leaf'",
        ),
        ({"policy": {"speed": "fast"}}, "policy has no entry 'speed'"),
    ],
)
def test_what_is_no_tree_is_refused_with_a_sentence(changes, sentence):
    with pytest.raises(ValueError, match=sentence):
        stump(**changes)


def test_wrong_maps_are_refused_with_a_sentence():
    column = Column("c", "nominal", ("u", "v", "w"))
    good = {"kind": [2, 0, 0], "map_offset": [0, 2, 2, 2], "map_code": [0, 2], "map_branch": [0, 1]}

    def build(**changes):
        return Tree(columns=[column], classes="pq", **stump_arrays(**good | changes))

    assert build().text() == "c[{u}: p(2:0) | {w}: q(0:1)]"
    for changes, sentence in [
        ({"map_code": [2, 0]}, "ascending order"),
        ({"map_code": [0, 3]}, "outside the categories"),
        ({"map_branch": [0, 0]}, "a last branch that no value chooses"),
        ({"map_branch": [1, 1]}, "a branch that no value leads to"),
        ({"map_branch": [0, 2]}, "does not fit its test"),
        ({"kind": [4, 0, 0], "map_branch": [1, 0]}, "value i must go to branch i"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            build(**changes)


def test_missing_and_unknown_arrays_are_named():
    with pytest.raises(TypeError, match="needs the array 'stats'"):
        Tree(columns=[], classes="p", kind=[0], first_child=[-1], n_children=[0])
    with pytest.raises(TypeError, match="no array 'colour'"):
        Tree(columns=[], classes="p", **leaf_arrays(colour=[1]))
    with pytest.raises(TypeError, match="first_child has dtype float64"):
        Tree(columns=[], classes="pq", **leaf_arrays(first_child=[-1.0]))
    with pytest.raises(ValueError, match="at least one node"):
        Tree(columns=[], classes="pq", **{name: [] for name in leaf_arrays()})
    with pytest.raises(ValueError, match="needs classes"):
        Tree(columns=[], **leaf_arrays())


def test_kinds_are_stored_by_number():
    assert [every_kind().kind_of(n) for n in range(3)] == ["threshold", "subset", "hyperplane"]
    assert KINDS[0] == "leaf"
