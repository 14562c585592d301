"""Editing trees by hand: changing what stands, what is said and kept, what is refused; `hb.replay`."""

import numpy as np
import pytest
from tests.support.edited_trees import N, document, mixed

import hornbeam as hb
from hornbeam.editing import OPERATIONS, EditContext, apply

# ---- changing what stands ----------------------------------------------------------------------------------


def test_moving_a_cut_keeps_what_is_below():
    X, y = mixed()
    draft = hb.edit(hb.TreeClassifier(), X, y).split(0, on="a", at=4).split(1, on="c", at="u")
    moved = draft.move(0, at=6)
    assert moved.tree.text().startswith("a[<=6: c=u[")
    assert moved.tree.n_rows[1] == np.count_nonzero(X["a"] <= 6)
    assert moved.forced[0]["rank"] >= 1
    assert moved.tree.gap[0].tolist() == [6.0, 7.0]


def test_a_test_below_that_parts_nothing_any_more_gives_way():
    X, y = {"x": [1.0, 2.0, 3.0, 4.0], "z": [1.0, 2.0, 1.0, 2.0]}, ["a", "b", "a", "b"]
    draft = (
        hb.edit(hb.TreeClassifier(), X, y)
        .split(0, on="x", at=3)
        .split(1, on="x", at=2)
        .split(3, on="x", at=1)
    )
    assert draft.tree.n_leaves == 4
    moved = draft.move(0, at=1)
    assert moved.tree.text() == "x[<=1: a(1:0) | >1: b(1:2)]"


def test_values_are_regrouped():
    X, y = mixed()
    draft = (
        hb.edit(hb.TreeClassifier(), X, y).split(0, on="c", groups=[["u"], ["v", "w"]]).split(2, on="a", at=5)
    )
    other = draft.regroup(0, [["u", "v"], ["w"]])
    assert other.tree.text().startswith("c[{u,v}: ")
    assert other.tree.n_rows[2] == np.count_nonzero(X["c"] == "w")
    with pytest.raises(ValueError, match="node=0 has 2 branches, but this would make 3"):
        draft.regroup(0, [["u"], ["v"], ["w"]])


def test_locked_nodes_stay():
    X, y = mixed()
    draft = hb.edit(hb.TreeClassifier(max_depth=4), X, y).split(0, on="c", at="u").lock(1)
    grown = draft.grow()
    assert grown.tree.first_child[1] < 0
    assert grown.tree.depth == 4
    assert grown.locked == [1]
    for wrong in (lambda: grown.split(1, on="a"), lambda: grown.collapse(0), lambda: grown.prune(leaves=1)):
        with pytest.raises(ValueError, match="lock"):
            wrong()
    assert grown.prune(leaves=2).tree.n_leaves == 2
    assert grown.prune(alpha=1.0).tree.text().startswith("c=u[")
    assert grown.unlock(1).collapse(0).tree.n_leaves == 1


def test_pruning_is_that_of_the_path():
    X, y = mixed()
    draft = hb.edit(hb.TreeClassifier(), X, y).grow()
    path = hb.pruning_path(draft.model)
    assert draft.prune(leaves=5).tree == path.choose(leaves=5).tree_
    assert draft.prune(alpha=0.01).tree == path.choose(alpha=0.01).tree_
    assert draft.prune(method="error-based").tree == hb.prune(draft.model, "error-based", X, y).tree_
    with pytest.raises(ValueError, match="prune takes one of"):
        draft.prune()


# ---- what is said and kept ---------------------------------------------------------------------------------


def test_marks_survive_saving_pruning_and_collapsing(tmp_path):
    X, y = mixed()
    draft = hb.edit(hb.TreeClassifier(max_depth=3), X, y).split(0, on="c", at="u").grow()
    draft = draft.note(1, "  ask the  clinic ").lock(2)
    model = hb.load(hb.save(draft.model, tmp_path / "edited.tree.json"))
    assert model.tree_ == draft.tree
    again = hb.edit(model, X, y)
    assert (again.forced, again.notes, again.locked) == (draft.forced, {1: "ask the clinic"}, [2])
    small = again.unlock(2).collapse(2)
    assert (small.forced, small.notes) == (draft.forced, {1: "ask the clinic"})
    assert small.collapse(0).forced == {}
    assert "ask the clinic" in hb.show(model)
    assert again.note(1, "").notes == {}


