"""PMML put to work by JPMML, an engine of others that runs on Java.

`pip install hornbeam[pmml-test]` brings it, and it needs `java` on the path; without them tests skip.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.io.export.pmml_twin import _text as text_of
from tests.io.export.time_cases import ticks_of_time

import hornbeam as hb
from hornbeam.io.export.literals import plain_value


@cache
def _backend() -> Any:
    engine = pytest.importorskip("jpmml_evaluator", reason="jpmml_evaluator is not installed")
    if shutil.which("java") is None:
        pytest.skip("java is not installed")
    from jpmml_evaluator.py4j import Py4JBackend

    Py4JBackend.createGateway()
    atexit.register(Py4JBackend.destroyGateway)
    return engine, Py4JBackend()


def evaluate(case: Any) -> tuple[list[Any], Any, Any]:
    """Predictions and probabilities of the rows of a case, and which rows the engine refused."""
    engine, backend = _backend()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tree.pmml"
        path.write_text(hb.export(case.tree, "pmml"), encoding="utf-8")
        evaluator = engine.make_evaluator(str(path), backend=backend).verify()
    fields = {field.getName(): field.getDataType() for field in evaluator.getInputFields()}
    rows = [{name: _given(row[name], kind) for name, kind in fields.items()} for row in case.rows]
    rows = [{**row, "no column": 0.0} for row in rows]  # a frame without columns has no rows
    answers = evaluator.evaluateAll(pd.DataFrame(rows, dtype=object))
    errors = answers["errors"].isna().to_numpy() if "errors" in answers else np.ones(len(rows), dtype=bool)
    target = evaluator.getTargetFields()[0].getName()
    if not case.tree.classes:
        return list(answers[target]), None, ~errors
    labels = {text_of(label): plain_value(label) for label in case.tree.classes}
    names = [field.getName() for field in evaluator.getOutputFields()]
    said = [
        labels.get(text_of(value)) if known else None
        for value, known in zip(answers[target], errors, strict=True)
    ]
    return said, answers[names].to_numpy(float), ~errors


def _given(value: Any, kind: str) -> Any:
    """A value in the type the document names."""
    if value is None:
        return None
    return ticks_of_time(value) if kind == "double" else text_of(value)
