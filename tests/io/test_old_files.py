"""Files of earlier versions, and of this one, are read and answer as they did when they were written."""

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest
from tests.old_files.make import MAKERS, answers

import hornbeam as hb

FOLDER = Path(__file__).parents[1] / "old_files"
FILES = sorted(path for kind in ("tree", "forest") for path in FOLDER.glob(f"*.{kind}.json"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_file_answers_as_when_it_was_written(path):
    said = json.loads(path.with_suffix("").with_suffix(".rows.json").read_text(encoding="utf-8"))
    model = hb.load(path)
    new_answers = answers(model, said["rows"])
    text = said["text"] if isinstance(said["text"], list) else [said["text"]]
    assert new_answers["text"] == text
    for name in ("predictions", "density", "probabilities", "quantiles"):
        wanted = said.get(name, [])
        if wanted and isinstance(wanted[0], str):
            assert new_answers[name] == wanted
        elif wanted:
            np.testing.assert_allclose(new_answers[name], wanted, rtol=1e-12)


def test_there_is_a_file_of_this_version_for_every_kind():
    """If there is not: `python -m tests.old_files.make`."""
    written = {path.name.removeprefix(f"{version('hornbeam')}-").split(".")[0] for path in FILES}
    assert set(MAKERS) <= written
