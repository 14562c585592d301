"""Counterfactuals by trying everything: every combination of cells between all cuts of a tree."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import numpy as np

from hornbeam.data.table import Table
from hornbeam.tree.tree import Tree


def _cuts(tree: Tree, place: int) -> list[float]:
    tests = [
        float(tree.threshold[n]) for n in range(len(tree)) if tree.column[n] == place and tree.kind[n] == 1
    ]
    several = [float(c) for n in range(len(tree)) if tree.column[n] == place for c in tree.cuts(n)]
    others = [
        float(tree.surrogate_threshold[k])
        for k in range(len(tree.surrogate_column))
        if tree.surrogate_column[k] == place and np.isfinite(tree.surrogate_threshold[k])
    ]
    named = set()
    for node in range(len(tree)):
        columns = tree.set_column[tree.set_offset[node] : tree.set_offset[node + 1]].tolist()
        for k in range(int(tree.tuple_offset[node]), int(tree.tuple_offset[node + 1])):
            entry = tree.entry_value[tree.entry_offset[k] : tree.entry_offset[k + 1]].tolist()
            named |= {v for c, v in zip(columns, entry, strict=True) if c == place}
    points = [x for v in named for x in (np.nextafter(v, -np.inf), v)]
    return sorted({c for c in (*tests, *several, *others, *points) if np.isfinite(c)})


def _cells(tree: Tree, place: int, value: float, *, fixed: bool) -> list[tuple[float, int, float]]:
    """(value to try, changed or not, distance) of every cell of a column."""
    column = tree.columns[place]
    gap = np.isnan(value) if column.kind == "numeric" else value < 0
    found = [(value, 0, 0.0)]
    if fixed:
        return found
    if column.kind != "numeric":
        for code in range(len(column.categories)):
            steps = (
                abs(code - value) / max(len(column.categories) - 1, 1) if column.kind == "ordinal" else 1.0
            )
            if code != value:
                found.append((float(code), 1, 1.0 if gap else steps))
        return found
    scale = column.high - column.low if column.high > column.low else 1.0
    ends = [-np.inf, *_cuts(tree, place), np.inf]
    for low, high in pairwise(ends):
        if low < value <= high:
            continue
        if column.display == "int":
            inside = [k for k in range(-60, 61) if low < k <= high]
            if inside:
                best = min(inside, key=lambda k: abs(k - value)) if not gap else inside[0]
                found.append((float(best), 1, 1.0 if gap else abs(best - value) / scale))
            continue
        some = high if np.isfinite(high) else low + 1.0 if np.isfinite(low) else 0.0
        away = 1.0 if gap else (low - value if value <= low else value - high) / scale
        found.append((some, 1, away))
    return found


def all_changes(tree: Tree, arrays: tuple[Any, ...], answers: Any, wanted: Any, fixed: set[int]) -> Any:
    """(changed, distance) of the nearest row whose answer is wanted; None if there is none."""
    values = [float(a[0]) for a in arrays]
    cells = [_cells(tree, k, v, fixed=k in fixed) for k, v in enumerate(values)]
    combos = list(product(*cells))
    columns = []
    for k, column in enumerate(tree.columns):
        tried = np.array([combo[k][0] for combo in combos])
        columns.append(tried if column.kind == "numeric" else tried.astype(np.int32))
    said = answers(Table(tree.columns, len(combos), tuple(columns)))
    costs = [
        (sum(c[1] for c in combo), sum(c[2] for c in combo))
        for combo, answer in zip(combos, said, strict=True)
        if wanted(answer) and sum(c[1] for c in combo)
    ]
    return min(costs, default=None)
