"""The guide lists every file of the package and the core with what it is for."""

from tests.support.file_map import END, GUIDE, START, with_file_map


def test_the_guide_lists_every_file_as_it_describes_itself():
    guide = GUIDE.read_text(encoding="utf-8")
    assert START in guide
    assert END in guide
    assert guide == with_file_map(guide), "run python -m tests.support.file_map"
