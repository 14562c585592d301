"""Key: a determination key that asks one question after another, only those on the path.

One idea: what was answered so far is a row with gaps. The next question is the first column that the row's
way down the tree asks for and nobody has answered; the result is what the tree says of the row as it is.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hornbeam._base.types import AnyArray
from hornbeam.data.columns import Column
from hornbeam.data.formatting import category_text, class_text, parse_display, visible, zone_named
from hornbeam.data.table import Table, one_row
from hornbeam.reading.explain import Explanation, explain
from hornbeam.reading.explanation_steps import is_gap
from hornbeam.tree import routing, words
from hornbeam.tree.hooks import tree_of
from hornbeam.tree.tree import Tree

UNKNOWN = "unknown"


@dataclass(frozen=True)
class KeyResult:
    """What the key says.

    Attributes
    ----------
    answer : object
        The class, or the value.
    probability : float or None
        Of the class; None in a regression tree.
    probabilities : dict or None
        Of every class.
    leaves : tuple of int
        The leaves reached, heaviest first: one, unless something that matters is unknown.
    """

    answer: Any
    probability: float | None
    probabilities: dict[Any, float] | None
    leaves: tuple[int, ...]

    def __str__(self) -> str:
        return self.text()

    def text(self, target: str | None = None) -> str:
        """The answer and how sure it is; the name of the `target` stands before classes such as 1."""
        if self.probability is None:
            return words.amount(float(self.answer))
        return f"{class_text(self.answer, target)}  {words.percent(self.probability)}"


class Key:
    """An interactive key; `hb.key(model)` makes one.

    Attributes
    ----------
    question : str or None
        What is asked now, such as "Outlook?"; None when nothing more would change the result.
    column : str or None
        The column asked for.
    options : tuple
        The values it may have; empty for a number.
    asked : tuple of (column, answer)
        The questions so far; the answer is None where it is unknown.
    result : KeyResult
        What the tree says of the answers so far, everything else being unknown.
    done : bool
        Whether no question is left.
    """

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._answers: dict[str, Any] = {}

    def __repr__(self) -> str:
        answers = ", ".join(f"{name}={UNKNOWN if v is None else v}" for name, v in self._answers.items())
        return f"<Key [{answers}] {self.question or str(self.result)}>"

    @property
    def question(self) -> str | None:
        """What is asked now."""
        return None if self.column is None else f"{visible(self.column)}?"

    @property
    def column(self) -> str | None:
        """The column asked for."""
        place = self._next()
        return None if place is None else self._tree.columns[place].name

    @property
    def options(self) -> tuple[Any, ...]:
        """The values the column may have; empty for a number, and when nothing is asked."""
        place = self._next()
        return () if place is None else self._tree.columns[place].categories

    @property
    def asked(self) -> tuple[tuple[str, Any], ...]:
        """Questions and answers so far."""
        return tuple(self._answers.items())

    @property
    def done(self) -> bool:
        """Whether no question is left."""
        return self._next() is None

    @property
    def explanation(self) -> Explanation:
        """Why the result is what it is."""
        return explain(self._tree, self._row())

    @property
    def result(self) -> KeyResult:
        """What the tree says of the answers so far."""
        explanation = self.explanation
        share = None if explanation.probabilities is None else explanation.probabilities[explanation.answer]
        leaves = tuple(leaf.leaf for leaf in explanation.reached)
        return KeyResult(explanation.answer, share, explanation.probabilities, leaves)

    def answer(self, value: Any) -> Key:
        """Answer the question that is asked; "unknown" or None says that nobody knows.

        What is unknown is treated as a missing value in a prediction: it goes where the tree sends gaps, or
        along all paths, and the questions on those are asked next. Gives the key itself back.
        """
        place = self._next()
        if place is None:
            raise ValueError(f"no question is left to be answered by {value!r}: read the result")
        column = self._tree.columns[place]
        self._answers[column.name] = _value(column, value)
        return self

    def back(self) -> Key:
        """Take the last answer back."""
        if not self._answers:
            raise ValueError("no answer has been given yet that could be taken back")
        self._answers.popitem()
        return self

    def run(self, ask: Callable[[str], str] = input) -> KeyResult:
        """Ask until no question is left; `ask` takes a prompt and gives the answer, as `input` does."""
        while (column := self.column) is not None:
            options = ", ".join(map(category_text, self.options)) or "a number"
            prompt = f"{column}? ({options}; or {UNKNOWN}) "
            try:
                self.answer(ask(prompt).strip())
            except ValueError as fault:
                self.answer(ask(f"{fault}\n{prompt}").strip())
        return self.result

    def _row(self) -> dict[str, Any]:
        return {column.name: self._answers.get(column.name) for column in self._tree.columns}

    def _next(self) -> int | None:
        """The first column without an answer that the row's way asks for."""
        _, arrays = routing.arrays_for(self._tree, one_row(self._row(), self._tree.columns))
        for visit in routing.visit_all(self._tree, 1, arrays):
            open_column = self._open_column(visit.node, arrays)
            if open_column is not None:
                return open_column
        return None

    def _open_column(self, node: int, arrays: tuple[AnyArray, ...]) -> int | None:
        """The column without an answer that a test asks for first: its own, or a surrogate's."""
        tree = self._tree
        tested = tree.tested_columns(node)
        for column in tested:
            if tree.columns[column].name not in self._answers:
                return column
        if tree.policy["missing"] != "all-paths" and any(is_gap(arrays[c][0]) for c in tested):
            for k in range(int(tree.surrogate_offset[node]), int(tree.surrogate_offset[node + 1])):
                column = int(tree.surrogate_column[k])
                if tree.columns[column].name not in self._answers:
                    return column
                if not is_gap(arrays[column][0]):
                    break
        return None


