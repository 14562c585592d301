"""Models of every kind as text, and those texts broken: byte by byte and entry by entry."""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from tests.support.mixed_tables import outcome, random_columns

import hornbeam as hb
from hornbeam.parts import AllPaths, ColumnSets, Constant, Polynomial, Predicates, Quantiles


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
