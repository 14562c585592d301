"""A session: edits, identities, settings that change, held-out rows, growth that is stopped."""

import numpy as np
import pytest

import hornbeam as hb
from hornbeam.data.files import TableError
from hornbeam.editing import open_leaves
from hornbeam.growing.interruption import Watcher
from hornbeam.studio.data_source import DataSource
from hornbeam.studio.opening import open_upload, open_what
from hornbeam.studio.project import project_facts, replay_project
from hornbeam.studio.session import Session
from hornbeam.studio.settings import Settings
from hornbeam.studio.view import StaleRevision
from hornbeam.tree.arrays import LEAF


def table(n=400, seed=0):
    rng = np.random.default_rng(seed)
    x, z, c = rng.normal(size=n).round(2), rng.normal(size=n).round(2), rng.choice(list("abcd"), n)
    y = np.where((x + (c == "a") + 0.7 * rng.normal(size=n)) > 0.3, "yes", "no")
    return {"x": x.tolist(), "z": z.tolist(), "c": c.tolist(), "y": y.tolist()}


def document(tree):
    return tree.to_json() if hasattr(tree, "to_json") else repr(tree.to_dict())


def test_edits_give_the_trees_of_a_draft():
    session = Session.open("demo:tennis")
    tennis = hb.datasets.load("tennis")
    draft = hb.edit(hb.id3(), hb.read_table("demo:tennis").split("Play").X, tennis.y)
    for operation in ({"op": "split", "node": 0, "on": "Wind"}, {"op": "grow"}, {"op": "prune", "leaves": 4}):
        session.apply(session.head, operation)
        draft = draft.apply(operation)
        assert session.view().tree == draft.tree
        assert session.revisions[session.head].say == draft.say


def test_undo_to_the_start_and_redo_to_the_end_give_the_same_trees():
    session = Session.open("demo:tennis")
    trees = [session.view().tree]
    for operation in (
        {"op": "step"},
        {"op": "step", "order": "depth"},
        {"op": "note", "node": 0, "text": "!"},
    ):
        session.apply(session.head, operation)
        trees.append(session.view().tree)
    for tree in trees[-2::-1]:
        session.undo()
        assert document(session.view().tree) == document(tree)
    for tree in trees[1:]:
        session.redo()
        assert document(session.view().tree) == document(tree)
    with pytest.raises(ValueError, match="nothing to redo"):
        session.redo()


def test_a_line_that_was_left_stays_reachable():
    session = Session.open("demo:tennis")
    session.apply(0, {"op": "split", "node": 0, "on": "Wind"})
    session.undo()
    session.apply(0, {"op": "grow"})
    assert session.branches == [1]
    session.goto(1)
    assert session.view().tree.n_leaves == 2
    assert session.branches == [2]


def test_an_operation_for_another_revision_is_refused():
    session = Session.open("demo:tennis")
    session.apply(0, {"op": "step"})
    for base in (0, None, True, "1", 7):
        with pytest.raises(StaleRevision, match="try again"):
            session.apply(base, {"op": "step"})
    assert session.head == 1


def test_settings_do_the_edits_again_and_say_what_became_impossible():
    session = Session.open("demo:tennis")
    session.apply(0, {"op": "split", "node": 0, "on": "Outlook"})
    rain = session.view().ids[2]
    session.apply(1, {"op": "split", "node": rain, "on": "Wind"})
    session.apply(2, {"op": "settings", "criterion": "gini"})
    assert session.view().ids[2] == rain  # the same node: reached by the same tests
    assert session.view().tree.meta["criterion"] == "gini"
    assert session.view().chapter.impossible == ()
    session.apply(3, {"op": "settings", "exclude": ["Wind"]})
    assert session.view().tree.n_leaves == 3
    ((operation, why),) = session.view().chapter.impossible
    assert operation["on"] == "Wind"
    assert "no column" in why
    assert "split became impossible" in session.revisions[-1].say
    session.undo()
    assert session.view().tree.n_leaves == 4
    assert session.settings.exclude == ()


def test_held_out_rows_are_drawn_by_share_and_seed_and_prune():
    session = Session.open(table(), target="y", held_out=0.3, seed=7)
    rows = session.view().chapter.rows
    assert (len(rows.training), len(rows.held_out)) == (280, 120)
    again = Session.open(table(), target="y", held_out=0.3, seed=7).view().chapter.rows
    assert np.array_equal(rows.held_out.positions, again.held_out.positions)
    session.apply(0, {"op": "grow"})
    grown = session.view().model
    session.apply(1, {"op": "prune", "method": "reduced-error"})
    expected = hb.prune(grown, "reduced-error", rows.held_out.X, rows.held_out.y)
    assert session.view().tree.text() == expected.tree_.text()
    assert session.view().tree.n_leaves < grown.tree_.n_leaves


def test_without_held_out_rows_such_pruning_says_what_to_do():
    session = Session.open("demo:tennis")
    session.apply(0, {"op": "grow"})
    with pytest.raises(ValueError, match="held_out"):
        session.apply(1, {"op": "prune", "method": "reduced-error"})


