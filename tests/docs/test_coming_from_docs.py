"""The examples on the pages for people who come from another program hold."""

import doctest
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "docs" / "coming-from"


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.md")), ids=lambda path: path.stem)
def test_the_examples_of_a_page_hold(path):
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    outcome = doctest.testfile(str(path), module_relative=False, optionflags=flags, encoding="utf-8")
    assert outcome.attempted > 3 or path.stem == "index"
    assert outcome.failed == 0
