"""Teaching without a browser: lines, splits, back, lectures, and what the page is told."""

from __future__ import annotations

from typing import Any

import pytest
from tests.studio.asking import Studio

import hornbeam as hb
from hornbeam.studio.session import Session
from hornbeam.studio.teacher import DONE, Teacher
from hornbeam.teaching.lectures import lectures

TENNIS = hb.datasets.load("tennis")


def teacher_of(table: str, **settings: Any) -> Teacher:
    session = Session.open(f"demo:{table}", **settings)
    teacher = Teacher(session)
    teacher.go("open")
    return teacher


def texts(blocks: Any) -> list[str]:
    """All text of a list of blocks."""
    if not isinstance(blocks, list):
        return [str(blocks)]
    return [text for child in blocks for text in texts(child) if not isinstance(child, dict)]


def test_line_by_line_the_tree_of_fit_is_grown_depth_first() -> None:
    teacher = teacher_of("tennis")
    nodes = []
    for _ in range(200):
        place = teacher.place()
        if not nodes or nodes[-1] != place.node:
            nodes.append(place.node)
        if place.node == DONE:
            break
        teacher.go("next")
    assert teacher.session.draft.tree == hb.id3().fit(TENNIS.X, TENNIS.y).tree_.replace(
        meta=teacher.session.draft.tree.meta
    )
    tree = teacher.session.draft.tree
    ids = teacher.session.view().ids
    assert nodes == [*(ids[node] for node, _ in tree.walk()), DONE]
    with pytest.raises(ValueError, match="the tree is finished"):
        teacher.go("next")


def test_next_split_skips_pure_leaves_and_back_undoes_it() -> None:
    teacher = teacher_of("tennis")
    leaves = []
    for _ in range(3):
        teacher.go("split")
        leaves.append(teacher.session.draft.tree.n_leaves)
    assert leaves == [3, 4, 5]
    teacher.go("split")
    assert teacher.place().node == DONE
    for wanted in (5, 4, 3, 1):
        teacher.go("back")
        assert teacher.session.draft.tree.n_leaves == wanted
    assert teacher.session.head == 0
    with pytest.raises(ValueError, match="nothing to undo"):
        teacher.go("back")


def test_every_split_is_an_ordinary_operation_in_the_history() -> None:
    teacher = teacher_of("tennis")
    teacher.go("next")
    teacher.go("split")
    teacher.go("finish")
    operations = [one.operation for one in teacher.session.revisions[1:]]
    assert operations == [{"op": "step", "node": 0}, {"op": "grow"}]


def test_the_place_follows_whoever_edits_beside_it() -> None:
    teacher = teacher_of("tennis")
    teacher.go("split")
    teacher.go("next")  # for each branch
    session = teacher.session
    session.apply(session.head, {"op": "split", "node": session.view().ids[3], "on": "Wind"})
    assert teacher.place().revision == session.head
    assert teacher.place().step == 0
    session.undo()
    session.undo()
    assert teacher.place().revision == session.head == 0
    assert teacher.place().node == 0
    session.apply(session.head, {"op": "lock", "node": 0})
    assert teacher.place().node == DONE


def test_another_algorithm_is_an_ordinary_change_of_settings() -> None:
    teacher = teacher_of("tennis")
    teacher.go("algorithm c45")
    assert teacher.session.settings.recipe == "c45"
    assert teacher.walk_at(teacher.place()).listing.name == "c45"
    teacher.go("finish")
    teacher.go("next")
    assert teacher.session.revisions[-1].operation == {"op": "prune", "method": "error-based"}
    teacher.go("algorithm cart")
    teacher.go("finish")
    teacher.go("next")
    assert teacher.session.revisions[-1].operation == {"op": "prune", "alpha": 0.0}
    held = teacher_of("tennis", recipe="cart", held_out=0.3)
    held.go("finish")
    held.go("next")
    assert held.session.revisions[-1].operation == {"op": "prune", "method": "cost-complexity"}


def test_edits_during_a_lecture_are_kept_as_a_branch() -> None:
    teacher = teacher_of("tennis")
    teacher.go("lecture tennis 3")
    session = teacher.session
    stands = session.head
    session.apply(session.head, {"op": "grow"})
    teacher.go("next")
    teacher.go("next")
    assert session.revisions[session.head].parent == stands
    assert len(session.branches) == 1
    teacher.go("back")
    assert session.head == stands


def test_opening_another_table_ends_the_lecture() -> None:
    teacher = teacher_of("tennis")
    teacher.go("lecture robots 2")
    from hornbeam.studio.data_source import DataSource

    teacher.session.open_source(DataSource.of("demo:tax"), {})
    teacher.follow()
    assert teacher.lecture is None
    assert teacher.place().revision == 0


