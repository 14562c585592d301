"""The page about density trees says what the code computes."""

import doctest
import re
from pathlib import Path


def test_the_numbers_of_the_page_are_those_of_the_code():
    page = Path(__file__).parents[2] / "docs" / "algorithms" / "density.md"
    examples = "\n".join(
        re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    )
    test = doctest.DocTestParser().get_doctest(examples, {}, page.name, page.name, 0)
    assert len(test.examples) > 10
    assert doctest.DocTestRunner().run(test).failed == 0
