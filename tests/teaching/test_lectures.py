"""Guided lectures: every step replays in a session, every number is computed, every table is covered."""

from __future__ import annotations

import re

import pytest

import hornbeam as hb
from hornbeam.editing.operations import OPERATIONS
from hornbeam.studio.session import Session
from hornbeam.studio.teacher import Teacher
from hornbeam.teaching.lectures import Lecture, lecture, lectures, node_by_answers
from hornbeam.teaching.reproduce import reproducible

NAMES = list(lectures())
TEXTS = ("title", "text", "look", "question", "answer")


def texts_of(one: Lecture) -> list[str]:
    return [getattr(step, name) for step in one.steps for name in TEXTS]


@pytest.mark.parametrize("name", NAMES)
def test_no_measured_number_is_written_into_a_text(name: str) -> None:
    for text in texts_of(lecture(name)):
        assert not re.search(r"\d+[.,]\d+|\d+ ?%", re.sub(r"\{[^{}]+\}", "", text)), text


@pytest.mark.parametrize("name", NAMES)
def test_every_number_that_a_text_names_is_the_computed_one(name: str) -> None:
    one = lecture(name)
    facts = {fact.what: fact for fact in hb.teaching.reproduce(one.table).facts}
    for text in texts_of(one):
        for named, digits in re.findall(r"\{([^{}]+?)(?: :(\d))?\}", text):
            if named.startswith("here "):
                continue  # computed with the candidates of the node, below
            value = facts[named].value
            shown = one.filled(f"{{{named}{f' :{digits}' if digits else ''}}}")
            if facts[named].printed.endswith("%"):
                assert shown == f"{100 * value:.0f} %"
            else:
                assert shown == (f"{value:.{digits or 3}f}" if isinstance(value, float) else str(value))


@pytest.mark.parametrize("name", NAMES)
def test_what_the_slide_prints_is_what_reproduce_has(name: str) -> None:
    one = lecture(name)
    known = hb.teaching.reproduce(one.table).facts
    for step in range(len(one.steps)):
        assert all(fact in known for fact in one.facts(step))
    assert one.table in reproducible()
    assert sum(len(step.facts) for step in one.steps) > 0


@pytest.mark.filterwarnings("ignore:.*expected counts below 5")  # the lecture asks about it
@pytest.mark.parametrize("name", NAMES)
def test_every_step_replays_as_ordinary_operations_of_a_session(name: str) -> None:
    one = lecture(name)
    session = Session()
    teacher = Teacher(session)
    teacher.go(f"lecture {name}")
    done = []
    for number, step in enumerate(one.steps):
        if number:
            teacher.go("next")
        if step.do:
            assert step.do["op"] in (*OPERATIONS, "settings", "reset")
            done.append(step.do["op"])
        view = session.view()
        node = teacher.node()
        assert node == view.ids[node_by_answers(view.tree, step.node)]
        found = hb.candidates(
            view.model,
            *view.chapter.rows.training.as_tuple()[:2],
            view.node(node),
            counts=view.chapter.rows.training.counts,
        )
        for text in (step.text, step.question, step.answer):
            filled = one.filled(text, found)
            assert "{" not in filled
            for column, measure in re.findall(r"\{here (.+?) (\w+)\}", text):
                assert f"{getattr(found[column], measure):.3f}" in filled
    assert [(revision.operation or {}).get("op") for revision in session.revisions[1:]] == done
    with pytest.raises(ValueError, match="end of the lecture"):
        teacher.go("next")
    for _ in one.steps[1:]:
        teacher.go("back")
    assert session.head == 0
    with pytest.raises(ValueError, match="first step"):
        teacher.go("back")


def test_each_of_the_five_lectures_has_one() -> None:
    sources = " ".join(one.source for one in lectures().values())
    for who in ("Pošík", "Shuai Li", "Mansour", "Póczos", "Kerrigan"):
        assert who in sources


@pytest.mark.filterwarnings("ignore:.*expected counts below 5")
def test_the_trees_of_the_lectures_come_out() -> None:
    wanted = {
        "tennis": hb.teaching.reproduce("tennis"),
        "gladiator": hb.teaching.reproduce("gladiator"),
        "temperature": hb.teaching.reproduce("temperature"),
        "hours": hb.teaching.reproduce("hours"),
        "chi_square": hb.teaching.reproduce("xcount"),
        "exclusive_or": hb.teaching.reproduce("xor2"),
    }
    names = {"gladiator": "tree of ID3", "hours": "tree, CV < 10% or n <= 3"}
    for name, made in wanted.items():
        session = Session()
        Teacher(session).go(f"lecture {name} {len(lecture(name).steps) - 1}")
        tree = next(fact.value for fact in made.facts if fact.what == names.get(name, "tree"))
        assert session.draft.tree.text() == tree


def test_an_unknown_lecture_or_branch_is_refused_with_what_there_is() -> None:
    with pytest.raises(ValueError, match="did you mean 'tennis'"):
        lecture("tenis")
    tennis = hb.datasets.load("tennis")
    tree = hb.id3().fit(tennis.X, tennis.y).tree_
    with pytest.raises(ValueError, match="its branches are Overcast, Rain, Sunny"):
        node_by_answers(tree, ["Snow"])
