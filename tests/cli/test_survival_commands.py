"""Survival times on the command line: --target is the time, --event says whether the event came."""

import csv
import io
import json
from pathlib import Path

import pytest

import hornbeam as hb

TABLE = str(Path(__file__).parents[1] / "golden" / "survival" / "gbsg2.csv")
OPTIONS = ("--target", "time", "--event", "cens")


def test_a_survival_tree_is_fitted_measured_and_used(here):
    fitted = here("fit", TABLE, *OPTIONS, "--max-depth", "2", "--holdout", "0.3", "-o", "m.tree.json")
    assert fitted.code == 0, fitted.err
    assert "risk" in fitted.out
    assert "concordance" in fitted.out
    model = hb.load(here.folder / "m.tree.json")
    assert isinstance(model, hb.TreeSurvival)
    assert model.tree_.task == "survival"
    facts = json.loads(here("evaluate", "m.tree.json", "--format", "json").out)
    assert facts["task"] == "survival"
    assert 0.5 < facts["concordance"]["value"] < 1
    assert here("evaluate", "m.tree.json", "--fail-under", "concordance=0.95").code == 3
    folds = here("evaluate", "m.tree.json", "--cv", "3")
    assert folds.code == 0, folds.err
    rows = list(csv.DictReader(io.StringIO(here("predict", "m.tree.json", TABLE).out)))
    X = hb.read_table(TABLE).data
    assert [float(row["prediction"]) for row in rows] == model.predict(X).tolist()
    for command in ("show", "path", "explain"):
        arguments = ["--row", "1"] if command == "explain" else []
        done = here(command, "m.tree.json", *([TABLE] if command == "explain" else []), *arguments)
        assert done.code == 0, (command, done.err)


def test_recipes_and_parts_learn_survival(here):
    for options in (["--recipe", "ctree"], ["--recipe", "rpart"], ["--criterion", "exponential"]):
        done = here("fit", TABLE, *OPTIONS, *options, "--max-depth", "2", "-o", "m.tree.json")
        assert done.code == 0, done.err
        assert hb.load(here.folder / "m.tree.json").tree_.n_leaves > 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--target", "time", "--task", "survival"], "--event COL"),
        ([*OPTIONS, "--task", "regress"], "another --task"),
        (["--target", "time", "--event", "dead"], "column 'dead' not found"),
        ([*OPTIONS, "--recipe", "c45"], "use --recipe rpart or ctree"),
    ],
)
def test_what_does_not_go_together_is_said(here, arguments, words):
    done = here("fit", TABLE, *arguments)
    assert done.code != 0
    assert words in done.err
