"""Teaching over the API: what the page shows of it, as blocks of text and tables, and its buttons.

One idea: the page makes elements of lists, [tag, attributes, child, ...], and sends back the word of a button
(`data-go`); every word and number is written here. Whatever a table holds is a child, and so becomes text.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

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


class Shown(NamedTuple):
    """What is shown: the title, what is said aloud, columns of blocks, and buttons."""

    title: str
    say: str
    columns: list[list[Block]]
    buttons: list[Block]


class TeachApi:
    """The two requests of teaching."""

    def __init__(self, api: Api) -> None:
        self.api, self.teacher = api, api.teacher

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
    """Everything the page shows of teaching, and what a screen reader says."""
    if not teacher.is_open or not teacher.session.revisions:
        return {"open": False, "say": "", "blocks": [], "node": None}
    with teacher.lock:
        teacher.follow()
        if teacher.lecture is None:
            title, say, columns, buttons = _algorithm(teacher)
        else:
            title, say, columns, buttons = _lecture(teacher, teacher.lecture)
        head = ["div", {"class": "buttons"}, ["h2", {}, title], _choices(teacher), *buttons, _CLOSE]
        parts = [["div", {}, *blocks] for blocks in columns]
        body = ["div", {"class": "blocks", "tabindex": 0, "role": "group", "aria-label": title}, *parts]
        return {"open": True, "say": say, "blocks": [head, body], "node": teacher.node()}


def _button(where: str, words: str, key: str = "", *, able: bool, main: bool = False) -> Block:
    given = {"data-go": where, "title": f"{words} ({key})" if key else words, "disabled": not able}
    return ["button", given | ({"class": "main"} if main else {}), words]


_CLOSE: Block = ["button", {"data-go": "close", "aria-label": "Close"}, "✕"]


def _table(
    kind: str, caption: str, heads: Sequence[str], rows: Iterable[Sequence[str]], marked: int = -1
) -> Block:
    """A table whose first cells name their rows; the last cell of a short row fills the rest."""
    lines = []
    for k, (name, *values) in enumerate(rows):
        cells = [["td", {}, value] for value in values]
        if heads and len(values) < len(heads) - 1:
            cells[-1][1] = {"colspan": len(heads) - len(values)}
        chosen = {"class": "chosen" if k == marked else None}
        lines.append(["tr", chosen, ["th", {"scope": "row"}, name], *cells])
    head = [["thead", {}, ["tr", {}, *(["th", {"scope": "col"}, name] for name in heads)]]] if heads else []
    return ["table", {"class": kind}, ["caption", {"class": "away"}, caption], *head, ["tbody", {}, *lines]]


def _choices(teacher: Teacher) -> Block:
    """The list of what can be taught."""
    task = teacher.session.view().chapter.rows.task
    able = recipes_for(task)
    forms = [one for one in listings().values() if one.recipe in able]
    if task == Task.REAL:
        forms = [one for one in forms if one.name == "cart"]
    now = None if teacher.lecture is not None else _present(teacher).listing
    algorithms = [
        (f"algorithm {one.recipe}", one.title, now is not None and one.name == now.name) for one in forms
    ]
    if now is None or now.name not in [one.name for one in forms]:
        title = "as the settings say" if now is None else now.title
        algorithms.insert(0, ("algorithm", title, now is not None))
    guided = [(f"lecture {one.name}", one.title, one is teacher.lecture) for one in lectures().values()]
    groups = [
        [
            "optgroup",
            {"label": label},
            *(["option", {"value": v, "selected": on}, words] for v, words, on in some),
        ]
        for label, some in (("Algorithms", algorithms), ("Guided lectures", guided))
    ]
    return ["select", {"aria-label": "What is taught", "data-go": "choice"}, *groups]


# ---- the algorithm -----------------------------------------------------------------------------------------


def _present(teacher: Teacher) -> NodeWalk:
    """The walk at the place, or at the root if the tree is finished."""
    place = teacher.place()
    root = teacher.session.view().ids[0]
    return teacher.walk_at(place._replace(node=root) if place.node == DONE else place)


def _algorithm(teacher: Teacher) -> Shown:
    place, made = teacher.place(), _present(teacher)
    listing = made.listing
    right: list[Block] = []
    reached: set[int] = set()
    is_done = place.node == DONE
    will_prune = is_done and not place.step and teacher.pruning() is not None
    if is_done:
        line = listing.line_of("prune") if will_prune or place.step else None
        say = _finished(teacher, is_pruned=place.step > 0, will_prune=will_prune)
    else:
        step = made.steps[min(place.step, len(made.steps) - 1)]
        line, say = step.line, step.say
        reached = {one.line for one in made.steps[: place.step]}
        if step.values:
            right.append(_table("facts", "Variables", (), step.values))
        if step.table is not None:
            table = step.table
            right.append(_table("numbers", table.caption, table.heads, table.rows, table.marked))
    code = [
        [
            "li",
            {
                "style": {"--level": str(one.level)},
                "class": "past" if k in reached else None,
                "aria-current": "step" if k == line else None,
            },
            one.text,
        ]
        for k, one in enumerate(listing.lines)
    ]
    title = "The tree is grown" if is_done else f"Node #{made.node}"
    left: list[Block] = [["ol", {"class": "code"}, *code], ["p", {"class": "soft"}, listing.source]]
    buttons = [
        _button("next", "Next line", ".", able=not is_done or will_prune, main=True),
        _button("split", "Next split", ">", able=not is_done),
        _button("finish", "Finish", able=not is_done),
        _button("back", "Back", ",", able=teacher.can_go_back),
    ]
    return Shown(title, say, [left, [["p", {}, say], *right]], buttons)


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


def _lecture(teacher: Teacher, chosen: Lecture) -> Shown:
    step, view, identity = chosen.steps[teacher.chapter], teacher.session.view(), teacher.node()
    last = len(chosen.steps) - 1
    listed = None if identity is None else reads.candidates(view, view.node(identity))
    parts = [step.title, step.text, step.answer]
    if listed is None and any("{here " in part for part in parts):
        parts[1:] = ["The tree is another one now: go back, or on, to return to the lecture.", ""]
    title, text, reply = (chosen.filled(part, listed) for part in parts)
    left: list[Block] = [["h3", {}, title], *(["p", {}, one] for one in text.strip().split("\n\n"))]
    left += [["p", {"class": "soft"}, f"Look at: {step.look}"]] if step.look else []
    if step.question and reply:
        asked = ["summary", {}, chosen.filled(step.question, listed)]
        left.append(["details", {"class": "question"}, asked, ["p", {}, reply]])
    right: list[Block] = []
    if step.facts:
        facts = chosen.facts(teacher.chapter)
        rows = [
            (one.what, one.printed or "–", f"{one.recomputed}{_WRONG[one.verdict == WRONG]}") for one in facts
        ]
        where = "; ".join(dict.fromkeys(one.where for one in facts))
        right.append(_table("numbers", "The slide and the computation", (where, "slide", "computed"), rows))
        if any(one.verdict == WRONG for one in facts):
            right.append(["p", {"class": "soft"}, "✗ The slide differs from what its own table gives."])
    if step.do:
        say = teacher.session.revisions[view.number].say
        right.append(["p", {"class": "soft"}, f"Done: {say}."])
    buttons = [
        _button("next", "Next", ".", able=teacher.chapter < last, main=True),
        _button("back", "Back", ",", able=teacher.chapter > 0),
        _button(f"lecture {chosen.name}", "Restart", able=True),
    ]
    heading = f"Step {teacher.chapter + 1} of {last + 1}"
    return Shown(heading, f"{title}. {text.strip()}", [left, right], buttons)


_WRONG = {True: " ✗", False: ""}