def test_growth_that_is_stopped_is_kept_and_replayed(tmp_path, monkeypatch):
    data = table()
    session = Session.open(data, target="y", held_out=0.0)
    session.apply(0, {"op": "split", "node": 0, "on": "x", "at": 0.123})
    begun = []

    def grown_below(context, tree, leaf, *more):
        begun.append(leaf)
        return open_leaves_grown_below(context, tree, leaf, *more)

    open_leaves_grown_below = open_leaves.grown_below
    monkeypatch.setattr(open_leaves, "grown_below", grown_below)
    # the leaves of the chosen test are grown one after the other: the second is stopped before it has a test
    session.apply(1, {"op": "grow"}, Watcher(lambda share: len(begun) == 2))
    monkeypatch.undo()
    stopped = session.view().tree
    first, second = stopped.children(0)
    assert stopped.kind[first] != LEAF
    assert stopped.kind[second] == LEAF
    assert "was stopped" in session.revisions[2].say
    facts = project_facts(session, tmp_path, document=False)
    again, refused = replay_project(facts, DataSource.of(data))
    assert refused == []
    assert again.view().tree == stopped


@pytest.mark.parametrize(
    ("setting", "value", "sentence"),
    [
        ("target", "nothing", "no column"),
        ("held_out", 1.5, "share"),
        ("seed", -1, "whole number"),
        ("recipe", "auto", "must be null or one of"),
        ("criterion", "ginni", "did you mean 'gini'"),
        ("kinds", {"Wind": 3}, "must be a kind"),
        ("exclude", "Wind", "list of column names"),
        ("exclude", ["Outlook", "Temperature", "Humidity", "Wind"], "every column"),
        ("monotone", {"Wind": 2}, "1 or -1"),
        ("costs", {"Maybe": {"Yes": 1}}, "class 'Maybe'"),
        ("limits", {"max_deep": 2}, "did you mean 'max_depth'"),
        ("colour", 1, "no setting 'colour'"),
    ],
)
def test_a_wrong_setting_gets_a_sentence_and_changes_nothing(setting, value, sentence):
    session = Session.open("demo:tennis")
    with pytest.raises(ValueError, match=sentence):
        session.apply(0, {"op": "settings", setting: value})
    assert (session.head, len(session.revisions), len(session.chapters)) == (0, 1, 1)


def test_settings_are_plain_values():
    settings = Settings().changed({"target": "y", "prices": {"x": 2.0}, "exclude": ["z"], "seed": 3})
    assert Settings().changed(settings.to_plain()) == settings


def test_a_column_gets_another_kind_and_order():
    session = Session.open({"size": ["S", "M", "L"] * 4, "y": ["a", "a", "b"] * 4}, target="y")
    session.apply(0, {"op": "settings", "kinds": {"size": ["S", "M", "L"]}})
    assert session.view().tree.columns[0].kind == "ordinal"
    session.apply(1, {"op": "split", "node": session.view().ids[0], "on": "size", "at": "M"})
    assert session.view().tree.text() == "size[<=M: a(8:0) | >M: b(0:4)]"


def test_kinds_go_back_with_the_revision():
    sizes = ["S", "M", "L"] * 4
    session = Session.open({"size": sizes, "x": list(range(12)), "y": ["a", "b", "a"] * 4}, target="y")
    session.apply(0, {"op": "settings", "kinds": {"size": ["S", "M", "L"]}})
    assert session.sheet.facts["columns"]["size"]["kind"] == "ordinal"
    session.undo()
    assert session.sheet.facts["columns"]["size"]["kind"] == "nominal"
    session.apply(0, {"op": "settings", "exclude": ["x"]})
    assert session.view().tree.columns[0].kind == "nominal"
    session.goto(1)
    assert session.view().tree.columns[0].kind == "ordinal"


def test_a_table_read_ahead_is_taken_once_and_is_the_table_that_reading_gives(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,y\n1,no\n2,yes\n3,yes\n")
    source = DataSource.of(path)
    source.read_ahead()
    taken = source.read({})
    assert taken.data.equals(DataSource.of(path).read().data)
    assert taken.facts == DataSource.of(path).read().facts
    path.write_text("a,y\n1,no\n2,yes\n")
    assert source.read({}).data.num_rows == 2


def test_other_kinds_are_read_from_the_file_though_it_was_read_ahead(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,y\n1,no\n2,yes\n3,yes\n")
    source = DataSource.of(path)
    source.read_ahead()
    assert source.read({"a": "nominal"}).facts["columns"]["a"]["kind"] == "nominal"


def test_a_fault_of_reading_ahead_is_raised_where_the_table_is_taken(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,y\n")
    source = DataSource.of(path)
    source.read_ahead()
    with pytest.raises(TableError):
        source.read({})


def test_models_that_are_no_single_tree_of_one_target_are_refused_with_a_sentence(tmp_path):
    rng = np.random.default_rng(0)
    X = {"a": rng.normal(size=60), "b": rng.normal(size=60)}
    noise = rng.normal(size=60)
    late = np.stack([rng.exponential(size=60), rng.random(60) < 0.5], axis=1)
    models = {
        "several targets": hb.TreeRegressor(max_depth=1).fit(
            X, np.stack([X["a"] + noise, X["b"] - noise], axis=1)
        ),
        "task 'survival'": hb.TreeSurvival(max_depth=1).fit(X, late),
        "task 'density'": hb.TreeDensity(max_depth=1).fit(X),
        "a forest": hb.ForestRegressor(n_estimators=2).fit(X, X["a"] + noise),
    }
    for words, model in models.items():
        with pytest.raises(ValueError, match=f"this is .*{words}, and a studio edits single trees"):
            Session.open({**X, "y": X["a"]}, model=model, target="y")
        hb.save(model, tmp_path / "model.tree.json")
        with pytest.raises(ValueError, match=words):
            open_what(Session(), str(tmp_path / "model.tree.json"), {})
    with pytest.raises(ValueError, match="is a saved model, which has no rows"):
        open_upload(Session(), "m.json", (tmp_path / "model.tree.json").read_bytes(), {})
