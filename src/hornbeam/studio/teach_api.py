"""Teaching over the API: what the page shows of it, as blocks of text and tables, and its buttons.

One idea: the page lays blocks out and sends back the word of a button; every word and number is written here.
A block is a list, its kind first: ["title", text], ["text", text], ["hint", text], ["code", lines],
["pairs", rows], ["table", caption, heads, rows, marked], ["question", text, answer].
"""

from __future__ import annotations

import json
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from hornbeam._base.types import Task
from hornbeam.studio import reads
from hornbeam.studio.api import Api, answer, answer_text, body
from hornbeam.studio.settings import recipes_for
from hornbeam.studio.teacher import DONE, Teacher
from hornbeam.teaching.lectures import Lecture, lectures
from hornbeam.teaching.pseudocode import NodeWalk, listings
from hornbeam.teaching.reproduce.fact import WRONG

Block = list[Any]


class TeachApi:
    """The two requests of teaching."""

    def __init__(self, api: Api) -> None:
        self.api, self.teacher = api, Teacher(api.session)

    def routes(self) -> list[Route]:
        """Where each request goes."""
        return [
            Route("/api/teach", self.get, methods=["GET"]),
            Route("/api/teach", self.go, methods=["POST"]),
        ]

    async def get(self, request: Request) -> Response:
        """What is shown."""
        del request
        return answer(await self.api._read(partial(shown, self.teacher)))

    async def go(self, request: Request) -> Response:
        """Go somewhere, then say where; with the document if the tree is another one."""
        given = await body(request)
        session = self.api.session
        before = (session.generation, session.head)
        await self.api._change(partial(self.teacher.go, given.get("go")))
        facts = await self.api._read(partial(shown, self.teacher))
        text = json.dumps({"revision": session.head, "say": facts["say"]}, ensure_ascii=False)
        if (session.generation, session.head) == before:
            return answer_text(text)
        document = await self.api._read(partial(self.api.remembered.document, session.view()))
        return answer_text(f'{text[:-1]}, "document": {document}}}')


def shown(teacher: Teacher) -> dict[str, Any]:
    """Everything the page shows of teaching."""
    if not teacher.is_open or not teacher.session.revisions:
        return {"open": False, "say": ""}
    with teacher.lock:
        teacher._follow()
        facts = _algorithm(teacher) if teacher.lecture is None else _lecture(teacher, teacher.lecture)
        return {"open": True, "node": teacher.node(), "choices": _choices(teacher), **facts}


def _choices(teacher: Teacher) -> list[Any]:
    """What can be taught: groups of [where to go, words, whether it is taught now]."""
    task = teacher.session.view().chapter.rows.task
    able = recipes_for(task)
    forms = [one for one in listings().values() if one.recipe in able]
    if task == Task.REAL:
        forms = [one for one in forms if one.name == "cart"]
    now = None if teacher.lecture is not None else _present(teacher).listing
    algorithms = [
        [f"algorithm {one.recipe}", one.title, one.name == getattr(now, "name", "")] for one in forms
    ]
    if now is None or now.name not in [one.name for one in forms]:
        algorithms.insert(0, ["algorithm", "as set" if now is None else now.title, now is not None])
    guided = [[f"lecture {one.name}", one.title, one is teacher.lecture] for one in lectures().values()]
    return [["Algorithms", algorithms], ["Guided lectures", guided]]


# ---- the algorithm -----------------------------------------------------------------------------------------


def _present(teacher: Teacher) -> NodeWalk:
    """The walk at the place, or at the root if the tree is finished."""
    place = teacher.place()
    root = teacher.session.view().ids[0]
    return teacher.walk_at(place._replace(node=root) if place.node == DONE else place)


