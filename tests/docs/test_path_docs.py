"""The examples in the pages about paths and the smallest prunings run and print what they say."""

import doctest
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize(
    "page", ["algorithms/cost-complexity.md", "algorithms/fewest-errors.md", "howto/choose-the-size.md"]
)
def test_the_examples_of_a_page_hold(page):
    text = (DOCS / page).read_text(encoding="utf-8")
    examples = "\n".join(re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL))
    test = doctest.DocTestParser().get_doctest(examples, {}, page, page, 0)
    assert test.examples
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    assert doctest.DocTestRunner(optionflags=flags).run(test).failed == 0
