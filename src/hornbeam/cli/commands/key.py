"""`hornbeam key`: a determination key, question by question."""

from __future__ import annotations

import sys
from typing import Any

import click

from hornbeam.cli.exit_codes import Failure
from hornbeam.cli.help_pages import make_command
from hornbeam.cli.models import open_model
from hornbeam.cli.options import argument, option
from hornbeam.cli.tables import Answer, facts_answer, print_answer
from hornbeam.cli.terminal import Messages, styled_line, write_line

UNKNOWN = ("?", "unknown", "")


@make_command(
    "key",
    "hornbeam fit demo:tennis --recipe id3 -o tennis.tree.json",
    "hornbeam key tennis.tree.json --answer Sunny --answer High",
    "hornbeam key tennis.tree.json --answer '?' --answer Weak --answer Normal",
)
def key_command(
    messages: Messages,
    *,
    model: str = argument(),
    answers: tuple[str, ...] = option(
        "Answer to the next question, ? if unknown; may be repeated.", "--answer", metavar="VALUE"
    ),
    form: str,
) -> None:
    """Ask only the questions needed to reach a prediction, like a key for determining plants.

    Answer with a value, its number in the list, or ? if it is unknown; "back" takes the last answer back.
    Answers may also come from --answer or, one on each line, from stdin.
    """
    import hornbeam as hb

    no_density = "a density tree has no answer to find: a key needs a tree with a target"
    key = hb.key(open_model(model, no_density=no_density, only_tree=True).tree)
    waiting = list(answers)
    while not key.done:
        text = waiting.pop(0) if waiting else _next_answer(key, messages)
        if text is None:
            break
        _give_answer(key, text, messages, is_option=bool(answers))
    if waiting:
        messages.warn(f"{len(waiting)} of the answers were not needed")
    print_answer(_answer(key), form)


def _next_answer(key: Any, messages: Messages) -> str | None:
    """The next answer: asked of a person on a terminal, or read from stdin; None at its end."""
    options = [str(value) for value in key.options]
    words: list[Any] = [(key.question, "strong"), "  "]
    if options:
        for k, option in enumerate(options, 1):
            words += [(f"{k} ", "number"), option, "   "]
    else:
        words += [("a number", "dim"), "   "]
    words += [("? unknown", "dim")]
    if sys.stdin.isatty():
        write_line(sys.stderr, *words)
        click.echo(styled_line(sys.stderr, ("> ", "good")), nl=False, err=True)
    else:
        messages.detail(*words)
    line = sys.stdin.readline()
    return line.strip() if line else None


def _give_answer(key: Any, text: str, messages: Messages, *, is_option: bool) -> None:
    """Give the key an answer; one it cannot use is an error or, on a terminal, asked again."""
    options = key.options
    try:
        if text.lower() == "back":
            key.back()
        elif text in UNKNOWN and text not in map(str, options):
            key.answer(None)
        elif options and text.isdigit() and text not in map(str, options) and 1 <= int(text) <= len(options):
            key.answer(options[int(text) - 1])
        else:
            key.answer(text)
    except ValueError as fault:
        if is_option or not sys.stdin.isatty():
            raise Failure(str(fault)) from None
        messages.warn(str(fault))


def _answer(key: Any) -> Answer:
    result = key.result
    questions = [{"column": name, "answer": value} for name, value in key.asked]
    data = {"answer": result.answer, "probability": result.probability, "probabilities": result.probabilities}
    data |= {"leaves": list(result.leaves), "asked": questions, "open": key.question}

    def text() -> list[str]:
        answers = ", ".join(f"{name} = {'?' if value is None else value}" for name, value in key.asked)
        remark = (f"   ({answers})" if answers else "", "dim")
        lines = [styled_line(sys.stdout, (str(result), "strong"), remark)]
        if key.question:
            lines.append(styled_line(sys.stdout, (f"not asked any more: {key.question}", "dim")))
        return lines

    return facts_answer("key/1", data, text)
