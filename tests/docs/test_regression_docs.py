"""The examples on the page about regression trees hold."""

import doctest
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "algorithms" / "regression.md"


def test_the_examples_of_the_page_hold():
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    outcome = doctest.testfile(str(PAGE), module_relative=False, optionflags=flags, encoding="utf-8")
    assert outcome.attempted > 10
    assert outcome.failed == 0
