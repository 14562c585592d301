"""Parts as they are written on the command line: a name, or a name with numbers in brackets.

    gini    none    error-based(confidence=0.1)    price-aware(prices={age: 2, blood: 10})

One idea: a closed grammar of names, numbers, texts, lists and dicts, read by hand; nothing is evaluated.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import click

from hornbeam.cli.exit_codes import unknown_choice

_TOKEN = re.compile(
    r"\s*(?:(?P<number>[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?(?![\w-]))"
    r"|(?P<word>[^\W\d][\w.-]*|\d[\w.-]*)|(?P<text>'[^']*'|\"[^\"]*\")|(?P<sign>[()\[\]{},=:]))"
)
_DEEPEST = 20
_WORDS: dict[str, Any] = {str(value): value for value in (None, True, False)}
_WORDS |= {word.lower(): value for word, value in _WORDS.items()}


def parse_call(text: str) -> tuple[str, dict[str, Any]]:
    """A name and its parameters.

    >>> parse_call("error-based(confidence=0.1, raising=false)")
    ('error-based', {'confidence': 0.1, 'raising': False})
    >>> parse_call("price-aware(prices={age: 2, 'blood test': 10}, w=1)")
    ('price-aware', {'prices': {'age': 2, 'blood test': 10}, 'w': 1})
    """
    reader = _PartParser(text)
    name = reader.take("word")
    params: dict[str, Any] = {}
    if reader.accept("("):
        for _ in reader.items(")"):
            key = reader.take("word")
            reader.expect("=")
            if key in params:
                raise reader.fault(f"{key!r} is given twice")
            params[key] = reader.value()
    reader.end()
    return name, params


def parse_value(text: str) -> Any:
    """A value as parameters have them; what is none is taken as text.

    >>> parse_value("3"), parse_value("[a, b]"), parse_value("days of 2020")
    (3, ['a', 'b'], 'days of 2020')
    """
    reader = _PartParser(text)
    try:
        value = reader.value()
        reader.end()
    except ValueError:
        return text
    return value


def part_of(option: str, text: str | None, table: Mapping[str, Any]) -> Any:
    """The part of a slot that an option names; None for none."""
    if text is None or text == "none":
        return None
    name, params = _parse_option(option, text)
    if name not in table:
        raise unknown_choice(f"{option} {name!r} is not known", name, table)
    part_class = table[name]
    known = [p for p in inspect.signature(part_class.__init__).parameters if p != "self"]
    for key in params:
        if key not in known or key in ("args", "kwargs"):
            takes = "none" if known == ["args", "kwargs"] else ", ".join(known)
            sentence = f"{option} {name} has no parameter {key!r}: {name} takes {takes}"
            raise unknown_choice(sentence, key, known)
    try:
        part = part_class(**params)
        if hasattr(part, "check"):
            part.check()
    except (ValueError, TypeError) as fault:
        raise click.UsageError(f"{option} {text}: {fault}") from None
    return part


def recipe_of(text: str, names: Sequence[str]) -> tuple[str, dict[str, Any]]:
    """The recipe an option names, with its parameters."""
    name, params = _parse_option("--recipe", text)
    if name not in names:
        raise unknown_choice(f"--recipe {name!r} is not known", name, names)
    return name, params


def _parse_option(option: str, text: str) -> tuple[str, dict[str, Any]]:
    try:
        return parse_call(text)
    except ValueError as fault:
        raise click.UsageError(f"{option} {text!r} cannot be read: {fault}") from None


class _PartParser:
    """Reads tokens of one text from left to right."""

    def __init__(self, text: str) -> None:
        self.text, self.place, self.depth = text, 0, 0

    def peek(self) -> tuple[str, str]:
        match = _TOKEN.match(self.text, self.place)
        if match is None:
            rest = self.text[self.place :].strip()
            return ("end", "") if not rest else ("?", rest[0])
        kind = str(match.lastgroup)
        return kind, match.group(kind)

    def next(self) -> tuple[str, str]:
        token = self.peek()
        match = _TOKEN.match(self.text, self.place)
        if match is None:
            raise self.fault("it ends too early" if token[0] == "end" else f"{token[1]!r} is not expected")
        self.place = match.end()
        return token

    def accept(self, sign: str) -> bool:
        if self.peek() != ("sign", sign):
            return False
        self.next()
        return True

    def expect(self, sign: str) -> None:
        if not self.accept(sign):
            raise self.fault(f"{sign!r} is expected at place {self.place + 1}")

    def take(self, kind: str) -> str:
        if self.peek()[0] != kind:
            raise self.fault(f"a name is expected at place {self.place + 1}")
        return self.next()[1]

    def end(self) -> None:
        if self.peek()[0] != "end":
            raise self.fault(f"{self.peek()[1]!r} at place {self.place + 1} is too much")

    def fault(self, why: str) -> ValueError:
        return ValueError(
            f"{why}; write a name, or a name with parameters, such as error-based(confidence=0.1)"
        )

    def value(self) -> Any:
        kind, text = self.next()
        if kind == "number":
            return int(text) if re.fullmatch(r"[-+]?\d+", text) else float(text)
        if kind == "text":
            return text[1:-1]
        if kind == "word":
            return _WORDS.get(text, text)
        if text in ("[", "{"):
            return self._values() if text == "[" else self._entries()
        raise self.fault(f"{text!r} is no value")

    def _values(self) -> list[Any]:
        with self._deeper():
            return [self.value() for _ in self.items("]")]

    def _entries(self) -> dict[Any, Any]:
        with self._deeper():
            return dict(self._entry() for _ in self.items("}"))

    def _entry(self) -> tuple[Any, Any]:
        if self.peek()[0] not in ("number", "word", "text"):
            raise self.fault(f"before ':' at place {self.place + 1} a name, a number or a text is expected")
        key = self.value()
        self.expect(":")
        return key, self.value()

    @contextmanager
    def _deeper(self) -> Iterator[None]:
        """Read what stands between brackets; deep nesting would overflow the stack."""
        if self.depth == _DEEPEST:
            raise self.fault(f"values are nested more than {_DEEPEST} deep")
        self.depth += 1
        yield
        self.depth -= 1

    def items(self, closing: str) -> Iterator[None]:
        """One turn for each item up to the closing sign; the reader of the turn takes the item."""
        while not self.accept(closing):
            yield
            if not self.accept(","):
                self.expect(closing)
                return
