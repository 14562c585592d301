"""Saved files, broken in every way we can think of: refused with one sentence, or a model that works.

    python -m tests.support.broken_files --n 1000000 --seed 0

Every file is made from a number, `--n 1 --first 4711` makes one again. A worker process does the loading, so
a crash, a hang or a file that eats memory is seen, named by its number, and the run goes on.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from tests.support.mixed_tables import outcome, random_columns

import hornbeam as hb
from hornbeam.data.table import Table
from hornbeam.estimators.forest.forest_answers import ForestRows
from hornbeam.io.load import read
from hornbeam.parts import AllPaths, ColumnSets, Constant, Polynomial, Predicates, Quantiles
from hornbeam.tree import apply

HANG = 20.0  # seconds without a sign of life
MEMORY = 6 * 2**30  # bytes of addresses a worker may have


def models() -> list[Any]:
    """Small models of every kind that a file can hold."""
    rng = np.random.default_rng(0)
    X = random_columns(rng, 80)
    whole = random_columns(rng, 80, gaps=0)
    three, number = outcome(rng, X, 3), outcome(rng, X, 0)
    shallow: dict[str, Any] = {"max_depth": 2, "random_state": 0}
    said = Predicates(["age > 40 and city == 'Brno'", "age / rooms > 9"], columns=None)
    classes = [
        hb.TreeClassifier(**shallow),
        *(
            hb.TreeClassifier(missing=m, **shallow)
            for m in ("surrogates", "fractional", AllPaths(vote="leaf"))
        ),
        *(hb.TreeClassifier(split=s, **shallow) for s in ("multiway", "one-vs-rest", ColumnSets(), said)),
        hb.TreeClassifier(costs={"class 0": {"class 2": 5.0}}, leaf=Constant("laplace"), **shallow),
        hb.c45(max_depth=2),
        hb.ForestClassifier(2, **shallow),
    ]
    numbers = [
        hb.TreeRegressor(leaf="linear", max_depth=1),
        hb.TreeRegressor(leaf=Polynomial(degree=2), max_depth=1, missing="all-paths"),
        hb.TreeRegressor(leaf=Quantiles(), max_depth=1),
        hb.TreeRegressor("absolute", max_depth=1),
        hb.m5(max_depth=1),
        hb.ForestRegressor(2, **shallow),
    ]
    found = [model.fit(X, three) for model in classes] + [model.fit(X, number) for model in numbers]
    found.append(hb.TreeRegressor("poisson", max_depth=1).fit(X, np.round(np.abs(number))))
    found.append(hb.TreeClassifier(max_depth=1).fit(X, three, row_costs=rng.random((80, 3))))
    found.append(hb.TreeDensity(max_depth=2).fit(whole))
    found.append(hb.TreeDensity(pruning="cross-validated", random_state=0, max_depth=1).fit(whole))
    return [*found, found[0].tree_, found[-1].tree_]


@cache
def templates() -> tuple[str, ...]:
    """The files that are broken."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.json"
        return tuple(hb.save(model, path).read_text(encoding="utf-8") for model in models())


# --- breaking -----------------------------------------------------------------------------------------------

VALUES: list[Any] = [
    *(
        None,
        True,
        False,
        -1,
        0,
        1,
        2,
        3,
        7,
        10**6,
        2**31,
        2**63,
        -(2**63),
        10**300,
        1e308,
        -1e308,
        5e-324,
        0.5,
    ),
    *(
        "",
        "inf",
        "-inf",
        "nan",
        "x",
        "\ud800",
        "learn",
        "leaf",
        "threshold",
        "multiway",
        "numeric",
        "a" * 300,
    ),
    *([], [0], [[]], {}, [None], {"type": "tuple", "value": [1]}, {"type": "float", "value": "nan"}),
    *({"type": "Decimal", "value": "1e99999999"}, {"type": "bytes", "value": "zz"}, {"date": "2024-01-01"}),
    *({"type": "dict", "value": [[[], 1]]}, {"type": "part", "value": 3}, {"datetime": "9999", "zone": "x"}),
    *({"type": "tree", "value": {}}, {"type": "array", "value": {"dtype": "int8", "values": [1e9]}}),
    *(
        {"costs": [[0, 1]]},
        {"level": 0.5},
        {"smoothing": "shrinkage", "amount": -1},
        "density",
        "real",
        "classes",
    ),
]
TOKENS = [
    *(
        "NaN",
        "Infinity",
        "-Infinity",
        "1e999",
        "-0",
        "9" * 500,
        "null",
        "true",
        "[]",
        "{}",
        '""',
        "1",
        "-1",
        "0.5",
    ),
    *(
        '"\\u0000"',
        '"\\ud800"',
        "," * 3,
        "[" * 3000,
        '{"a":' * 3000,
        '"format": 1,',
        '"version": 1,',
        "//",
        "\x00",
    ),
]


