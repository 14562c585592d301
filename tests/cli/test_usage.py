"""Wrong usage ends with exit code 2 and, where something was probably meant, with what."""

import re

import pandas as pd
import pytest

import hornbeam as hb

WRONG_USAGE = [
    (["fit", "demo:tennis", "--criterion", "ginny"], "did you mean 'gini'?"),
    (["fit", "demo:tennis", "--recipe", "card"], "did you mean 'cart'?"),
    (["fit", "demo:tennis", "--pruning", "error-based(confidense=1)"], "did you mean 'confidence'?"),
    (["fit", "demo:tennis", "--pruning", "error-based(confidence=7)"], "confidence"),
    (["fit", "demo:tennis", "--pruning", "error-based(confidence="], "cannot be read"),
    (["fit", "demo:tennis", "--pruning", "__import__('os')"], "cannot be read"),
    (["fit", "demo:tennis", "--search", "optimum"], "did you mean 'optimal'?"),
    (["fit", "demo:tennis", "--search", "optimal(memory=lots)", "--max-depth", "2"], "memory"),
    (["fit", "demo:tennis", "--max-depth", "0"], "max-depth"),
    (["fit", "demo:tennis", "--holdout", "1.5"], "holdout"),
    (["fit", "demo:tennis", "--recipe", "m5"], "predicts numbers"),
    (["fit", "demo:hours", "--recipe", "id3"], "predicts classes"),
    (["fit", "demo:tennis", "--task", "density", "--recipe", "cart"], "does not go with --task density"),
    (["fit", "demo:tennis", "--maxdepth", "3"], "--max-depth"),
    (["fit"], "DATA"),
    (["fitt", "x"], "did you mean 'fit'?"),
    (["theory", "catalon", "3"], "did you mean 'catalan'?"),
    (["reproduce", "tenis"], "did you mean 'tennis'?"),
    (["evaluate", "tennis.tree.json", "--fail-under", "acuracy=0.8"], "did you mean 'accuracy'?"),
    (["evaluate", "tennis.tree.json", "--fail-under", "accuracy"], "METRIC=VALUE"),
    (["prune", "tennis.tree.json", "-o", "x"], "say how"),
    (["prune", "tennis.tree.json", "-o", "x", "--leaves", "2", "--one-se"], "exclude each other"),
    (["export", "tennis.tree.json", "pythn"], "did you mean 'python'?"),
    (["explain", "tennis.tree.json", "Outlook"], "COL=VALUE"),
    (["candidates", "tennis.tree.json", "--recipe", "c45"], "own recipe"),
    (["candidates", "demo:tennis", "--node", "3"], "needs a model"),
    (["show", "tennis.tree.json", "--format", "yaml"], "yaml"),
]


@pytest.mark.parametrize(
    ("arguments", "words"), WRONG_USAGE, ids=lambda v: " ".join(v) if isinstance(v, list) else ""
)
def test_wrong_usage_is_exit_code_2_with_a_hint(here, model, arguments, words):
    done = here(*arguments)
    assert done.code == 2, done
    assert done.out == ""
    assert words in done.err
    assert "Traceback" not in done.err


def test_a_model_that_does_not_know_its_target_asks_for_it_only_of_a_file_that_is_there(here, tmp_path):
    model = hb.TreeClassifier().fit(pd.DataFrame({"a": [0.0, 1.0, 2.0, 3.0]}), [0, 0, 1, 1])
    hb.save(model, tmp_path / "plain.tree.json")
    missing = here("evaluate", str(tmp_path / "plain.tree.json"), "nowhere.csv")
    assert missing.code == 1
    assert "there is no file nowhere.csv" in missing.err

    (tmp_path / "rows.csv").write_text("a,what\n0,0\n3,1\n")
    present = here("evaluate", str(tmp_path / "plain.tree.json"), str(tmp_path / "rows.csv"))
    assert present.code == 2
    assert "say --target COL" in present.err
    assert "its columns are a, what" in present.err


def test_a_group_without_a_command_prints_its_help_and_no_error(here):
    done = here("theory")
    assert done.code == 2
    assert "error:" not in done.out + done.err
    assert "trees-by-depth" in done.out + done.err
    assert "attributes." in " ".join((done.out + done.err).split())


@pytest.mark.parametrize(
    "command",
    [
        ["doctor"],
        ["evaluate", "tennis.tree.json", "demo:tennis", "--cv", "3"],
        ["stability", "tennis.tree.json", "-n", "10"],
        ["path", "tennis.tree.json"],
        ["reproduce", "hours_A"],
        ["data", "demo:tennis", "-t", "Play"],
    ],
    ids=lambda words: words[0],
)
def test_lines_fit_eighty_columns(here, model, monkeypatch, command):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("FORCE_COLOR", "1")
    done = here(*command)
    assert model
    plain = [re.sub("\x1b\\[[0-9;]*m", "", line) for line in done.out.splitlines()]
    assert max(map(len, plain)) <= 80
    assert all(line == line.rstrip() for line in plain)
