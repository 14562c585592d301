"""The examples of the pages about measures hold."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("page", ["algorithms/measures.md", "howto/reproduce.md"])
def test_the_examples_of_a_page_hold(page):
    text = (DOCS / page).read_text(encoding="utf-8")
    examples = "\n".join(re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL))
    test = doctest.DocTestParser().get_doctest(examples, {}, page, page, 0)
    assert test.examples
    assert doctest.DocTestRunner().run(test).failed == 0
