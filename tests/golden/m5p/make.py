"""Ask Weka's M5P about the tables and keep what it answers.

python -m tests.golden.m5p.make weka.jar
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype
from tests.golden.m5p.tables import TABLES

VARIANTS = {"smoothed": [], "unsmoothed": ["-U"]}


def write_arff(path: Path, X: pd.DataFrame, y: np.ndarray) -> None:
    lines, texts = ["@relation t"], []
    for k, column in enumerate(X.columns):
        if not is_numeric_dtype(X[column]):
            values = sorted(X[column].dropna().astype(str).unique())
            lines.append(f"@attribute a{k} {{{','.join(map(quoted, values))}}}")
            texts.append([quoted(v) if isinstance(v, str) else "?" for v in X[column]])
        else:
            lines.append(f"@attribute a{k} numeric")
            texts.append([repr(float(v)) if v == v else "?" for v in X[column]])
    lines += ["@attribute y numeric", "@data"]
    lines += [",".join(cells) for cells in zip(*texts, [repr(float(v)) for v in y], strict=True)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def quoted(value: str) -> str:
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


def ask(jar: str, name: str, options: list[str]) -> dict[str, object]:
    X, y = TABLES[name]()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.arff"
        write_arff(path, X, y)
        command = ["java", "-cp", jar, "weka.classifiers.trees.M5P", "-t", str(path)]
        model = run([*command, "-no-cv", *options])
        told = run([*command, "-T", str(path), "-p", "0", *options])
    answers = re.findall(r"^\s*\d+\s+\S+\s+(\S+)\s+\S+\s*$", told, flags=re.MULTILINE)
    rules = re.search(r"Number of Rules : (\d+)", model)
    error = re.search(r"Root mean squared error\s+(\S+)", model)
    assert rules
    assert error
    return {
        "rules": int(rules[1]),
        "rmse": float(error[1]),
        "predictions": [float(text) for text in answers],
        "text": model.split("Number of Rules")[0].strip().splitlines(),
    }


def run(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def main(jar: str) -> None:
    for name in TABLES:
        found = {variant: ask(jar, name, options) for variant, options in VARIANTS.items()}
        path = Path(__file__).parent / f"{name}.json"
        path.write_text(json.dumps({"weka": "3.6.14"} | found, indent=1) + "\n", encoding="utf-8")
        print(name, {variant: (one["rules"], one["rmse"]) for variant, one in found.items()})


if __name__ == "__main__":
    main(sys.argv[1])
