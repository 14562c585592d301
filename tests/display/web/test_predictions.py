"""The page's own predictions against the library's, on every kind of tree and on rows with gaps."""

from __future__ import annotations

import functools
import json
import subprocess
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.display.web.tools import HERE, WEB, encoded, node, predicted
from tests.io.export.cases import CASES
from tests.support.mixed_tables import outcome, random_columns, strange_rows

import hornbeam as hb
from hornbeam.data.table import Table
from hornbeam.display.report.column_facts import column_facts, observed_columns
from hornbeam.display.rows_at_nodes import rows_of_report
from hornbeam.display.scripts import node_answers
from hornbeam.parts import Linear, Oblique, Polynomial, Quantiles


def document(tree: hb.Tree) -> dict[str, Any]:
    """The part of a report that predicting reads."""
    found: dict[str, Any] = json.loads(json.dumps({"tree": tree.to_dict(), "answers": node_answers(tree)}))
    return found


@functools.cache
def made() -> dict[str, tuple[hb.Tree, Any]]:
    """Trees of every kind, with rows for them."""
    found: dict[str, tuple[hb.Tree, Any]] = {}
    for name, case in ((name, make()) for name, make in CASES.items()):
        found[name] = case.tree, case.frame
    for name, make in MODELS.items():
        rng = np.random.default_rng(3)
        X, model = random_columns(rng, 400), make()
        X = X[["age", "pay", "rooms"]] if name == "oblique" else X
        rows = strange_rows(rng, 2000)[list(X.columns)]
        found[name] = model.fit(X, _outcome(rng, X, model)).tree_, rows
    return found


@functools.cache
def answered() -> dict[str, list[dict[str, Any]]]:
    """What the page says about all of them; node starts once."""
    batches = [(document(tree), encoded(tree, rows)) for tree, rows in made().values()]
    return dict(zip(made(), predicted(batches), strict=True))


MODELS = {
    "lines in the leaves": lambda: hb.TreeRegressor("sd", leaf=Linear(), min_samples_leaf=25),
    "lines of all columns, gaps along all paths": lambda: hb.TreeRegressor(
        "sd", leaf=Linear(columns=None), min_samples_leaf=40, missing="all-paths"
    ),
    "curves in the leaves": lambda: hb.TreeRegressor("sd", leaf=Polynomial(degree=2), min_samples_leaf=40),
    "m5": hb.m5,
    "medians": lambda: hb.TreeRegressor("absolute", max_depth=4),
    "quantiles kept": lambda: hb.TreeRegressor(leaf=Quantiles(levels=[0.1, 0.9]), max_depth=4),
    "c45 with fractions": hb.c45,
    "rpart with surrogates": hb.rpart,
    "oblique": lambda: hb.TreeClassifier(split=Oblique(restarts=1), max_depth=3),
}


@pytest.mark.parametrize("name", [*CASES, *MODELS])
def test_the_page_predicts_as_the_tree(name: str) -> None:
    tree, table = made()[name]
    found, routing = answered()[name], tree.route(table)
    assert [len(one["leaves"]) for one in found] == np.diff(routing.start).tolist()
    leaves = [entry for one in found for entry in one["leaves"]]
    assert [entry["leaf"] for entry in leaves] == routing.leaf.tolist()
    np.testing.assert_allclose([entry["weight"] for entry in leaves], routing.weight, rtol=1e-12)
    if tree.classes is None:
        wanted = tree.predict(table)
        np.testing.assert_allclose([one["value"] for one in found], wanted, rtol=1e-11, atol=1e-12)
        return
    assert [tree.classes[one["label"]] for one in found] == list(tree.predict(table))
    np.testing.assert_allclose([one["shares"] for one in found], tree.predict_proba(table), atol=1e-12)


def _outcome(rng: np.random.Generator, X: pd.DataFrame, model: Any) -> Any:
    signal = X["age"].fillna(30).to_numpy(float) / 15 + rng.normal(0, 0.5, len(X))
    signal += 2 * X["city"].eq("Brno").to_numpy() if "city" in X else 0
    return signal if isinstance(model, hb.TreeRegressor) else np.digitize(signal, [2, 3, 4]).astype(str)


def test_a_tree_shown_smaller_predicts_as_the_pruned_one() -> None:
    rng = np.random.default_rng(5)
    X = random_columns(rng, 300)
    model = hb.TreeClassifier(missing="all-paths").fit(X, outcome(rng, X, 3))
    path = hb.pruning_path(model)
    step = len(path) // 2
    gone = np.flatnonzero(path.strength <= path.alpha[step]).tolist()
    rows = strange_rows(rng, 300)
    module = (WEB / "predict.js").as_uri()
    script = (
        f"const gone = new Set({gone}); const {{predict}} = await import('{module}');"
        "const {readFileSync} = await import('node:fs');"
        "const {document, rows} = JSON.parse(readFileSync(0, 'utf8'));"
        "const shares = (row) => predict(document, row.map((v) => v ?? NaN), (k) => gone.has(k)).shares;"
        "console.log(JSON.stringify(rows.map(shares)));"
    )
    given = json.dumps({"document": document(model.tree_), "rows": encoded(model.tree_, rows)})
    done = subprocess.run(
        [node(), "--input-type=module", "-e", script], input=given, capture_output=True, text=True, check=True
    )
    wanted = path.choose(alpha=path.alpha[step]).predict_proba(rows)
    np.testing.assert_allclose(json.loads(done.stdout), wanted, atol=1e-12)


def test_the_usual_values_of_a_form_are_read_back_as_the_numbers_they_stand_for() -> None:
    when = pd.date_range("2024-03-30 22:00", periods=5, freq="7h")
    X = pd.DataFrame(
        {
            "plain": when,
            "zoned": when.tz_localize("UTC").tz_convert("Europe/Prague"),
            "midnight": pd.date_range("2024-05-01", periods=5, tz="Asia/Kolkata"),
            "span": pd.to_timedelta([1, 26, 49, 80, 81], "h"),
            "negative": pd.to_timedelta([-9, -8, -7, -6, -5], "s"),
            "number": [1.5, 2.5, 3.25, 4.0, 8.0],
        }
    )
    tree = hb.TreeClassifier().fit(X, list("aabbb")).tree_
    columns = column_facts(tree, observed_columns(rows_of_report(tree, X, list("aabbb"), "Tree")))
    given = json.dumps([[column["usual"], column["display"]] for column in columns])
    script = (
        f"const {{read}} = await import('{(WEB / 'values.js').as_uri()}');"
        f"console.log(JSON.stringify({given}.map(([text, display]) => read(text, display))));"
    )
    done = subprocess.run(
        [node(), "--input-type=module", "-e", script], capture_output=True, text=True, check=True
    )
    wanted = [float(np.sort(array)[2]) for array in Table.match(X, tree.columns).arrays]
    assert json.loads(done.stdout) == wanted


def test_the_modules_of_the_viewer_do_what_they_say() -> None:
    done = subprocess.run(
        [node(), "--test", str(HERE / "js")], capture_output=True, text=True, check=False, cwd=HERE
    )
    assert done.returncode == 0, done.stdout[-4000:]
