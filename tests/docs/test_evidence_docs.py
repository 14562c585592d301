"""The code in the how-to pages on splits, evaluation, stability and imitation prints what they say."""

import doctest
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs" / "howto"


@pytest.mark.parametrize("name", ["arithmetic", "evaluate", "stability", "imitate"])
def test_a_page_says_what_is_computed(name):
    outcome = doctest.testfile(str(DOCS / f"{name}.md"), module_relative=False, encoding="utf-8")
    assert outcome.failed == 0
    assert outcome.attempted > 5
