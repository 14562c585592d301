"""Which part of a large family of tests runs by default; the rest is marked `slow` and runs with SLOW=1.

    @pytest.mark.parametrize("seed", seeds(20))                 2 fixed, 1 drawn; 18 slow
    @pytest.mark.parametrize(("split", "missing", "leaf"), pairs(SPLITS, MISSING, LEAVES))
    @pytest.mark.parametrize("shape", some(SHAPES, of=("plain", "gaps")))
    @settings(max_examples=examples(60))                20; with SLOW=1 60

Drawn seeds follow from the commit, so that over time more tables are tried than any fixed list holds. The
same commit draws the same seeds; HORNBEAM_TEST_SEED=text draws by that text, and a run that fails names it.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import itertools
import os
import subprocess
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

SEED_NAME = "HORNBEAM_TEST_SEED"


def _seed_text() -> str:
    """The commit, or the date where there is no repository."""
    here = Path(__file__).parents[1]
    try:
        done = subprocess.run(
            ["git", "rev-parse", "HEAD"], cwd=here, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return dt.datetime.now(tz=dt.UTC).date().isoformat()
    return done.stdout.strip()


# Processes that share the tests inherit the variable: all of them must collect the same tests.
SEED_TEXT = os.environ.setdefault(SEED_NAME, _seed_text())


def drawn_seeds(n: int) -> list[int]:
    """Seeds that differ from commit to commit, far from the fixed ones."""
    texts = (f"{SEED_TEXT} {k}".encode() for k in range(n))
    return [10**6 + int.from_bytes(hashlib.sha256(text).digest()[:4], "big") for text in texts]


def seeds(n: int, fixed: int = 2, drawn: int = 1) -> list[Any]:
    """The numbers below `n`, of which the first `fixed` run by default, and `drawn` seeds of this commit."""
    listed = [pytest.param(seed, marks=[] if seed < fixed else [pytest.mark.slow]) for seed in range(n)]
    return listed + [pytest.param(seed, id=f"drawn-{seed}") for seed in drawn_seeds(drawn)]


def examples(n: int) -> int:
    """How many examples hypothesis draws: a third by default, all with SLOW=1."""
    return n if os.environ.get("SLOW") else (n + 2) // 3


def is_drawn(seed: int) -> bool:
    """Whether a seed of `seeds` was drawn: nobody has looked at its tables before."""
    return seed >= 10**6


def some(values: Iterable[Any], of: Collection[Any]) -> list[Any]:
    """All values (a tuple has one for each argument), of which by default only those in `of` run."""
    values = list(values)
    assert all(value in values for value in of), f"{of} names a value that is none of {values}"
    return [
        pytest.param(
            *(value if isinstance(value, tuple) else (value,)),
            marks=[] if value in of else [pytest.mark.slow],
        )
        for value in values
    ]


def pairs(*axes: Iterable[Any], names: Callable[[Any], str] = str) -> list[Any]:
    """The whole product of the axes; by default runs a part in which every two values of two axes meet."""
    combinations = list(itertools.product(*map(list, axes)))
    chosen = _pairwise(combinations)
    return [
        pytest.param(
            *values, id="-".join(map(names, values)), marks=[] if k in chosen else [pytest.mark.slow]
        )
        for k, values in enumerate(combinations)
    ]


def _pairwise(combinations: Sequence[tuple[Any, ...]]) -> set[int]:
    """Positions of combinations that hold every pair: always the first of those that add the most pairs."""
    codes = _codes(combinations)
    held = [set(itertools.combinations(enumerate(code), 2)) for code in codes]
    open_pairs = set[Any]().union(*held)
    chosen: set[int] = set()
    while open_pairs:
        best = max(range(len(held)), key=lambda k: (len(held[k] & open_pairs), -k))
        open_pairs -= held[best]
        chosen.add(best)
    return chosen


def _codes(combinations: Sequence[tuple[Any, ...]]) -> list[tuple[int, ...]]:
    """The combinations with each value as its position along its axis: values need not be hashable."""
    seen: list[list[Any]] = [[] for _ in combinations[0]] if combinations else []
    codes = []
    for values in combinations:
        for axis, value in zip(seen, values, strict=True):
            if not any(value is known for known in axis):
                axis.append(value)
        codes.append(
            tuple(
                next(k for k, known in enumerate(axis) if known is value)
                for axis, value in zip(seen, values, strict=True)
            )
        )
    return codes