@pytest.mark.parametrize(
    "go", ["", None, 3, "nex", "next line", "lecture", "lecture tennis 99", "lecture x", "algorithm id9"]
)
def test_nonsense_is_refused_with_a_sentence(studio: Studio, go: Any) -> None:
    studio.post("/api/teach", go="open")
    before = studio.get("/api/teach").json()
    answer = studio.post("/api/teach", go=go)
    assert answer.status_code == 400
    assert answer.json()["error"]
    assert studio.get("/api/teach").json() == before


def test_the_page_is_told_blocks_and_the_node(studio: Studio) -> None:
    assert studio.get("/api/teach").json() == {"open": False, "say": "", "blocks": [], "node": None}
    answer = studio.post("/api/teach", go="open").json()
    assert "document" not in answer
    shown = studio.get("/api/teach").json()
    assert shown["node"] == 0
    assert "ID3(S, columns):" in texts(shown["blocks"])
    for _ in range(4):
        studio.post("/api/teach", go="next")
    words = texts(studio.get("/api/teach").json()["blocks"])
    for one in hb.candidates(hb.id3(), TENNIS.X, TENNIS.y):
        assert one.column in words
        assert f"{one.gain:.4f}" in words
    answer = studio.post("/api/teach", go="split").json()
    assert answer["document"]["revision"] == studio.session.head == 1
    assert "The rows are divided into 3 branches." in answer["say"]


def test_a_lecture_opens_its_table_and_shows_both_numbers(studio: Studio) -> None:
    answer = studio.post("/api/teach", go="lecture robots 1").json()
    assert answer["document"]["target"] == "class"
    shown = studio.get("/api/teach").json()
    words = texts(shown["blocks"])
    for fact in hb.teaching.reproduce("robots").facts:
        if fact.what in ("Gain(head)", "Gain(neck)", "Gain(holds)"):
            at = words.index(fact.what)
            assert fact.printed in words[at : at + 8]
            assert fact.recomputed in words[at : at + 8]
    assert "0.655639 ✗" in words


def test_a_lecture_is_opened_from_the_first_page_and_by_the_command(tmp_path: Any) -> None:
    studio = Studio(None, tmp_path)
    offered = [one["name"] for one in studio.get("/api/session").json()["lectures"]]
    assert offered == list(lectures())
    opened = studio.post("/api/open", lecture="hours").json()
    assert opened["data"]["name"] == "demo:hours"
    assert studio.get("/api/teach").json()["open"], "the page shows the lecture at once"
    by_command = Studio(None, tmp_path, lecture="robots")
    assert by_command.get("/api/teach").json()["say"].startswith(lectures()["robots"].steps[0].title)
    with pytest.raises(ValueError, match="brings its own table"):
        Studio("demo:tennis", tmp_path, lecture="robots")
    assert "choose robots, tennis" in studio.post("/api/open", lecture="robot").json()["error"]


def test_names_of_a_table_are_children_and_never_attributes(tmp_path: Any) -> None:
    name = "<img src=x onerror=alert(1)>"
    table = {name: ["a", "b"] * 4, "y": ["u", "v", "u", "v", "u", "v", "v", "u"]}
    studio = Studio(table, tmp_path, target="y")
    studio.post("/api/teach", go="open")

    def attributes(block: Any) -> list[str]:
        if not isinstance(block, list):
            return []
        own = [str(value) for part in block if isinstance(part, dict) for value in part.values()]
        return own + [text for child in block for text in attributes(child)]

    seen = ""
    for _ in range(8):
        studio.post("/api/teach", go="next")
        blocks = studio.get("/api/teach").json()["blocks"]
        seen += " ".join(texts(blocks))
        assert not any("<img" in text for text in attributes(blocks))
    assert name in seen


@pytest.mark.slow
@pytest.mark.parametrize(
    "table",
    [
        one.removeprefix("demo:")
        for one in (
            "demo:robots",
            "demo:hours",
            "demo:tax",
            "demo:eighty",
            "demo:xcount",
            "demo:xor5",
            "demo:pt_S1",
            "demo:gladiator",
        )
    ],
)
@pytest.mark.parametrize("recipe", [None, "id3", "c45", "cart", "buildtree"])
def test_every_bundled_table_can_be_walked_to_its_end_and_back(table: str, recipe: str | None) -> None:
    if table == "hours" and recipe not in (None, "cart"):
        pytest.skip("classes only")
    teacher = teacher_of(table, recipe=recipe)
    forth = 0
    while teacher.place().node != DONE:
        teacher.go("next")
        forth += 1
    assert (
        teacher.session.draft.tree.text()
        == hb.edit(
            teacher.session.draft.context.estimator,
            *teacher.session.view().chapter.rows.training.as_tuple(),
        )
        .grow()
        .tree.text()
    )
    for _ in range(forth):
        teacher.go("back")
    assert (teacher.session.head, teacher.place().node, teacher.place().step) == (0, 0, 0)