def _place(found: Any, draw: random.Random) -> tuple[Any, Any]:
    """A place somewhere in a file: a dict or list, and a key of it."""
    inner, holder, key = found, None, None
    while isinstance(inner, dict | list) and inner and (holder is None or draw.random() < 0.85):
        holder = inner
        key = draw.choice(list(inner)) if isinstance(inner, dict) else draw.randrange(len(inner))
        inner = inner[key]
    return holder, key


def _replace(holder: Any, key: Any, draw: random.Random) -> None:
    holder[key] = json.loads(json.dumps(draw.choice(VALUES)))


def _remove(holder: Any, key: Any, draw: random.Random) -> None:
    del draw
    del holder[key]


def _double(holder: Any, key: Any, draw: random.Random) -> None:
    if isinstance(holder, list):
        holder.insert(key, holder[draw.randrange(len(holder))])
    else:
        holder[f"{key}_"] = holder[key]


def _nudge(holder: Any, key: Any, draw: random.Random) -> None:
    if isinstance(holder[key], int | float) and not isinstance(holder[key], bool):
        holder[key] += draw.choice((-1, 1, 2, 0.5, 1e6))
    else:
        _replace(holder, key, draw)


def _swap(holder: Any, key: Any, draw: random.Random) -> None:
    other = draw.choice(list(holder)) if isinstance(holder, dict) else draw.randrange(len(holder))
    holder[key], holder[other] = holder[other], holder[key]


def _rearrange(holder: Any, key: Any, draw: random.Random) -> None:
    """Lists that are shorter, longer, turned round, or all the same."""
    if isinstance(holder[key], list):
        items = holder[key]
        holder[key] = draw.choice(
            (items[:-1], items + items, items[::-1], items[:1] * len(items), [*items, 0])
        )
    else:
        _swap(holder, key, draw)


def _deepen(holder: Any, key: Any, draw: random.Random) -> None:
    for _ in range(draw.choice((1, 3, 80))):
        holder[key] = [holder[key]] if draw.random() < 0.5 else {"value": holder[key]}


DEEDS: list[Callable[[Any, Any, random.Random], None]] = [
    *[_replace] * 5, _remove, _double, *[_nudge] * 3, _swap, _rearrange, _deepen,
]  # fmt: skip


def broken(number: int, seed: int = 0) -> bytes:
    """The file of a number: bytes changed, or one to three places of what they say."""
    draw = random.Random(f"{seed}:{number}")
    text = draw.choice(templates())
    if draw.random() < 0.3:
        return _broken_bytes(text, draw)
    found = json.loads(text)
    for _ in range(draw.choice((1, 1, 2, 3))):
        holder, key = _place(found, draw)
        if holder is not None:
            draw.choice(DEEDS)(holder, key, draw)
    return json.dumps(found).encode()


def _broken_bytes(text: str, draw: random.Random) -> bytes:
    data = bytearray(text.encode())
    for _ in range(draw.choice((1, 1, 2, 4))):
        at = draw.randrange(len(data)) if data else 0
        deed = draw.randrange(5)
        if deed == 0 and data:
            data[at] = draw.randrange(256)
        elif deed == 1:
            data[at : at + draw.randrange(1, 40)] = b""
        elif deed == 2:
            data[at:at] = draw.choice(TOKENS).encode()
        elif deed == 3:
            data[at:at] = data[at : at + draw.randrange(1, 200)]
        elif draw.random() < 0.2:
            del data[at:]
        elif data:
            data[at] ^= 1 << draw.randrange(8)
    return bytes(data)


# --- judging ------------------------------------------------------------------------------------------------


