"""Exports put to work: each runner takes a case and gives predictions and probabilities of its rows.

Probabilities are lists in class order; None for a tree of numbers.
"""

from __future__ import annotations

import atexit
import ctypes
import datetime as dt
import functools
import json
import math
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.io.export.case import Case
from tests.io.export.time_cases import ticks_of_time

import hornbeam as hb
from hornbeam.data.formatting import category_text
from hornbeam.io.export.literals import plain_value
from hornbeam.io.export.sql_dialects import DIALECTS
from hornbeam.io.export.tree_program import program_of

Said = tuple[list[Any], list[list[float]] | None]


def expected(case: Case) -> Said:
    """What the tree itself says."""
    said = [plain_value(v) for v in case.tree.predict(case.frame).tolist()]
    return said, case.tree.predict_proba(case.frame).tolist() if case.tree.classes else None


def run_python(case: Case) -> Said:
    text = hb.export(case.tree, "python")
    assert text.isascii()
    assert "import" not in [line.split(" ")[0] for line in text.splitlines()]
    space: dict[str, Any] = {}
    exec(compile(text, "exported", "exec"), space)
    said = [space["predict"](row) for row in case.rows]
    if not case.tree.classes:
        return said, None
    return said, [list(space["predict_proba"](row).values()) for row in case.rows]


def run_javascript(case: Case) -> Said:
    text = hb.export(case.tree, "javascript")
    assert text.isascii()
    assert "</" not in text
    rows = json.dumps([{k: _for_json(v) for k, v in row.items()} for row in case.rows])
    proba = "rows.map((r) => [...tree.predictProba(r).values()])" if case.tree.classes else "null"
    script = f"{text}\nconst rows = JSON.parse({json.dumps(rows)});\n" + (
        f"JSON.stringify([rows.map((r) => tree.predict(r)), {proba}]);"
    )
    said, shares = json.loads(_evaluated(script))
    return said if case.tree.classes else [float(value) for value in said], shares


def _evaluated(script: str) -> str:
    """The value of a script's last line, in a fresh context of the one process of node."""
    process = _node()
    process.stdin.write(json.dumps(script) + "\n")
    process.stdin.flush()
    answer = json.loads(process.stdout.readline())
    assert "fault" not in answer, answer["fault"][-2000:]
    return str(answer["value"])


ONE_BY_ONE = """
const vm = require("node:vm");
require("node:readline").createInterface({input: process.stdin}).on("line", (line) => {
  let answer;
  try {
    answer = {value: vm.runInNewContext(JSON.parse(line), {module: {exports: {}}})};
  } catch (fault) {
    answer = {fault: String(fault.stack ?? fault)};
  }
  process.stdout.write(JSON.stringify(answer) + "\\n");
});
"""


