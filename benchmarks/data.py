"""Seeded data for the benchmarks, cached as .npy files.

The one idea: a `DataSpec` is the whole recipe, so equal specs give equal arrays and the name of a cached file
is the spec itself. Everything is one ready row-major array, because that is where the timing starts.

    python -m benchmarks.data --rows 1000000 --task regression
"""

from __future__ import annotations

import argparse
import os
import tempfile
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

TASKS = ("classes", "regression")
KINDS = {
    "plain": "clusters of normal columns (classes), a smooth function of uniform columns (regression)",
    "noise": "labels that have nothing to do with the columns",
    "integer": "the plain columns rounded to whole numbers, from a few to a few thousand distinct values",
    "heavy": "the plain columns stretched to Cauchy tails",
    "weak": "normal columns, half of which together explain a tenth of the variance behind the target",
    "nominal": "half the columns nominal with 2 to 1,000 values, 5 % of the cells missing",
    "levels": "all columns nominal, of --levels values each",
}
DTYPES = ("float32", "float64")
CARDINALITIES = (2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)


@dataclass(frozen=True)
class DataSpec:
    """What to make: equal specs make equal data."""

    rows: int = 1_000_000
    cols: int = 20
    task: str = "classes"
    classes: int = 2
    kind: str = "plain"
    dtype: str = "float32"
    seed: int = 0
    levels: int = 0

    @property
    def name(self) -> str:
        task = f"{self.classes}classes" if self.task == "classes" else "regression"
        kind = f"{self.levels}{self.kind}" if self.levels else self.kind
        return f"{kind}-{task}-{self.rows}x{self.cols}-{self.dtype}-seed{self.seed}"

    @property
    def title(self) -> str:
        task = f"{self.classes} classes" if self.task == "classes" else "regression"
        words = {"nominal": "half the columns nominal, with gaps", "weak": "a weak signal"}
        kind = words.get(self.kind, f"{self.kind} data")
        return f"{self.rows:,} x {self.cols} {self.dtype}, {task}, {kind}"


@dataclass(frozen=True)
class Data:
    """A ready row-major `X`, its target and which columns hold category codes."""

    X: Array
    y: Array
    nominal: tuple[int, ...]


def add_data_options(parser: argparse.ArgumentParser) -> None:
    """The options that describe a `DataSpec`, and where to keep the arrays."""
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--cols", type=int, default=20)
    parser.add_argument("--task", choices=TASKS, default="classes")
    parser.add_argument("--classes", type=int, default=2)
    parser.add_argument("--data-kind", dest="kind", choices=tuple(KINDS), default="plain")
    parser.add_argument("--dtype", choices=DTYPES, default="float32")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--levels", type=int, default=0, help="values of each column of the kind levels")
    parser.add_argument("--cache", type=Path, default=default_cache(), help="folder for the .npy files")


def spec_of(args: argparse.Namespace) -> DataSpec:
    """The `DataSpec` that parsed options describe."""
    return DataSpec(**{field.name: getattr(args, field.name) for field in fields(DataSpec)})


def default_cache() -> Path:
    return Path(tempfile.gettempdir()) / "hornbeam-benchmarks"


def paths(spec: DataSpec, cache: Path) -> tuple[Path, Path]:
    """Where the arrays of `spec` lie."""
    return cache / f"{spec.name}-X.npy", cache / f"{spec.name}-y.npy"


def ensure(spec: DataSpec, cache: Path) -> None:
    """Make the arrays of `spec` unless they are in `cache`."""
    x_path, y_path = paths(spec, cache)
    if not (x_path.exists() and y_path.exists()):
        cache.mkdir(parents=True, exist_ok=True)
        X, y = make(spec)
        _save(x_path, X)
        _save(y_path, y)


def load(spec: DataSpec, cache: Path, rows: int | None = None) -> Data:
    """The arrays of `spec`, made once and then read from `cache`; or only their first rows."""
    ensure(spec, cache)
    found = [np.array(np.load(path, mmap_mode="r")[:rows]) for path in paths(spec, cache)]
    return Data(found[0], found[1], nominal_columns(spec))