def survives(data: bytes) -> bool:
    """Whether a file was loaded and works; False if it was refused with a sentence; else AssertionError."""
    try:
        model = read(data, "broken.json", edited=True)  # to reach the checks behind the checksum
    except ValueError as fault:
        said = str(fault)
        assert said.startswith("broken.json cannot be loaded: "), said
        assert "\n" not in said, said
        assert len(said) < 3000, said
        return False
    trees = model.trees_ if hasattr(model, "trees_") else [getattr(model, "tree_", model)]
    for tree in trees:
        _use(tree)
    if hasattr(model, "trees_") and model.trees_.columns is not None:
        how = "value" if trees[0].task == "real" else "mean"
        assert np.isfinite(ForestRows(model.trees_, rows_for(trees[0]), "", 1).mean(how)).all()
    return True


def _use(tree: hb.Tree) -> None:
    """Predict by the core and by its twin, and read the tree."""
    table = rows_for(tree)
    found = tree.predict_proba(table) if tree.classes else tree.predict(table)
    assert np.isfinite(found).all(), found
    leaves = apply.leaves(tree, table)
    routing = apply.complete_routing(tree, leaves, table.arrays)
    apply.evaluate(tree, table.arrays, routing) if tree.task != "classes" else None
    hb.show(tree)
    [str(rule) for rule in hb.rules(tree)]
    tree.text()
    repr(tree)


def rows_for(tree: hb.Tree) -> Table:
    """Rows as the tree encodes them: gaps, values never seen, numbers around zero and large ones."""
    arrays = []
    for k, column in enumerate(tree.columns):
        if column.kind == "numeric":
            arrays.append(np.roll([np.nan, 0.0, 40.0, -3.5, 1e6, 3.0], k))
        else:
            last = len(column.categories) - 1
            codes = [-1, 0, min(1, last), last, -2, max(last - 1, 0)]
            arrays.append(np.roll(np.array(codes if last >= 0 else [-1] * 6, dtype=np.int32), k))
    return Table(tree.columns, 6, tuple(arrays))


# --- running ------------------------------------------------------------------------------------------------


def _work(first: int, last: int, seed: int, at: Any, kept: Any, faults: Any) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    for number in range(first, last):
        at.value = number
        try:
            kept.value += survives(broken(number, seed))
        except BaseException as fault:  # whatever it is, it is what we look for
            faults.put((number, f"{type(fault).__name__}: {fault}"[:500]))
            if isinstance(fault, KeyboardInterrupt):
                raise


def _line(fault: tuple[int, str]) -> str:
    return f"file {fault[0]}: {fault[1]}"


def run(n: int, seed: int = 0, first: int = 0, report: Callable[[str], object] = print) -> tuple[int, int]:
    """Try `n` files; the numbers of those that were loaded and of those at fault."""
    templates()
    context = multiprocessing.get_context("fork")
    at, kept, faults = context.Value("q", first), context.Value("q", 0), context.SimpleQueue()
    n_faults, begin, last, shown = 0, first, first + n, time.monotonic()
    while begin < last:
        worker = context.Process(target=_work, args=(begin, last, seed, at, kept, faults), daemon=True)
        worker.start()
        alive, seen = time.monotonic(), -1
        while worker.is_alive():
            worker.join(0.2)
            while not faults.empty():
                n_faults += 1
                report(_line(faults.get()))
            if at.value != seen:
                alive, seen = time.monotonic(), at.value
            elif time.monotonic() - alive > HANG:
                worker.kill()
                report(f"file {seen}: hangs")
            if time.monotonic() - shown > 60:
                shown = time.monotonic()
                report(f"{at.value - first + 1:,} files, {kept.value:,} loaded, {n_faults} at fault")
        while not faults.empty():
            n_faults += 1
            report(_line(faults.get()))
        if worker.exitcode != 0:
            n_faults += 1
            report(f"file {at.value}: the process ended with {worker.exitcode}")
        begin = last if worker.exitcode == 0 else at.value + 1
    return int(kept.value), n_faults


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=20_000, help="how many files")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="the number of the first file")
    given = parser.parse_args()
    start = time.monotonic()
    kept, n_faults = run(given.n, given.seed, given.first, lambda line: print(line, flush=True))
    took = time.monotonic() - start
    print(f"{given.n:,} files in {took:.0f} s: {kept:,} loaded and worked, {n_faults} at fault")
    return 1 if n_faults else 0


if __name__ == "__main__":
    sys.exit(main())
