"""The pages on explanations and Shapley values say what the code does."""

import doctest
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("name", ["howto/explain.md", "algorithms/shap.md"])
def test_the_examples_of_a_page_hold(name):
    found = doctest.testfile(str(DOCS / name), module_relative=False, encoding="utf-8")
    assert found.attempted > 5
    assert found.failed == 0
