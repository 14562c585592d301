"""The examples in the pages about tests of significance run and print what they say."""

import doctest
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs" / "algorithms"


@pytest.mark.parametrize("page", ["chaid.md", "conditional-inference.md"])
def test_the_examples_of_a_page_hold(page):
    text = (DOCS / page).read_text(encoding="utf-8")
    examples = "\n".join(re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL))
    test = doctest.DocTestParser().get_doctest(examples, {}, page, page, 0)
    assert test.examples
    assert doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test).failed == 0
