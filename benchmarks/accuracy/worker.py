"""One learner on one table, in a process of its own: a line of JSON for each fold.

python -m benchmarks.accuracy.worker DIR TABLE LEARNER FOLDS FACTS      FACTS as tables.py finds them, in JSON
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import KFold, StratifiedKFold

from benchmarks.accuracy.answers import Answer
from benchmarks.accuracy.learners import LEARNERS
from benchmarks.accuracy_regression import read as read_numbers
from benchmarks.arff import read as read_classes

LEAST = 1e-15


def table_of(folder: Path, name: str, facts: dict[str, Any]) -> tuple[pd.DataFrame, np.ndarray]:
    if facts["task"] == "classification":
        found = read_classes(folder / name, facts["target"], facts["drop"], facts["header"])
        return found.X, found.y
    X, y = read_numbers(folder, name, facts)
    known = y.notna()
    return X[known].reset_index(drop=True), y[known].to_numpy()


def folds_of(X: pd.DataFrame, y: np.ndarray, task: str, n: int) -> list[tuple[np.ndarray, np.ndarray]]:
    kind = StratifiedKFold if task == "classification" else KFold
    return list(kind(n, shuffle=True, random_state=0).split(X, y))


def judged(answer: Answer, y: np.ndarray, before: np.ndarray, task: str) -> dict[str, float]:
    if task == "regression":
        base = np.mean((y - before.mean()) ** 2)
        return {"error": float(np.sqrt(np.mean((y - answer.said.astype(float)) ** 2) / base))}
    found = {"accuracy": float(np.mean(answer.said.astype(str) == y.astype(str)))}
    assert answer.shares is not None
    assert answer.classes is not None
    place = {str(label): k for k, label in enumerate(answer.classes)}
    code = np.array([place.get(str(label), -1) for label in y])
    given = np.where(code < 0, 0.0, answer.shares[np.arange(len(y)), code])
    found["log loss"] = float(-np.log(np.clip(given, LEAST, 1)).mean())
    squares = (answer.shares**2).sum(axis=1) - 2 * given + 1
    found["brier"] = float(squares.mean())
    here = [k for k in range(len(answer.classes)) if 0 < (code == k).sum() < len(y)]
    if here:
        weights = [(code == k).sum() for k in here]
        areas = [roc_auc_score(code == k, answer.shares[:, k]) for k in here]
        found["auc"] = float(np.average(areas, weights=weights))
    return found


def main(argv: list[str]) -> int:
    folder, name, learner, n = Path(argv[0]), argv[1], argv[2], int(argv[3])
    warnings.simplefilter("ignore")
    facts = json.loads(argv[4])
    X, y = table_of(folder, name, facts)
    learn = LEARNERS[learner][0]
    for train, test in folds_of(X, y, facts["task"], n):
        start = time.perf_counter()
        answer = learn(X.iloc[train].reset_index(drop=True), y[train], X.iloc[test], facts["task"])
        spent = time.perf_counter() - start
        line = judged(answer, y[test], y[train], facts["task"])
        size = {} if answer.size is None else {"size": answer.size}
        print(json.dumps(line | size | {"leaves": answer.leaves, "seconds": spent}), flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