def _algorithm(teacher: Teacher) -> dict[str, Any]:
    place, made = teacher.place(), _present(teacher)
    listing = made.listing
    right: list[Block] = []
    is_done = place.node == DONE
    pruning = teacher.pruning() if is_done and not place.step else None
    if is_done:
        line = listing.line_of("prune") if pruning is not None or place.step else None
        say = _finished(teacher, is_pruned=place.step > 0, will_prune=pruning is not None)
        reached: set[int] = set()
    else:
        step = made.steps[min(place.step, len(made.steps) - 1)]
        line, say = step.line, step.say
        reached = {one.line for one in made.steps[: place.step]}
        right += [["pairs", [list(pair) for pair in step.values]]] if step.values else []
        if step.table is not None:
            table = step.table
            right.append(
                ["table", table.caption, list(table.heads), [list(r) for r in table.rows], table.marked]
            )
    code = [[one.level, one.text, k == line, k in reached] for k, one in enumerate(listing.lines)]
    n = len(teacher.session.view().tree)
    head = "the tree is grown" if is_done else f"node {made.node} of {n}"
    more = not is_done or pruning is not None
    return {
        "title": f"{listing.title}: {head}",
        "say": say,
        "left": [["code", code], ["hint", listing.source]],
        "right": [["text", say], *right],
        "buttons": [
            ["next", "Next line", ".", more],
            ["split", "Next split", ">", not is_done],
            ["finish", "Finish", "", not is_done],
            ["back", "Back", ",", teacher.can_go_back],
        ],
    }


def _finished(teacher: Teacher, *, is_pruned: bool, will_prune: bool) -> str:
    view = teacher.session.view()
    leaves = f"{view.tree.n_leaves} lea{'f' if view.tree.n_leaves == 1 else 'ves'}"
    if is_pruned:
        return f"{teacher.session.revisions[view.number].say}. The tree is finished: {leaves}."
    if not will_prune:
        return f"No open leaf is left. The tree is finished: {leaves}."
    how = {
        "error-based": "Leaves are expected to make more errors than they made in training.",
        "cost-complexity": "The held-out rows choose how many of the weakest links go.",
        None: "No rows are held out, so only links that lower no error go.",
    }
    return f"The tree is grown: {leaves}. {how[(teacher.pruning() or {}).get('method')]}"


# ---- a lecture ---------------------------------------------------------------------------------------------


def _lecture(teacher: Teacher, chosen: Lecture) -> dict[str, Any]:
    step, view, identity = chosen.steps[teacher.chapter], teacher.session.view(), teacher.node()
    last = len(chosen.steps) - 1
    found = None if identity is None else reads.candidates(view, view.node(identity))
    parts = [step.title, step.text, step.answer]
    if found is None and any("{here " in part for part in parts):
        parts[1:] = ["The tree is another one now: go back, or on, to return to the lecture.", ""]
    title, text, reply = (chosen.filled(part, found) for part in parts)
    left: list[Block] = [["title", title], *(["text", one] for one in text.strip().split("\n\n"))]
    left += [["hint", f"Look at: {step.look}"]] if step.look else []
    left += [["question", chosen.filled(step.question, found), reply]] if step.question and reply else []
    right: list[Block] = []
    if step.facts:
        facts = chosen.facts(teacher.chapter)
        rows = [
            [one.what, one.printed or "–", f"{one.recomputed}{' ✗' if one.verdict == WRONG else ''}"]
            for one in facts
        ]
        where = "; ".join(dict.fromkeys(one.where for one in facts))
        right.append(["table", "The slide and the computation", [where, "slide", "computed"], rows, -1])
        if any(one.verdict == WRONG for one in facts):
            right.append(
                ["hint", "✗ the slide differs from what its own table gives; see the page of errata."]
            )
    if step.do:
        right.append(["hint", f"Done: {teacher.session.revisions[view.number].say}."])
    return {
        "title": f"{chosen.title} · {teacher.chapter + 1} of {last + 1}",
        "say": f"{title}. {text.strip()}",
        "left": left,
        "right": right,
        "buttons": [
            ["next", "Next", ".", teacher.chapter < last],
            ["back", "Back", ",", teacher.chapter > 0],
            [f"lecture {chosen.name}", "From the beginning", "", True],
        ],
    }
