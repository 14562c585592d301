"""Trees of several targets in other languages, put to work on rows with gaps and values never seen."""

import ctypes
import json
import shutil
import sqlite3
import subprocess

import numpy as np
import pytest
from tests.io.export.runners import _evaluated

import hornbeam as hb


def drawn(missing):
    """Models of numbers, of classes and of both, and rows to ask them."""
    rng = np.random.default_rng(0)
    n = 200
    a, c = np.round(rng.normal(size=n), 2), [f"v{k}" for k in rng.integers(0, 4, n)]
    numbers = np.column_stack([a + rng.normal(size=n), rng.normal(size=n) * 3])
    classes = np.column_stack([np.digitize(numbers[:, 0], [-1, 1]), numbers[:, 1] > 0]).astype(int)
    a[rng.random(n) < 0.1] = np.nan
    X = {"a": a, "c": c}
    options = {"max_depth": 4, "missing": missing}
    mixed = {"price": numbers[:, 0], "kind 'x'": [f"k{k}" for k in classes[:, 0]]}
    models = [
        hb.TreeRegressor(**options).fit(X, numbers),
        hb.TreeClassifier(**options).fit(X, classes),
        hb.TreeOutputs(**options).fit(X, mixed),
    ]
    rows = [{"a": None if np.isnan(x) else float(x), "c": y} for x, y in zip(a[:40], c[:40], strict=True)]
    return models, [*rows, {"a": None, "c": None}, {"a": 1.0, "c": "never seen"}]


def table_of(rows):
    return {name: [row[name] for row in rows] for name in ("a", "c")}


def same(said, wanted):
    for answers, expected in zip(said, wanted.tolist(), strict=True):
        for one, other in zip(answers, expected, strict=True):
            assert one == (pytest.approx(other, abs=1e-12) if isinstance(other, float) else other)


MISSING = pytest.mark.parametrize("missing", ["learn", "all-paths"])


@MISSING
def test_python(missing):
    models, rows = drawn(missing)
    for model in models:
        space = {}
        exec(hb.export(model, "python"), space)
        same([space["predict"](row).values() for row in rows], model.tree_.predict(table_of(rows)))
        assert list(space["predict"](rows[0])) == [output.name for output in model.tree_.outputs]
    shares = models[1].tree_.predict_proba(table_of(rows))
    space = {}
    exec(hb.export(models[1], "python"), space)
    for k, row in enumerate(rows):
        said = list(space["predict_proba"](row).values())
        assert list(said[0].values()) == pytest.approx(shares[0][k])
        assert list(said[1].values()) == pytest.approx(shares[1][k])


@MISSING
def test_javascript(missing):
    models, rows = drawn(missing)
    for model in models:
        text = hb.export(model, "javascript")
        asked = (
            f"JSON.stringify({json.dumps(rows)}.map((row) => tree.targets.map((t) => tree.predict(row)[t])));"
        )
        said = json.loads(_evaluated(f"{text}\n{asked}"))
        same(said, model.tree_.predict(table_of(rows)))


@MISSING
def test_c(missing, tmp_path):
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler is installed")
    models, rows = drawn(missing)
    for number, model in enumerate(models):
        source, library = tmp_path / f"tree{number}.c", tmp_path / f"tree{number}.so"
        source.write_text(hb.export(model, "c"), encoding="ascii")
        flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-shared", "-fPIC"]
        subprocess.run([compiler, *flags, "-o", str(library), str(source), "-lm"], check=True)
        loaded = ctypes.CDLL(str(library))
        loaded.predict_code.restype = ctypes.c_double
        loaded.predict_code.argtypes = [ctypes.c_int, ctypes.c_char_p]
        said = []
        for row in rows:
            code = np.nan if row["c"] is None else loaded.predict_code(1, row["c"].encode())
            given = (ctypes.c_double * 2)(np.nan if row["a"] is None else row["a"], code)
            out = (ctypes.c_double * 2)()
            loaded.predict(given, out)
            said.append([
                value if output.classes is None else output.classes[int(value)]
                for value, output in zip(out, model.tree_.outputs, strict=True)
            ])  # fmt: skip
        same(said, model.tree_.predict(table_of(rows)))


@MISSING
def test_sql(missing):
    models, rows = drawn(missing)
    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE data (id INTEGER, a REAL, c TEXT)")
    base.executemany("INSERT INTO data VALUES (?, ?, ?)", [(k, r["a"], r["c"]) for k, r in enumerate(rows)])
    for model in models:
        asked = base.execute(hb.export(model, "sql", key="id", dialect="sqlite"))
        names = [column[0] for column in asked.description]
        places = [names.index(f"prediction_{output.name}") for output in model.tree_.outputs]
        same([[row[p] for p in places] for row in asked.fetchall()], model.tree_.predict(table_of(rows)))
    with pytest.raises(ValueError, match="needs key="):
        hb.export(models[0], "sql")


@MISSING
def test_onnx(missing):
    runtime = pytest.importorskip("onnxruntime")
    models, rows = drawn(missing)
    given = {
        "a": np.array([[np.nan if row["a"] is None else row["a"]] for row in rows]),
        "c": np.array([[row["c"] or ""] for row in rows], dtype=object),
    }
    for model in models:
        session = runtime.InferenceSession(hb.export(model, "onnx"))
        names = [one.name for one in session.get_outputs()]
        said = dict(zip(names, session.run(None, given), strict=True))
        columns = [
            said[f"{'value' if output.classes is None else 'label'}_{output.name}"].ravel().tolist()
            for output in model.tree_.outputs
        ]
        same(zip(*columns, strict=True), model.tree_.predict(table_of(rows)))


def test_json_is_the_whole_tree_and_pictures_are_of_one_target():
    model = drawn("learn")[0][2]
    assert hb.Tree.from_dict(json.loads(hb.export(model, "json"))) == model.tree_
    for format_ in ("dot", "markdown", "svg", "excel", "pmml"):
        with pytest.raises(
            ValueError, match=r"shows one target: export the tree of one, such as tree\.output\('price'\)"
        ):
            hb.export(model, format_)
    assert "digraph" in hb.export(model.tree_.output("price"), "dot")
