"""What each way of pruning takes: every method on trees with every feature, as a table.

    python -m tests.support.pruning_features docs/algorithms/pruning.md

writes the table into the page; a test compares them. A method takes a feature if it prunes such a tree both
in the slot of an estimator and afterwards; otherwise it refuses it with a sentence, which stands below.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone

import hornbeam as hb
from hornbeam.parts import (
    Constant,
    CostComplexity,
    ErrorBased,
    Linear,
    Polynomial,
    Quantiles,
    SmallestForErrors,
)
from hornbeam.pruning import PRUNING

BEGIN, END = "<!-- made by tests/support/pruning_features.py -->", "<!-- end of the table -->"


@dataclass
class Case:
    """An estimator, and rows to grow and to prune on, with what `fit` takes beside them."""

    model: Any
    grown: tuple[Any, Any]
    held: tuple[Any, Any]
    more: tuple[Mapping[str, Any], Mapping[str, Any]] = field(default=({}, {}))

    @cached_property
    def fitted(self) -> Any:
        """The estimator fitted, unpruned."""
        return clone(self.model).fit(*self.grown, **self.more[0])


def rows(task: str, gaps: bool = False, seed: int = 0, n: int = 120) -> tuple[dict[str, Any], list[Any]]:
    """Two columns of numbers and one of words, with something to learn and some noise."""
    rng = np.random.default_rng(seed)
    x, z = rng.integers(0, 30, n).astype(float), rng.normal(size=n).round(2)
    city = rng.choice(["Aš", "Brno", "Cheb"], n)
    signal = (x > 12) * 1.0 + (city == "Brno") * 1.0 + 0.5 * z
    if task == "classes":
        y = np.array(["no", "some", "yes"])[
            np.clip(np.round(signal + rng.normal(0, 0.5, n)), 0, 2).astype(int)
        ]
    else:
        y = np.round(10 + 3 * signal + 0.2 * x + rng.normal(0, 1, n), 1)
    columns: dict[str, Any] = {"x": x, "z": z, "city": city.astype(object)}
    if gaps:
        for values in columns.values():
            values[rng.random(n) < 0.1] = None if values.dtype == object else np.nan
    return {name: values.tolist() for name, values in columns.items()}, y.tolist()


def case(model: Any, *, gaps: bool = False, **more: Callable[[np.random.Generator, int], Any]) -> Case:
    """A case of the task of the model; `more` draws what else `fit` takes."""
    task = "classes" if isinstance(model, hb.TreeClassifier) else "real"
    grown, held = rows(task, gaps, 0), rows(task, gaps, 1, 80)
    drawn = [
        {name: draw(np.random.default_rng(2), len(part[1])) for name, draw in more.items()}
        for part in (grown, held)
    ]
    return Case(model, grown, held, (drawn[0], drawn[1]))


def _weights(rng: np.random.Generator, n: int) -> Any:
    return rng.uniform(0.2, 3.0, n)


def _counts(rng: np.random.Generator, n: int) -> Any:
    return rng.integers(0, 4, n)


def _costs_of_rows(rng: np.random.Generator, n: int) -> Any:
    return rng.uniform(0.0, 5.0, (n, 3)).round(1)


COSTS = np.array([[0, 1, 4], [2, 0, 1], [9, 3, 0]])
small = {"min_samples_leaf": 5}

CLASSES: Mapping[str, Callable[[], Case]] = {
    "plain": lambda: case(hb.TreeClassifier(**small)),
    "sample weights": lambda: case(hb.TreeClassifier(**small), sample_weight=_weights),
    "counts": lambda: case(hb.TreeClassifier(**small), counts=_counts),
    "class weights": lambda: case(hb.TreeClassifier(class_weight={"yes": 3.0}, **small)),
    "multiway nodes": lambda: case(hb.TreeClassifier(split="multiway", **small)),
    "gaps learned": lambda: case(hb.TreeClassifier(**small), gaps=True),
    "fractional cases": lambda: case(hb.TreeClassifier(missing="fractional", **small), gaps=True),
    "all paths": lambda: case(hb.TreeClassifier(missing="all-paths", **small), gaps=True),
    "stand-ins": lambda: case(hb.TreeClassifier(missing="surrogates", **small), gaps=True),
    "priors": lambda: case(hb.TreeClassifier(priors="equal", **small)),
    "a cost matrix": lambda: case(hb.TreeClassifier(costs=COSTS, **small)),
    "priors and costs": lambda: case(hb.TreeClassifier(priors=[0.5, 0.3, 0.2], costs=COSTS, **small)),
    "costs of rows": lambda: case(hb.TreeClassifier(**small), row_costs=_costs_of_rows),
    "smoothed shares": lambda: case(hb.TreeClassifier(leaf=Constant("laplace"), **small)),
    "oblique tests": lambda: case(hb.TreeClassifier(split="oblique", max_leaf_nodes=4)),
}
REAL: Mapping[str, Callable[[], Case]] = {
    "plain": lambda: case(hb.TreeRegressor(**small)),
    "sample weights": lambda: case(hb.TreeRegressor(**small), sample_weight=_weights),
    "counts": lambda: case(hb.TreeRegressor(**small), counts=_counts),
    "multiway nodes": lambda: case(hb.TreeRegressor(split="multiway", **small)),
    "gaps learned": lambda: case(hb.TreeRegressor(**small), gaps=True),
    "fractional cases": lambda: case(hb.TreeRegressor(missing="fractional", **small), gaps=True),
    "all paths": lambda: case(hb.TreeRegressor(missing="all-paths", **small), gaps=True),
    "stand-ins": lambda: case(hb.TreeRegressor(missing="surrogates", **small), gaps=True),
    "smoothed means": lambda: case(hb.TreeRegressor(leaf=Constant("shrinkage"), **small)),
    "linear leaves": lambda: case(hb.TreeRegressor(leaf=Linear(), **small)),
    "linear leaves, weights": lambda: case(hb.TreeRegressor(leaf=Linear(), **small), sample_weight=_weights),
    "linear leaves, fractional": lambda: case(
        hb.TreeRegressor(leaf=Linear(), missing="fractional", **small), gaps=True
    ),
    "polynomial leaves": lambda: case(hb.TreeRegressor(leaf=Polynomial(2), split="multiway", **small)),
    "smoothed lines (M5)": lambda: case(hb.m5().set_params(pruning=None)),
    "quantiles kept": lambda: case(hb.TreeRegressor(leaf=Quantiles((0.1, 0.9)), **small)),
    "medians": lambda: case(hb.TreeRegressor("absolute", **small)),
    "a quantile": lambda: case(hb.TreeRegressor(hb.parts.Quantile(0.8), **small)),
    "rates with exposure": lambda: case(hb.TreeRegressor("poisson", **small), exposure=_weights),
}
CASES = {f"classes: {name}": make for name, make in CLASSES.items()} | {
    f"numbers: {name}": make for name, make in REAL.items()
}


def prepared(name: str) -> Any:
    """A method with numbers that prune something."""
    return {"cost-complexity": CostComplexity(cv=2), "smallest-for-errors": SmallestForErrors(k=20)}.get(
        name, PRUNING[name]()
    )


def named(part: tuple[Any, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Rows as `training=` and `validation=` take them by name."""
    return {"X": part[0], "y": part[1], **more}


