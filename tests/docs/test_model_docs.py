"""The pages about model trees and automatic trees say what the code does."""

import doctest
from pathlib import Path

import pytest

PAGES = Path(__file__).parents[2] / "docs" / "algorithms"


@pytest.mark.parametrize("name", ["model-trees", "automatic"])
def test_the_examples_of_the_page_hold(name):
    found = doctest.testfile(str(PAGES / f"{name}.md"), module_relative=False, encoding="utf-8")
    assert found.attempted > 5
    assert found.failed == 0
