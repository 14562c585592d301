"""The pages about the command line are true: the manual is current, what the tutorial types works."""

import re
import shlex
from importlib import metadata
from pathlib import Path

import pytest
from tests.support.manual import MAN_PAGE, PAGE, man_page, manual

from hornbeam.cli.app import COMMANDS

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(
    tuple(map(int, metadata.version("click").split(".")[:2])) < (8, 2),
    reason="older releases of click set out options a little differently",
)
def test_the_manual_is_what_the_help_pages_print():
    assert PAGE.read_text(encoding="utf-8") == manual(), "run: python -m tests.support.manual"
    assert MAN_PAGE.read_text(encoding="utf-8") == man_page(), "run: python -m tests.support.manual"


@pytest.mark.parametrize("page", ["docs/tutorials/command-line.md", "README.md"])
def test_what_a_page_types_works(here, page):
    text = (ROOT / page).read_text(encoding="utf-8")
    typed = re.findall(r"^\$ (hornbeam .*)$", text, re.M)
    assert typed
    for line in typed:
        words = shlex.split(line.split(" | ")[0].split("; echo")[0], comments=True)
        done = here(*words[1:])
        assert done.code == (3 if "echo $?" in line else 0), (line, done.err)


def test_what_the_tutorial_prints_is_what_comes_out(here):
    text = (ROOT / "docs" / "tutorials" / "command-line.md").read_text(encoding="utf-8")
    checked = 0
    for block in re.findall(r"^```\n(\$ hornbeam .*?)^```", text, re.M | re.S):
        for step in re.split(r"^(?=\$ )", block, flags=re.M):
            if not step:
                continue
            line, _, printed = step.partition("\n")
            words = shlex.split(
                line.removeprefix("$ hornbeam ").split(" | ")[0].split("; echo")[0], comments=True
            )
            done = here(*words)
            both = done.err + done.out
            for expected in printed.rstrip().splitlines():
                if expected.strip() in ("...", "") or "echo $?" in line or expected.endswith(" kB"):
                    continue
                assert expected.rstrip() in {one.rstrip() for one in both.splitlines()}, (
                    line,
                    expected,
                    both,
                )
                checked += 1
    assert checked > 20


def test_every_command_is_in_the_tutorial():
    text = (ROOT / "docs" / "tutorials" / "command-line.md").read_text(encoding="utf-8")
    for name in COMMANDS:
        assert f"hornbeam {name}" in text, name
