"""BuildDT as the lecture writes it, line by line.

One idea: a slow program short enough to be compared with the slide by eye. A tree is
`("leaf", label, counts)` or `(attribute, {value: tree})`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import hornbeam as hb

Row = Mapping[str, Any]


def fitted(name: str, model: Any) -> Any:
    """A model fitted on a bundled table."""
    table = hb.datasets.load(name)
    model.set_params(categorical_features=table.categorical)
    return model.fit(table.X, table.y, counts=table.counts)


def errors(model: Any, X: Any, y: Sequence[Any]) -> int:
    """The number of rows a model or Tree answers wrongly."""
    return sum(a != b for a, b in zip(model.predict(X).tolist(), y, strict=True))


# ---- BuildDT(S, attributes, C_P) -------------------------------------------------------------------------


class BuildDT:
    """The slide: `S` is a list of (row, class)."""

    def __init__(
        self, domains: Mapping[str, Sequence[Any]], classes: Sequence[Any], min_gain: float = -1.0
    ) -> None:
        self.domains, self.classes, self.min_gain = domains, classes, min_gain

    def __call__(self, S: list[tuple[Row, Any]], attributes: Sequence[str], C_P: Any = None) -> Any:
        counts = [sum(c == k for _, c in S) for k in self.classes]
        if not S:
            return ("leaf", C_P, counts)
        C = self.classes[counts.index(max(counts))]
        if max(counts) == len(S) or not attributes:
            return ("leaf", C, counts)
        A = self.best(S, attributes)
        if A is None:
            return ("leaf", C, counts)
        rest = [a for a in attributes if a != A]
        return (A, {v: self([(x, c) for x, c in S if x[A] == v], rest, C) for v in self.domains[A]})

    def best(self, S: list[tuple[Row, Any]], attributes: Sequence[str]) -> str | None:
        """The first attribute of the largest gain; one that leaves all rows together is none."""
        gains = {a: self.gain(S, a) for a in attributes if len({x[a] for x, _ in S}) > 1}
        if not gains or max(gains.values()) <= self.min_gain:
            return None
        return next(a for a, gain in gains.items() if max(gains.values()) - gain <= 1e-12)

    def gain(self, S: list[tuple[Row, Any]], attribute: str) -> float:
        parts = [[c for x, c in S if x[attribute] == v] for v in self.domains[attribute]]
        return entropy([c for _, c in S]) - sum(len(p) / len(S) * entropy(p) for p in parts if p)


def entropy(labels: Sequence[Any]) -> float:
    shares = [labels.count(k) / len(labels) for k in set(labels)]
    return -sum(p * math.log2(p) for p in shares)


def text(tree: Any) -> str:
    """The canonical text of a tree of BuildDT."""
    if tree[0] == "leaf":
        return f"{tree[1]}({':'.join(map(str, tree[2]))})"
    return f"{tree[0]}[{' | '.join(f'{v}: {text(sub)}' for v, sub in tree[1].items())}]"


def all_paths(tree: Any, row: Row) -> Iterator[tuple[Any, int]]:
    """(label, training rows) of every leaf that can be reached when unknown values are taken to be all."""
    if tree[0] == "leaf":
        yield tree[1], sum(tree[2])
        return
    for value, sub in tree[1].items():
        if row[tree[0]] == value or row[tree[0]] not in tree[1]:
            yield from all_paths(sub, row)


def slow_tree(X: Mapping[str, Sequence[Any]], y: Sequence[Any], **given: Any) -> Any:
    """The tree of BuildDT for a table; `domains` declares values, `counts` repeats rows."""
    domains = {a: given.get("domains", {}).get(a) or sorted(set(X[a])) for a in X}
    rows = [({a: X[a][i] for a in X}, y[i]) for i in range(len(y))]
    repeated = [
        row for row, n in zip(rows, given.get("counts") or [1] * len(y), strict=True) for _ in range(n)
    ]
    learner = BuildDT(domains, sorted(set(y)), given.get("min_gain", -1.0))
    return learner(repeated, list(X))