def test_the_rows_of_a_node():
    X, y = mixed()
    draft = hb.edit(hb.TreeClassifier(), X, y).split(0, on="a", at=4)
    rows, share = draft.rows(1)
    assert np.array_equal(rows, np.flatnonzero(X["a"] <= 4))
    assert (share == 1).all()
    shared = hb.edit(hb.TreeClassifier(missing="fractional"), X, y).split(0, on="g", at=0.0)
    rows, share = shared.rows(1)
    assert len(rows) == np.count_nonzero((X["g"] <= 0) | np.isnan(X["g"]))
    assert 0 < share[np.isnan(X["g"][rows])][0] < 1


def test_a_fitted_model_is_edited_on_other_rows_with_their_counts():
    X, y = mixed()
    model = hb.TreeClassifier(max_depth=2).fit(X, y)
    others, z = mixed(1, 60)
    draft = hb.edit(model, others, z)
    assert draft.tree.n_rows[0] == 60
    assert [node for node in draft.tree.text() if node in "[|"] == [
        node for node in model.tree_.text() if node in "[|"
    ]
    assert model.tree_.n_rows[0] == N
    assert "60 rows" in draft.say


def test_a_tree_by_hand_is_edited():
    X, y = mixed()
    tree = hb.Tree.from_nested(
        {"column": "a", "<=": 5, "yes": "p", "no": "r"}, columns=X, classes=["p", "q", "r"]
    )
    draft = hb.edit(tree, X, y)
    assert draft.tree.n_rows[0] == N
    assert draft.tree.gain[0] > 0
    assert draft.grow(max_depth=3).model.score(X, y) > 0.5


def test_undo_and_redo_give_the_same_trees():
    X, y = mixed()
    start = hb.edit(hb.TreeClassifier(max_depth=4), X, y)
    draft = start.split(0, on="c", at="u").grow().prune(leaves=4).note(0, "why")
    back = draft
    seen = [document(back.tree)]
    for _ in draft.log:
        back = back.undo()
        seen.append(document(back.tree))
    assert seen[-1] == document(start.tree)
    assert back.log == []
    for before in reversed(seen[:-1]):
        back = back.redo()
        assert document(back.tree) == before
    with pytest.raises(ValueError, match="nothing to redo"):
        back.redo()
    with pytest.raises(ValueError, match="nothing to undo"):
        start.undo()
    branch = draft.undo().undo().collapse(0)
    assert len(branch.log) == 3
    assert "undone" in repr(draft.undo())


def test_a_log_is_written_as_python():
    X, y = mixed()
    start = hb.edit(hb.TreeClassifier(max_depth=3), X, y)
    done = start.split(0, on="c", groups=[["u", "v"]]).split(1, on="a", at=4.5).grow(max_depth=3)
    done = done.lock(2).note(0, "why").prune(alpha=0.001)
    space = {"draft": start}
    exec(done.script(), space)
    assert document(space["draft"].tree) == document(done.tree)
    assert "# chosen by hand, rank " in done.script()


def test_deep_trees_are_edited():
    n = 400
    X, y = {"x": np.arange(n, dtype=float)}, np.arange(n) % 2
    draft = hb.edit(hb.TreeClassifier(), X, y).split(0, on="x", at=0).grow()
    assert draft.tree.n_leaves == n
    assert draft.forced[0]["rank"] >= 1
    assert draft.lock(len(draft.tree) - 1).prune(leaves=n).tree.n_leaves == n


def test_a_draft_is_not_changed_by_edits_of_it():
    X, y = mixed()
    draft = hb.edit(hb.TreeClassifier(), X, y)
    before = document(draft.tree)
    draft.split(0, on="a").grow().lock(0)
    assert document(draft.tree) == before
    assert draft.log == []


def test_each_operation_is_a_function_from_tree_to_tree():
    X, y = mixed()
    context = EditContext.of(hb.TreeClassifier(max_depth=3), X, y)
    tree = context.start()
    bare = document(tree)
    for operation in (
        {"op": "split", "node": 0, "on": "a"},
        {"op": "move", "node": 0, "at": 3},
        {"op": "grow"},
        {"op": "collapse", "node": 1},
        {"op": "step"},
        {"op": "lock", "node": 1},
        {"op": "unlock", "node": 1},
        {"op": "regrow", "node": 0, "max_depth": 2},
        {"op": "note", "node": 0, "text": "hm"},
        {"op": "prune", "leaves": 2},
    ):
        assert operation["op"] in OPERATIONS
        tree = apply(tree, operation, context)
    assert tree.n_leaves <= 2
    assert document(context.start()) == bare


