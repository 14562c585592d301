"""The page of all help pages, `docs/reference/cli.md`, and the man page, `docs/reference/hornbeam.1`.

One idea: what `--help` prints is the manual; this only puts the pages one below the other.

`python -m tests.support.manual` writes both anew; a test checks that they are up to date.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from hornbeam.cli.app import SETTINGS, app

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "cli.md"
MAN_PAGE = PAGE.with_name("hornbeam.1")
MAN_HEAD = r""".\" Made by python -m tests.support.manual
.TH HORNBEAM 1 "" "Hornbeam" "User Commands"
.SH NAME
hornbeam \- decision trees that are exact, fast and meant to be read"""
HEAD = """# The command line

Every help page of `hornbeam`, as `--help` prints it. This page is made by `python -m tests.support.manual`;
a test compares the two. [The first steps](../tutorials/command-line.md) are a tutorial,
[the JSON output](cli-json.md) is described with its schemas.

| exit code | |
|---|---|
| 0 | done |
| 1 | could not do it: data, file, memory |
| 2 | wrong usage |
| 3 | the model is not good enough: `--fail-under`, `--fail-if-worse` |
| 4 | the data do not fit the model: a column is missing, or holds something else |
| 130 | interrupted |

Results go to stdout, messages to stderr. Colours follow `--color`, then `NO_COLOR`, `FORCE_COLOR` and
`TERM=dumb`, then whether the stream is a terminal. Where the encoding is not UTF-8, results are written in
ASCII. If the reader of a pipe closes it, the run ends silently. A file is replaced atomically: a
run that fails or is interrupted leaves the old one as it was.
"""


def manual() -> str:
    """The text of the page."""
    return "\n".join([HEAD, *(_section(*page) for page in _help_pages("hornbeam", app, None))])


def man_page() -> str:
    """The same help pages for `man hornbeam`."""
    lines = [MAN_HEAD]
    for title, text in _help_pages("hornbeam", app, None):
        escaped = text.replace("\\", "\\e").replace("-", "\\-")
        body = (rf"\&{line}" if line.startswith((".", "'")) else line for line in escaped.splitlines())
        lines += [f'.SH "{title.upper()}"', ".nf", *(line.rstrip() for line in body), ".fi"]
    return "\n".join([*lines, ""])


def _help_pages(
    title: str, command: click.Command, parent: click.Context | None
) -> Iterator[tuple[str, str]]:
    """The title and the help page of a command, then those of the commands it has."""
    yield title, command.get_help(_context(title.split()[-1], command, parent))
    if isinstance(command, click.Group):
        context = _context(title.split()[-1], command, parent)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from _help_pages(f"{title} {name}", inner, context)


def _context(name: str, command: click.Command, parent: click.Context | None) -> click.Context:
    return click.Context(command, info_name=name, parent=parent, terminal_width=100, **SETTINGS)  # type: ignore[arg-type]


def _section(title: str, text: str) -> str:
    level = "##" if title.count(" ") < 2 else "###"
    lines = "\n".join(line.rstrip() for line in text.splitlines())
    return f"{level} {title}\n\n```\n{lines}\n```\n"


if __name__ == "__main__":
    PAGE.write_text(manual(), encoding="utf-8")
    MAN_PAGE.write_text(man_page(), encoding="utf-8")
