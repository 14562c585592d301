"""Exports of forests say what the forest says, with gaps and values never seen."""

import ctypes
import json
import math
import shutil
import sqlite3
import subprocess
import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from tests.io.export import pmml_twin
from tests.io.export.case import records
from tests.io.export.runners import _evaluated
from tests.support.mixed_tables import outcome, random_columns, strange_rows

import hornbeam as hb
from hornbeam.data.formatting import category_text
from hornbeam.io.export.forest_formats import ForestProgram

RNG = np.random.default_rng(5)
X = random_columns(RNG, 200)
NEW = strange_rows(RNG, 40)
ROWS = records(NEW)
FORESTS = {
    "classes": lambda: hb.ForestClassifier(n_estimators=3, max_depth=3, random_state=0).fit(
        X, outcome(np.random.default_rng(7), X, 3)
    ),
    "numbers": lambda: hb.ForestRegressor(n_estimators=3, max_depth=3, random_state=0).fit(
        X, outcome(np.random.default_rng(8), X, 0)
    ),
}


@pytest.fixture(scope="module", params=FORESTS)
def forest(request):
    return FORESTS[request.param]()


def check(forest, said, shares):
    if not hasattr(forest, "classes_"):
        np.testing.assert_allclose(said, forest.predict(NEW), rtol=1e-12)
        return
    order = [list(forest.classes_).index(label) for label in forest.trees_[0].classes]
    np.testing.assert_allclose(shares, forest.predict_proba(NEW)[:, order], rtol=1e-9, atol=1e-12)
    assert list(said) == forest.predict(NEW).tolist()


def test_python(forest):
    space = {}
    text = hb.export(forest, "python")
    assert "import" not in [line.split(" ")[0] for line in text.splitlines()]
    exec(compile(text, "exported", "exec"), space)
    proba = [list(space["predict_proba"](row).values()) for row in ROWS] if "predict_proba" in space else None
    check(forest, [space["predict"](row) for row in ROWS], proba)


def test_javascript(forest):
    rows = json.dumps(
        [
            {k: v if v is None or isinstance(v, (str, bool, int, float)) else str(v) for k, v in r.items()}
            for r in ROWS
        ]
    )
    proba = "rows.map((r) => [...forest.predictProba(r).values()])" if hasattr(forest, "classes_") else "null"
    script = f"{hb.export(forest, 'javascript')}\nconst rows = JSON.parse({json.dumps(rows)});\n"
    check(
        forest,
        *json.loads(_evaluated(f"{script}JSON.stringify([rows.map((r) => forest.predict(r)), {proba}]);")),
    )


def test_c(forest, tmp_path):
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler is installed")
    (tmp_path / "forest.c").write_text(hb.export(forest, "c"), encoding="ascii")
    flags = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-pedantic", "-shared", "-fPIC"]
    subprocess.run([compiler, *flags, "-o", tmp_path / "forest.so", tmp_path / "forest.c", "-lm"], check=True)
    loaded = ctypes.CDLL(str(tmp_path / "forest.so"))
    classes = forest.trees_[0].classes
    loaded.predict_code.restype = ctypes.c_double
    loaded.predict_code.argtypes = [ctypes.c_int, ctypes.c_char_p]
    loaded.predict.restype = ctypes.c_int if classes else ctypes.c_double
    columns = [forest.trees_[0].columns[k] for k in ForestProgram.of(forest).used]
    said, shares = [], []
    for row in ROWS:
        given = []
        for place, column in enumerate(columns):
            value = row[column.name]
            if column.kind == "numeric":
                given.append(math.nan if value is None else float(value))
            else:
                given.append(
                    loaded.predict_code(place, None if value is None else category_text(value).encode())
                )
        x = (ctypes.c_double * len(given))(*given)
        said.append(loaded.predict(x))
        if classes:
            out = (ctypes.c_double * len(classes))()
            loaded.predict_proba(x, out)
            shares.append(list(out))
    check(forest, [classes[k] for k in said] if classes else said, shares)


