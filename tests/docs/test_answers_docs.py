"""The examples on the pages about answers, costs, survival and recipes hold."""

import doctest
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize(
    "page",
    [
        "algorithms/leaf-answers.md",
        "algorithms/costs-and-priors.md",
        "algorithms/survival.md",
        "howto/own-criterion.md",
        "reference/recipes.md",
    ],
)
def test_the_examples_of_a_page_hold(page):
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    outcome = doctest.testfile(str(DOCS / page), module_relative=False, optionflags=flags, encoding="utf-8")
    assert outcome.attempted > 4
    assert outcome.failed == 0