@pytest.mark.parametrize(
    ("operation", "sentence"),
    [
        ({"op": "splt"}, "op='splt' is no operation \\(did you mean 'split'"),
        ({"op": "split", "node": 0}, "split needs the argument 'on'"),
        ({"op": "split", "node": 0, "on": "aa"}, "on='aa' is no column of the table \\(did you mean 'a'"),
        ({"op": "split", "node": 9, "on": "a"}, "node=9 must be the number of a node, from 0 to 0"),
        ({"op": "split", "node": True, "on": "a"}, "node=True must be"),
        (
            {"op": "split", "node": 0, "on": "c", "at": "x"},
            "at names 'x', which the column 'c' does not have",
        ),
        ({"op": "split", "node": 0, "on": "a", "at": "x"}, "at='x' must be a number"),
        ({"op": "split", "node": 0, "on": "c", "groups": [["u"], ["v"]]}, "groups leave out 'w'"),
        ({"op": "split", "node": 0, "on": "c", "groups": [["u"], ["u", "v"]]}, "name the value 'u' twice"),
        ({"op": "split", "node": 0, "on": "a", "groups": [[1]]}, "groups divide values, but the column 'a'"),
        ({"op": "split", "node": 0, "on": "a", "at": 1, "multiway": True}, "give one of them"),
        ({"op": "split", "node": 0, "on": "a", "missing": "own"}, "none is missing at this node"),
        ({"op": "split", "node": 0, "on": "a", "missing": 5}, "missing=5 must be the number of a branch"),
        ({"op": "collapse", "node": 0}, "node=0 is a leaf and tests nothing"),
        ({"op": "move", "node": 0, "at": 3}, "node=0 is a leaf"),
        ({"op": "unlock", "node": 0}, "node=0 is not locked; locked nodes: none"),
        ({"op": "note", "node": 0, "text": 3}, "text=3 of a note must be text"),
        ({"op": "prune", "leaves": 0}, "leaves=0 must be a whole number of at least 1"),
        ({"op": "prune", "method": "reduced-error"}, "prunes by rows that the tree was not grown on"),
        ({"op": "step", "leaf": 0}, "step has no argument 'leaf'"),
        ({"op": "step", "order": "bread"}, "order='bread' must be one of best, breadth, depth"),
        ("grow", "an operation is a dict"),
    ],
)
def test_what_cannot_be_done_is_refused_with_a_sentence(operation, sentence):
    X, y = mixed()
    draft = hb.edit(hb.TreeClassifier(), X, y)
    with pytest.raises((ValueError, TypeError), match=sentence):
        hb.replay([operation], hb.TreeClassifier(), X, y)
    assert draft.tree.n_leaves == 1


def test_what_cannot_be_edited_is_refused():
    X, y = mixed()
    with pytest.raises(TypeError, match="a ForestClassifier cannot be edited"):
        hb.edit(hb.ForestClassifier(), X, y)
    with pytest.raises(ValueError, match="random_state=None draws other columns each time"):
        hb.edit(hb.TreeClassifier(max_features=1), X, y)
    with pytest.raises(ValueError, match="y has the class 's', which the tree does not know"):
        hb.edit(hb.TreeClassifier().fit(X, y), X, np.where(y == "p", "s", y))
    with pytest.raises(ValueError, match=r"node=0 is no leaf, it tests .* collapse it first"):
        hb.edit(hb.TreeClassifier().fit(X, y), X, y).split(0, on="a")


def test_what_was_proven_is_not_said_of_a_tree_with_a_test_chosen_by_hand():
    X, y = mixed()
    model = hb.TreeClassifier(search="optimal", max_depth=2)
    draft = hb.edit(model, X, y)
    assert "certificate" not in draft.tree.meta
    proven = draft.grow()
    assert str(proven.model.certificate_) == str(model.fit(X, y).certificate_)
    assert proven.say.endswith(f"in all. {proven.model.certificate_}")
    assert "certificate" in proven.note(0, "as proven").tree.meta
    for edited in (draft.split(0, on="a", at=4).grow(), proven.collapse(1), proven.regrow(1)):
        assert "certificate" not in edited.tree.meta
