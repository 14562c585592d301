"""Lecture: a table, settings, and steps; each step has a text, an operation, facts and a question.

Texts name their numbers, and the server puts them in:

    {H(Play)}            a fact that `hb.teaching.reproduce` computes, with three decimals; {H(Play) :4} four
    {here Wind gain}     a measure of the candidate Wind at the node of the step

So what a class reads is computed, and stands beside what the slide prints.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from hornbeam._base.parameters import did_you_mean
from hornbeam.editing.candidates import Candidates
from hornbeam.teaching.reproduce import Fact, reproduce
from hornbeam.tree.arrays import LEAF
from hornbeam.tree.tree import Tree
from hornbeam.tree.words import UNICODE, branch_text

# In the order in which they are listed.
_NAMES = ("robots", "tennis", "gladiator", "temperature", "hours", "error", "chi_square", "exclusive_or")
_NUMBER = re.compile(r"\{([^{}]+?)(?: :(\d))?\}")
_DIGITS = 3


@dataclass(frozen=True)
class LectureStep:
    """One step of a lecture.

    Attributes
    ----------
    title, text : what it is about, and what is said; the numbers of the text are named in braces
    do : the operation of the studio that the step does, {} for none; its "at" are the answers that lead to
        its node
    node : the answers that lead to the node that is looked at, from the root
    look : what to look at
    facts : which facts of the slide are shown, "what @ where"
    question, answer : something to ask the class, and what to say then
    """

    title: str
    text: str
    do: Mapping[str, Any] = field(default_factory=dict)
    node: tuple[str, ...] = ()
    look: str = ""
    facts: tuple[str, ...] = ()
    question: str = ""
    answer: str = ""


@dataclass(frozen=True)
class Lecture:
    """A guided lecture.

    Attributes
    ----------
    name, title, source : what it is called, for programs and for people, and the slides it follows
    table : the bundled table it is about
    settings : those of the studio that it begins with
    steps : its steps
    """

    name: str
    title: str
    source: str
    table: str
    settings: Mapping[str, Any]
    steps: tuple[LectureStep, ...]

    def facts(self, step: int) -> list[Fact]:
        """What the slide prints at a step, beside what is computed."""
        known = {f"{one.what} @ {one.where}": one for one in _facts(self.table)}
        return [known[name] for name in self.steps[step].facts]

    def filled(self, text: str, candidates: Candidates | None = None) -> str:
        """A text with its numbers, those of a candidate taken from the candidates of the step's node."""
        known = {one.what: one for one in _facts(self.table)}

        def number(match: re.Match[str]) -> str:
            name, digits = match[1], int(match[2] or _DIGITS)
            if name.startswith("here "):
                assert candidates is not None, f"{name!r} needs candidates"
                column, _, measure = name.removeprefix("here ").rpartition(" ")
                value: Any = getattr(candidates[column], measure)
            elif known[name].printed.endswith("%"):
                return f"{100 * known[name].value:.0f} %"
            else:
                value = known[name].value
            return f"{value:.{digits}f}" if isinstance(value, float) else str(value)

        return _NUMBER.sub(number, text)


@cache
def _facts(table: str) -> tuple[Fact, ...]:
    return reproduce(table).facts


@cache
def lectures() -> Mapping[str, Lecture]:
    """All lectures by name.

    >>> for one in lectures().values():
    ...     print(one.name, len(one.steps) > 3, one.table)
    robots True robots
    tennis True tennis
    gladiator True gladiator
    temperature True temperature
    hours True hours
    error True fig84
    chi_square True xcount
    exclusive_or True xor2
    """
    return {name: _read(name) for name in _NAMES}


def lecture(name: str) -> Lecture:
    """A lecture by name."""
    if name not in _NAMES:
        raise ValueError(
            f"there is no lecture {name!r}{did_you_mean(str(name), _NAMES)}: choose {', '.join(_NAMES)}"
        )
    return lectures()[name]


def _read(name: str) -> Lecture:
    given = tomllib.loads((files(__package__) / f"{name}.toml").read_text(encoding="utf-8"))
    steps = []
    for step in given["steps"]:
        lists = {key: tuple(step.get(key, ())) for key in ("node", "facts")}
        steps.append(LectureStep(**step | lists))
    return Lecture(name, given["title"], given["source"], given["table"], given["settings"], tuple(steps))


def node_by_answers(tree: Tree, answers: Sequence[str]) -> int:
    """The node that some answers lead to from the root: ["Sunny"], ["≤ 95", "married"].

    >>> import hornbeam as hb
    >>> tennis = hb.datasets.load("tennis")
    >>> node_by_answers(hb.id3().fit(tennis.X, tennis.y).tree_, ["Sunny", "High"])
    6
    """
    node = 0
    for answer in answers:
        there = {
            branch_text(tree, node, k, UNICODE).removeprefix("= "): child
            for k, child in enumerate(tree.children(node) if tree.kind[node] != LEAF else ())
        }
        if answer not in there:
            known = ", ".join(there) or "none, it is a leaf"
            raise ValueError(
                f"no branch {answer!r} leads on from node {node}: its branches are {known}. Go back in the"
                " lecture, or begin it again"
            )
        node = there[answer]
    return node