def nominal_columns(spec: DataSpec) -> tuple[int, ...]:
    """The second half of the columns for the kind "nominal", all for "levels", none otherwise."""
    if spec.kind == "levels":
        return tuple(range(spec.cols))
    return tuple(range(spec.cols // 2, spec.cols)) if spec.kind == "nominal" else ()


def make(spec: DataSpec) -> tuple[Array, Array]:
    """The arrays of `spec`, computed."""
    rng = np.random.default_rng(spec.seed)
    if spec.kind == "nominal":
        X, y = _nominal(spec, rng)
    elif spec.kind == "levels":
        X, y = _levels(spec, rng)
    elif spec.kind == "weak":
        X = rng.standard_normal((spec.rows, spec.cols))
        shared = X[:, : spec.cols // 2].sum(axis=1) / np.sqrt(spec.cols // 2)
        y = _target(spec, shared / 3 + rng.standard_normal(spec.rows))
    elif spec.kind == "noise":
        X = rng.standard_normal((spec.rows, spec.cols))
        y = _target(spec, rng.standard_normal(spec.rows))
    elif spec.task == "regression":
        X, y = _regression(spec, rng)
    else:
        X, y = _classification(spec)
    if spec.kind == "integer":
        X = _whole_numbers(X)
    elif spec.kind == "heavy":
        X = _heavy_tails(X)
    return np.ascontiguousarray(X, dtype=spec.dtype), y


def _save(path: Path, array: Array) -> None:
    """Write whole or not at all: a second process may be reading."""
    partial = path.with_suffix(f".{os.getpid()}.part")
    with partial.open("wb") as file:
        np.save(file, array)
    partial.replace(path)


def _classification(spec: DataSpec) -> tuple[Array, Array]:
    """scikit-learn's clusters; with 20 columns 10 are informative, 4 redundant and 6 noise."""
    from sklearn.datasets import make_classification

    X, y = make_classification(
        spec.rows,
        spec.cols,
        n_informative=spec.cols // 2,
        n_redundant=spec.cols // 5,
        n_classes=spec.classes,
        n_clusters_per_class=4,
        class_sep=0.8,
        flip_y=0.1,
        random_state=spec.seed,
    )
    return X, y


def _regression(spec: DataSpec, rng: np.random.Generator) -> tuple[Array, Array]:
    """Friedman's first function of five columns, an interaction of two more, unit noise."""
    X = rng.random((spec.rows, spec.cols))
    y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
    y += 8 * X[:, -1] * (X[:, -2] > 0.5)
    return X, y + rng.standard_normal(spec.rows)


def _nominal(spec: DataSpec, rng: np.random.Generator) -> tuple[Array, Array]:
    """Numeric columns first, then codes 0, 1, ... of categories that each shift the target."""
    X = rng.standard_normal((spec.rows, spec.cols))
    nominal = nominal_columns(spec)
    score = X[:, 0] + 0.7 * X[:, 1] * X[:, 2] + rng.standard_normal(spec.rows)
    for j in nominal:
        cardinality = CARDINALITIES[(j - nominal[0]) % len(CARDINALITIES)]
        codes = rng.integers(cardinality, size=spec.rows)
        score += 0.5 * rng.standard_normal(cardinality)[codes]
        X[:, j] = codes
    X[rng.random(X.shape) < 0.05] = np.nan
    return X, _target(spec, score)


def _levels(spec: DataSpec, rng: np.random.Generator) -> tuple[Array, Array]:
    """Codes of categories, each of which shifts the target."""
    X = rng.integers(spec.levels, size=(spec.rows, spec.cols))
    score = rng.standard_normal(spec.rows)
    for j in range(spec.cols):
        score += 0.5 * rng.standard_normal(spec.levels)[X[:, j]]
    return X, _target(spec, score)


def _target(spec: DataSpec, score: Array) -> Array:
    """The score itself for regression, equally large classes of it otherwise."""
    if spec.task == "regression":
        return score
    edges = np.quantile(score, np.arange(1, spec.classes) / spec.classes)
    return np.searchsorted(edges, score).astype(np.int64)


def _standardised(X: Array) -> Array:
    return np.asarray((X - X.mean(axis=0)) / X.std(axis=0))


def _whole_numbers(X: Array) -> Array:
    """Coarse to fine: the first column keeps about 7 distinct values, the last thousands."""
    return np.rint(_standardised(X) * np.geomspace(1, 1000, X.shape[1]))


def _heavy_tails(X: Array) -> Array:
    """The Cauchy quantile of the normal share: monotone, so what can be learned stays the same."""
    from scipy.special import ndtr

    share = np.clip(ndtr(_standardised(X)), 1e-9, 1 - 1e-9)
    return np.asarray(np.tan(np.pi * (share - 0.5)))


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.data", description="Make and cache one table."
    )
    add_data_options(parser)
    args = parser.parse_args(argv)
    spec = spec_of(args)
    data = load(spec, args.cache)
    print(f"{spec.title}: {data.X.nbytes / 1e6:.0f} MB, {len(data.nominal)} nominal columns")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