def _value(column: Column, value: Any) -> Any:
    """An answer as a value of the column; text is read, None is unknown."""
    if value is None or (value == UNKNOWN and UNKNOWN not in column.categories):
        return None
    if column.kind == "numeric":
        return _number(column, value)
    known = column.code_of.get(value) if value.__hash__ else None
    if known is None:
        known = {category_text(v): code for code, v in enumerate(column.categories)}.get(str(value))
    if known is None:
        shown = ", ".join(category_text(v) for v in column.categories[:20])
        raise ValueError(f"{value!r} is no value of {column.name!r}: answer one of {shown}, or {UNKNOWN!r}")
    return column.categories[known]


def _number(column: Column, value: Any) -> Any:
    """A number, or a time, from an answer that may be text."""
    try:
        if column.is_time:
            moment = parse_time(column, value) if isinstance(value, str) else value
            Table.match({column.name: [moment]}, (column,))  # refuses what is no time, or in no zone
            return moment
        if np.isfinite(float(value)):
            return float(value) if isinstance(value, str) else value
    except (TypeError, ValueError, ArithmeticError):
        pass
    what = "a time" if column.is_time else "a finite number"
    raise ValueError(f"{value!r} is no answer for {column.name!r}: answer {what}, or {UNKNOWN!r}")


def parse_time(column: Column, text: str) -> dt.datetime | dt.time:
    """The time that a text writes as ISO 8601 does; without a time zone, it is that of the column."""
    how = parse_display(column.display)
    if how.family == "time64":
        return dt.time.fromisoformat(text)
    if how.family != "datetime64":
        raise ValueError(
            f"{text!r} is no value of {column.name!r}, which holds {how.family}: give the value itself"
        )
    moment = dt.datetime.fromisoformat(text)
    return moment.replace(tzinfo=zone_named(how.zone)) if how.zone and moment.tzinfo is None else moment


def key(model: Any) -> Key:
    """An interactive determination key: it asks only what is on the path, and takes "unknown" for an answer.

    Parameters
    ----------
    model : estimator, Tree, or the path of a saved one

    Returns
    -------
    Key
        `question` is what is asked now, `answer(value)` answers it, `result` is the answer with its
        probability; `run()` does it in the terminal.

    Examples
    --------
    >>> import hornbeam as hb
    >>> tennis = hb.datasets.load("tennis")
    >>> asked = hb.key(hb.id3().fit(tennis.X, tennis.y))
    >>> asked.question, asked.options
    ('Outlook?', ('Overcast', 'Rain', 'Sunny'))
    >>> asked.answer("Sunny").question
    'Humidity?'
    >>> asked.answer("High").question is None
    True
    >>> print(asked.result)
    No  100 %
    >>> print(hb.key(hb.id3().fit(tennis.X, tennis.y)).answer("unknown").result)
    Yes  64 %
    """
    return Key(tree_of(model))
