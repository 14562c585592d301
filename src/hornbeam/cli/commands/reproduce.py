"""`hornbeam reproduce`: what the lectures print beside what is computed."""

from __future__ import annotations

import sys

import click

from hornbeam.cli.help_pages import command as make_command
from hornbeam.cli.output import Answer, formatted, give
from hornbeam.cli.part_syntax import unknown
from hornbeam.cli.terminal import ASCII_WORDS, Talk, charset_of
from hornbeam.cli.text_tables import Head


@make_command(
    "reproduce",
    "hornbeam reproduce tennis",
    "hornbeam reproduce robots --format markdown",
    "hornbeam reproduce cs178 --format json",
)
@click.argument("name", default="all")
@formatted
def command(talk: Talk, name: str, form: str) -> None:
    """Set every number the lectures print about a bundled table beside the number computed.

    NAME is a bundled table, or all. Where a slide is wrong, the verdict says so and names the erratum.
    """
    from hornbeam.teaching.reproduce import reproduce, reproducible

    if name != "all" and name not in reproducible():
        raise unknown(f"there is nothing to reproduce called {name!r}", name, [*reproducible(), "all"])
    found = reproduce(name)
    facts = [fact.to_dict() for fact in found]
    heads = [Head(key) for key in facts[0]]
    data = {"name": name, "facts": facts, "wrong": len(found.wrong), "errata": found.errata}
    give(Answer("reproduce/1", data, heads, facts, lambda: [_text(str(found))]), form)
    talk.say(
        (str(len(found)), "number"),
        (
            f" facts, {len(found) - len(found.wrong)} as printed, {len(found.wrong)} of a wrong slide",
            "dim",
        ),
    )


def _text(text: str) -> str:
    return text if charset_of(sys.stdout) == "unicode" else text.translate(ASCII_WORDS)
