"""The examples on the page about pruning hold."""

import doctest
from pathlib import Path

HOWTO = Path(__file__).parents[2] / "docs" / "howto"


def test_the_examples_of_the_page_hold():
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    outcome = doctest.testfile(
        str(HOWTO / "prune.md"), module_relative=False, optionflags=flags, encoding="utf-8"
    )
    assert outcome.attempted > 8
    assert outcome.failed == 0