def test_sql(forest):
    base = sqlite3.connect(":memory:")
    frame = pd.DataFrame(ROWS).assign(id=range(len(ROWS)))
    frame["owner"] = frame["owner"].astype(object)
    frame.to_sql("new", base, index=False)
    answers = base.execute(hb.export(forest, "sql", table="new", key="id", dialect="sqlite")).fetchall()
    assert [row[0] for row in answers] == list(range(len(ROWS)))
    check(forest, [row[1] for row in answers], [row[2:] for row in answers])
    with pytest.raises(ValueError, match="a query of a forest needs key="):
        hb.export(forest, "sql")


def test_onnx(forest):
    pytest.importorskip("onnx", reason="onnx is not installed")
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    session = runtime.InferenceSession(hb.export(forest, "onnx"), providers=["CPUExecutionProvider"])
    feed = {}
    for wanted in session.get_inputs():
        values = [row[wanted.name] for row in ROWS]
        text = wanted.type == "tensor(string)"
        cells = [
            ("" if v is None else str(v)) if text else (math.nan if v is None else float(v)) for v in values
        ]
        feed[wanted.name] = np.array(cells, dtype=object if text else float).reshape(-1, 1)
    outputs = session.run(None, feed)
    check(forest, outputs[0].tolist(), outputs[1] if hasattr(forest, "classes_") else None)


def test_pmml(forest):
    root = ET.fromstring(hb.export(forest, "pmml"))
    space = pmml_twin.SPACE
    model = root.find(f"{space}MiningModel")
    segmentation = model.find(f"{space}Segmentation")
    assert segmentation.get("multipleModelMethod") == "average"
    assert {f.get("name") for f in model.find(f"{space}MiningSchema")} <= {
        f.get("name") for f in root.find(f"{space}DataDictionary")
    }

    class Case:
        tree, rows = forest.trees_[0], ROWS

    each = []
    for segment in segmentation:
        assert segment[0].tag == f"{space}True"
        alone = ET.Element("PMML")
        alone.append(root.find(f"{space}DataDictionary"))
        alone.append(segment[1])
        each.append(pmml_twin.evaluate(ET.tostring(alone, encoding="unicode"), Case))
    if not hasattr(forest, "classes_"):
        check(forest, np.mean([said for said, _ in each], axis=0), None)
        return
    shares = np.mean([one for _, one in each], axis=0)
    best = shares >= shares.max(axis=1, keepdims=True) * (1 - 1e-12)
    check(forest, [forest.trees_[0].classes[k] for k in best.argmax(axis=1)], shares)


def test_what_shows_one_tree_is_refused_and_costs_are_too(forest):
    with pytest.raises(ValueError, match=r"format='dot' shows one tree, .* such as model.trees_\[0\]"):
        hb.export(forest, "dot")
    with pytest.raises(ValueError, match="format='xlsx' is not known"):
        hb.export(forest, "xlsx")
    dear = hb.ForestClassifier(n_estimators=2, costs={0: {1: 3.0}}, random_state=0).fit(
        [[0], [1], [2]], [0, 1, 1]
    )
    with pytest.raises(ValueError, match="this forest has costs"):
        hb.export(dear, "python")
    votes = hb.ForestClassifier(n_estimators=2, combine="vote", random_state=0).fit(
        [[0], [1], [2]], [0, 1, 1]
    )
    with pytest.raises(ValueError, match="this forest counts votes"):
        hb.export(votes, "python")


@pytest.mark.parametrize("seed", [0, *(pytest.param(k, marks=pytest.mark.slow) for k in (1, 2))])
def test_pmml_of_default_trees_whose_nodes_lack_values(seed):
    for k in (3, 0):
        estimator = hb.ForestClassifier if k else hb.ForestRegressor
        y = outcome(np.random.default_rng(seed), X, k)
        for tree in estimator(n_estimators=4, max_depth=4, random_state=seed).fit(X, y).trees_:

            class Case:
                rows = ROWS

            Case.tree = tree
            said, shares = pmml_twin.evaluate(hb.export(tree, "pmml"), Case)
            wanted = tree.predict_proba(NEW) if k else tree.predict(NEW)
            np.testing.assert_allclose(shares if k else said, wanted, rtol=1e-9, atol=1e-12)
