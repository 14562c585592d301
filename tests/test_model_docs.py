"""The page about model trees says what the code does."""

import doctest
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "algorithms" / "model-trees.md"


def test_the_examples_of_the_page_on_model_trees_hold():
    found = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert found.attempted > 5
    assert found.failed == 0
