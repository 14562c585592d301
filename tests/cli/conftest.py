"""What the tests of the command line share."""

import pytest
from tests.cli.program import Here


@pytest.fixture
def here(capsys, monkeypatch, tmp_path):
    """Runs commands in this process, in an empty folder."""
    return Here(capsys, monkeypatch, tmp_path)


@pytest.fixture
def model(here):
    """The file of a model of the tennis table, in the folder of `here`."""
    done = here("fit", "demo:tennis", "--recipe", "id3", "-o", "tennis.tree.json")
    assert done.code == 0, done.err
    return "tennis.tree.json"
