"""The table of exports and features in the documentation is what the exports say."""

from pathlib import Path

from tests.io.export.table import BEGIN, END, WHOLE, table

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "exports.md"


def test_the_table_in_the_documentation_is_up_to_date_and_the_first_five_say_everything():
    """If it is not: put `table()` between the two marks of the page."""
    made = table()
    page = PAGE.read_text(encoding="utf-8")
    assert page.split(BEGIN)[1].split(END)[0].strip() == made
    for line in made.splitlines()[2:]:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        assert cells[1 : 1 + len(WHOLE)] == ["✓"] * len(WHOLE), line
