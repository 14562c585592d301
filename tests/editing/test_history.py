"""The history of edits: any revision can be gone to, nothing is lost, and nodes keep their identities."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from tests.editing.test_edits_in_any_order import _OPERATION, carried_out
from tests.support.edited_trees import ESTIMATORS, document, fresh, mixed
from tests.support.selection import examples

import hornbeam as hb
from hornbeam.editing.open_leaves import same_places


def begin(**parameters):
    X, y = mixed()
    return hb.edit(hb.TreeClassifier(**parameters), X, y)


def test_what_was_undone_stays_when_another_way_is_taken():
    draft = begin().split(0, on="a", at=4).split(1, on="c", at="u")
    left = draft.tree
    other = draft.undo().split(2, on="c", at="w")
    assert other.branches == [2]
    assert other.goto(2).tree is left
    assert other.goto(2).branches == [3]
    assert other.history[-1] != draft.history[-1]
    assert len(other.log) == len(draft.log) == 2
    assert "1 other lines of edits" in repr(other)
    again = hb.replay(other.log, fresh(hb.TreeClassifier()), *mixed())
    assert document(again.tree) == document(other.tree)
    assert again.ids[:3] == [0, 1, 2]


def test_redo_follows_the_line_that_was_left_last():
    draft = begin().split(0, on="a", at=4)
    first = draft.split(1, on="c", at="u")
    second = first.undo().split(1, on="c", at="v").note(0, "here")
    assert second.undo().undo().redo().redo().tree is second.tree
    back = second.goto(2)  # the first way again
    assert back.tree is first.tree
    assert back.undo().redo().tree is first.tree
    assert second.goto(1).redo().tree is second.revisions[3].tree, "on the way to where we were"
    with pytest.raises(ValueError, match="nothing to redo"):
        back.redo()
    for wrong in (-1, 5, 1.5, True, "2"):
        with pytest.raises(ValueError, match=r"revision=.* must be the number of a revision, from 0 to 4"):
            second.goto(wrong)


def test_steps_go_where_they_are_told():
    draft = begin(max_depth=4)
    one = draft.step(order="breadth").step(order="breadth")
    assert sorted(one.tree.depths.tolist()) == [0, 1, 1, 2, 2]
    assert one.step(order="breadth").tree.depths.max() == 2, "both nodes of a level before the next"
    deep = draft
    for _ in range(3):
        deep = deep.step(order="depth")
    assert deep.tree.depths.max() == 3
    assert deep.tree.first_child[2] < 0, "the right side waits"
    below = one.step(2, order="depth")
    assert below.tree.path(int(below.changes.changed[0]))[:2] == [0, 2]
    X, y = mixed()
    whole = hb.TreeClassifier(max_depth=4).fit(X, y).tree_
    while deep.tree.n_leaves < whole.n_leaves:
        deep = deep.step(order="breadth")
    assert deep.tree.text() == whole.text(), "all steps together grow what fitting grows, in any order"
    with pytest.raises(ValueError, match="there is nothing to split: no open leaf has a test"):
        deep.step()
    assert draft.step().log == [{"op": "step"}]
    assert one.step(2, order="depth").log[-1] == {"op": "step", "node": 2, "order": "depth"}


@settings(max_examples=examples(40), deadline=None)
@given(
    name=st.sampled_from(["gini", "multiway", "fractional", "surrogates", "best first", "chaid"]),
    wishes=st.lists(_OPERATION, min_size=1, max_size=8),
)
def test_nodes_keep_their_identities(name, wishes):
    X, y = mixed()
    draft = carried_out(hb.edit(fresh(ESTIMATORS[name]), X, y), wishes)
    seen: set[int] = set(draft.revisions[0].ids)
    for after in draft.revisions[1:]:
        before = draft.revisions[after.parent]
        ids, old = after.ids, before.ids
        assert len(set(ids)) == len(ids) == len(after.tree)
        assert ids[0] == 0
        assert not (set(ids) - set(old)) & seen, "a number is given once"
        seen |= set(ids)
        assert "ids" not in after.tree.meta
        place = {identity: node for node, identity in enumerate(old)}
        for node, identity in enumerate(ids):  # whoever is above it now was above it before
            if identity in place:
                above = {old[n] for n in before.tree.path(place[identity])}
                assert {ids[n] for n in after.tree.path(node)} <= above
        if after.operation["op"] not in ("regrow", "split", "move"):
            for a, b in same_places(before.tree, after.tree).items():
                assert old[a] == ids[b], "the same tests lead to it"


def test_changes_name_what_an_operation_did():
    draft = begin(max_depth=3).grow()
    assert draft.changes.added == list(range(1, len(draft.tree)))
    assert draft.changes.changed == [0]
    node = int(np.flatnonzero(draft.tree.kind > 0)[-1])
    smaller = draft.collapse(node)
    assert smaller.changes.removed == [child for child, _ in draft.tree.walk(node)][1:]
    assert smaller.changes.changed == [smaller.changes.number[node]]
    assert smaller.ids[smaller.changes.number[node]] == draft.ids[node]
    moved = draft.move(0, at=draft.tree.threshold[0] + 1) if draft.tree.column[0] == 0 else draft
    assert set(moved.changes.changed) >= {0}
    assert draft.note(1, "hm").changes.changed == []
