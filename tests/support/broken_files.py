"""Saved files, broken in every way we can think of: refused with one sentence, or a model that works.

    python -m tests.support.broken_files --n 1000000 --seed 0

Every file is made from a number, `--n 1 --first 4711` makes one again. A worker process does the loading, so
a crash, a hang or a file that eats memory is seen, named by its number, and the run goes on.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from tests.support.file_breaker import broken, templates

import hornbeam as hb
from hornbeam.data.table import Table
from hornbeam.estimators.forest.forest_answers import ForestRows
from hornbeam.io.load import read
from hornbeam.tree import apply

HANG = 60.0  # seconds without a sign of life
MEMORY = 6 * 2**30  # bytes of addresses a worker may have


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