def in_slot(one: Case, method: str) -> Any:
    """The estimator with the method in its slot, fitted."""
    return clone(one.model).set_params(pruning=prepared(method)).fit(*one.grown, **one.more[0])


def afterwards(one: Case, method: str) -> Any:
    """The fitted model pruned; with the rows that the method wants."""
    model = one.fitted
    part = PRUNING[method]
    if method == "cost-complexity":
        return hb.prune(model, CostComplexity(), *one.held, **one.more[1])
    if method == "error-based":
        return hb.prune(model, ErrorBased(), *one.grown, **one.more[0])
    if part.uses_training:
        return hb.prune(
            model, prepared(method), *one.held, training=named(one.grown, one.more[0]), **one.more[1]
        )
    if part.uses_rows:
        return hb.prune(model, prepared(method), *one.held, **one.more[1])
    return hb.prune(model, prepared(method))


def path_with_folds(one: Case) -> Any:
    """The path, cross-validated and validated, and a model chosen."""
    model = one.fitted
    held = named(one.held, one.more[1])
    return hb.pruning_path(model, *one.grown, cv=2, validation=held, **one.more[0]).choose("1-se")


def curves(one: Case) -> Any:
    """Learning curves over the sizes."""
    return hb.teaching.learning_curves(one.model, *one.grown, **one.more[0]).choose("min")


def refusal(one: Case, method: str) -> str | None:
    """None if a method takes a case, otherwise its sentence."""
    calls: dict[str, list[Callable[[], Any]]] = {
        "pruning_path": [lambda: path_with_folds(one)],
        "learning_curves": [lambda: curves(one)],
        "simplify": [lambda: hb.teaching.simplify(one.fitted)],
    }
    for call in calls.get(method, [lambda: in_slot(one, method), lambda: afterwards(one, method)]):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # small expected counts
                call()
        except ValueError as error:
            return str(error)
    return None


METHODS = [*PRUNING, "pruning_path", "learning_curves", "simplify"]


def table() -> str:
    """Features down, methods across; below it what is said where a method refuses."""
    lines = [f"| | {' | '.join(METHODS)} |", f"|---|{':-:|' * len(METHODS)}"]
    said: dict[tuple[str, str], list[str]] = {}
    for name, make in CASES.items():
        one = make()
        refused = {method: refusal(one, method) for method in METHODS}
        lines.append(f"| {name} | {' | '.join('' if refused[m] else '✓' for m in METHODS)} |")
        for method, sentence in refused.items():
            if sentence:
                said.setdefault((method, sentence), []).append(name)
    lines += ["", "Where a cell is empty, the method says why:", ""]
    for (method, sentence), names in said.items():
        all_real = len(names) == len(REAL) and all(name.startswith("numbers") for name in names)
        all_classes = len(names) == len(CLASSES) and all(name.startswith("classes") for name in names)
        where = "numbers" if all_real else "classes" if all_classes else "; ".join(names)
        lines.append(f"- `{method}` ({where}): {sentence}.")
    return "\n".join(lines)


if __name__ == "__main__":
    page = Path(sys.argv[1])
    text = page.read_text(encoding="utf-8")
    head, tail = text.split(BEGIN)[0], text.split(END)[1]
    page.write_text(f"{head}{BEGIN}\n{table()}\n{END}{tail}", encoding="utf-8")
