"""The how-to page on table files runs, and the reference names every format."""

import doctest
import re
from pathlib import Path

from hornbeam.data.files import FORMATS

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_prints_what_it_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (DOCS / "howto" / "read-tables.md").read_text(encoding="utf-8")
    test = doctest.DocTestParser().get_doctest(text, {}, "read-tables", None, None)
    assert len(test.examples) > 8
    runner = doctest.DocTestRunner()
    runner.run(test)
    assert runner.failures == 0


def test_the_reference_lists_the_formats_and_their_endings():
    text = (DOCS / "reference" / "table-formats.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| ([^|]*) \|", text, flags=re.MULTILINE))
    assert list(rows) == list(FORMATS)
    for name, entry in FORMATS.items():
        assert set(entry.endings) <= set(rows[name].split(", "))