@functools.cache
def _node() -> Any:
    """Node waiting for scripts: to start it takes longer than most of them."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    process = subprocess.Popen(
        [node, "-e", ONE_BY_ONE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    )
    atexit.register(process.communicate)  # node ends with its input
    return process


def _for_json(value: Any) -> Any:
    if isinstance(value, dt.datetime) and value.tzinfo is not None:
        return value.astimezone(dt.UTC).isoformat()  # SQLite compares text, so it needs one zone
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


def run_c(case: Case) -> Said:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler is installed")
    text = hb.export(case.tree, "c")
    assert text.isascii()
    assert "??" not in text
    columns = program_of(case.tree).columns
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder) / "exported.c", Path(folder) / "exported.so"
        source.write_text(text, encoding="ascii")
        flags = [
            "-std=c99",
            "-trigraphs",
            "-O1",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-pedantic",
            "-shared",
            "-fPIC",
        ]
        subprocess.run([compiler, *flags, "-o", str(library), str(source), "-lm"], check=True)
        loaded = ctypes.CDLL(str(library))
        return _asked_in_c(loaded, case, columns)


def _asked_in_c(loaded: Any, case: Case, columns: Any) -> Said:
    classes = case.tree.classes
    loaded.predict_code.restype = ctypes.c_double
    loaded.predict_code.argtypes = [ctypes.c_int, ctypes.c_char_p]
    loaded.predict.restype = ctypes.c_int if classes else ctypes.c_double
    said, shares = [], []
    for row in case.rows:
        given = []
        for place, column in enumerate(columns):
            value = row[column.name]
            if column.kind == "numeric":
                given.append(math.nan if value is None else ticks_of_time(value))
            else:
                text = None if value is None else category_text(value).encode()
                given.append(loaded.predict_code(place, text))
        x = (ctypes.c_double * max(len(given), 1))(*given)
        said.append(loaded.predict(x))
        if classes:
            out = (ctypes.c_double * len(classes))()
            loaded.predict_proba(x, out)
            shares.append(list(out))
    if not classes:
        return said, None
    names = (ctypes.c_char_p * len(classes)).in_dll(loaded, "predict_classes")
    assert [name.decode() for name in names] == [category_text(label) for label in classes]
    return [plain_value(classes[k]) for k in said], shares


def run_json(case: Case) -> Said:
    tree = hb.Tree.from_dict(json.loads(hb.export(case.tree, "json")))
    return expected(Case(tree, case.rows))


def run_standard(case: Case) -> Said:
    return run_sql(case, sqlite3.connect(":memory:"), "standard", {})


def run_standard_duckdb(case: Case) -> Said:
    return run_sql(case, _duckdb(), "standard")


def run_sqlite(case: Case, **types: str) -> Said:
    return run_sql(case, sqlite3.connect(":memory:"), "sqlite", types)


def run_duckdb(case: Case, **types: str) -> Said:
    return run_sql(case, _duckdb(), "duckdb", TYPES | types)


@functools.cache
def _duckdb() -> Any:
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    return duckdb.connect(config={"threads": 1})


TYPES = {
    name: name for name in ("DOUBLE", "INTEGER", "VARCHAR", "BOOLEAN", "TIMESTAMP", "TIMESTAMPTZ", "TIME")
}


def run_sql(
    case: Case,
    connection: Any,
    dialect: str,
    types: Mapping[str, str] = TYPES,
    mark: str = "?",
    key: str | None = None,
) -> Said:
    """The answers of a database to rows in a table whose columns have the types of the tree's."""
    named = DIALECTS[dialect].name
    names = [column.name for column in case.tree.columns]
    kinds = [types.get(sql_type(column), "") for column in case.tree.columns]
    declared = ", ".join(f"{named(n)} {t}" for n, t in zip(names, kinds, strict=True))
    table = 'the "table"; --'
    connection.execute(f"DROP TABLE IF EXISTS {named(table)}")
    connection.execute(f"CREATE TABLE {named(table)} (row_id INTEGER, {declared})")
    marks = ", ".join([mark.format("INTEGER"), *(mark.format(kind) for kind in kinds)])
    rows = [[k, *(_for_json(row[name]) for name in names)] for k, row in enumerate(case.rows)]
    cursor = connection.cursor()
    if rows:
        cursor.executemany(f"INSERT INTO {named(table)} VALUES ({marks})", rows)
    query = hb.export(case.tree, "sql", table=table, name="said", keep=["row_id"], dialect=dialect, key=key)
    return read_answers(case, connection.execute(query).fetchall())


def read_answers(case: Case, answer_rows: list[Any]) -> Said:
    """Rows of row_id, label and probabilities as answers."""
    assert [row[0] for row in answer_rows] == list(range(len(case.rows)))
    said = [row[1] for row in answer_rows]
    if not case.tree.classes:
        return said, None
    if all(isinstance(label, bool) for label in case.tree.classes):
        said = [bool(one) for one in said]
    return said, [list(row[2:]) for row in answer_rows]


def sql_type(column: Any) -> str:
    """The type of DuckDB for a column."""
    if column.kind == "numeric":
        types = {"time64": "TIME", "datetime64": "TIMESTAMPTZ" if "," in column.display else "TIMESTAMP"}
        return types.get(column.display.split("[")[0], "DOUBLE")
    kinds = {type(value) for value in column.categories}
    if all(issubclass(kind, dt.date) for kind in kinds):
        return "TIMESTAMP"
    return "BOOLEAN" if kinds == {bool} else "DOUBLE" if kinds <= {int, float} else "VARCHAR"


def run_pmml(case: Case) -> Said:
    from tests.io.export.pmml_twin import evaluate

    return evaluate(hb.export(case.tree, "pmml"), case)


def run_onnx(case: Case) -> Said:
    pytest.importorskip("onnx", reason="onnx is not installed")
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    session = runtime.InferenceSession(hb.export(case.tree, "onnx"), providers=["CPUExecutionProvider"])
    columns = program_of(case.tree).columns or case.tree.columns[:1]
    feed = {}
    for wanted, column in zip(session.get_inputs(), columns, strict=True):
        values = [row[column.name] for row in case.rows]
        if wanted.type == "tensor(string)":
            array = np.array(["" if v is None else str(v) for v in values], dtype=object)
        else:
            array = np.array([math.nan if v is None else ticks_of_time(v) for v in values])
        feed[wanted.name] = array.reshape(-1, 1)
    outputs = session.run(None, feed)
    return outputs[0].tolist(), outputs[1].tolist() if case.tree.classes else None


RUNNERS: Mapping[str, Mapping[str, Callable[[Case], Said]]] = {
    "sql": {
        "sqlite": run_sqlite,
        "duckdb": run_duckdb,
        "standard-sqlite": run_standard,
        "standard-duckdb": run_standard_duckdb,
    },
    "python": {"python": run_python},
    "c": {"cc": run_c},
    "javascript": {"node": run_javascript},
    "json": {"hornbeam": run_json},
    "onnx": {"onnxruntime": run_onnx},
    "pmml": {"twin": run_pmml},
}
