"""Random tables of numbers, odd words and times, with names and values that are hard to print."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

PLACES = ["round", "midpoint", "lower", "value"]
ODD_VALUES = [
    *(
        "Brno",
        "Aš, CZ",
        'the "old" town',
        "O'Brien",
        "'quoted'",
        "a = b",
        "x <= 3",
        "",
        " blank ",
        "5",
        "1e3",
    ),
    *(
        "two\nlines",
        "two lines",
        "salt and pepper",
        "a or missing",
        ":)",
        "x]",
        "(b)",
        "{c}",
        "?",
        "∅",
        "other: a",
    ),
    *("back`tick", "back\\slash", "is missing", "Missing", "naïve ☃", "nan", "a  b", "THEN", "it is 5"),
]
ODD_NAMES = ["petal width (cm)", "5", "a, b", "x - y", 'the "x"', "and", "in {a}", "", " n", "x\ny", "∅?"]


def numbers(rng: np.random.Generator, n: int) -> pd.DataFrame:
    """Numbers of every type and size."""
    return pd.DataFrame(
        {
            "double": rng.normal(size=n).round(int(rng.integers(0, 12))),
            "single": rng.normal(size=n).astype(np.float32) * np.float32(10.0 ** rng.integers(-6, 7)),
            "whole": rng.integers(-50, 50, n),
            "wide": rng.choice([-1.0, 1.0], n) * 10.0 ** rng.uniform(-300, 300, n),
            "large": rng.integers(-(2**52), 2**52, n),
            "tiny": rng.normal(size=n) * 1e-300,
        }
    )


def odd_words(rng: np.random.Generator, n: int) -> pd.DataFrame:
    """Names and values that could be taken for something else."""
    names = rng.permutation(np.array(ODD_NAMES, dtype=object))
    return pd.DataFrame(
        {
            names[0]: rng.choice(np.array(ODD_VALUES, dtype=object), n),
            names[1]: rng.normal(size=n).round(2),
            names[2]: pd.Categorical.from_codes(
                rng.integers(0, 5, n), ["lo", "m, n", 'h"i', "1", ""], ordered=True
            ),
            names[3]: rng.choice(np.array(ODD_VALUES[:6], dtype=object), n),
            names[4]: rng.integers(0, 2, n).astype(bool),
            names[5]: rng.normal(size=n).round(1),
        }
    )


def times(rng: np.random.Generator, n: int) -> pd.DataFrame:
    """Moments with and without a zone, spans and times of day."""
    start = pd.Timestamp("2023-10-20")
    seconds = rng.integers(0, 30 * 86_400, n)
    moments = pd.Series(start + pd.to_timedelta(seconds, unit="s"))
    ms = pd.Series(start + pd.to_timedelta(rng.integers(0, 10**7, n), unit="ms"))
    return pd.DataFrame(
        {
            "day": moments.dt.normalize(),
            "moment": ms,
            "local": moments.dt.tz_localize("UTC").dt.tz_convert("Europe/Prague"),
            "span": pd.Series(pd.to_timedelta(rng.integers(-(10**6), 10**6, n), unit="s")),
            "clock": [(start + pd.Timedelta(seconds=int(s))).time() for s in seconds],
        }
    )


def outcome(rng: np.random.Generator, table: pd.DataFrame, n_classes: int) -> Any:
    """Numbers, or classes, that follow three of the columns with noise."""
    signal = rng.normal(0, 0.3, len(table))
    for name in rng.permutation(np.array(table.columns, dtype=object))[:3]:
        codes = pd.factorize(table[name], sort=table[name].dtype != object)[0]
        n_values = int(codes.max()) + 1
        effect = np.arange(n_values) if n_values > 40 else rng.permutation(n_values)
        signal = signal + effect[codes] / n_values
    if not n_classes:
        return signal
    labels = np.array(["a", "b (x)", "c, d", "THEN"][:n_classes])
    return labels[np.searchsorted(np.quantile(signal, np.linspace(0, 1, n_classes + 1)[1:-1]), signal)]


def with_gaps(table: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """The table with a tenth of its cells missing."""
    return table.mask(rng.random(table.shape) < 0.1)


def plain_and_odd(rng: np.random.Generator, n: int) -> pd.DataFrame:
    """Numbers and words for tests of several columns."""
    return pd.DataFrame(
        {
            "x": rng.normal(size=n).round(2),
            "x - y": rng.normal(size=n).round(2),
            "2*z": rng.normal(size=n).round(2),
            "city, town": rng.choice(np.array(["Aš, CZ", "O'Brien", "a b", 'the "x"'], dtype=object), n),
            "grade": rng.choice(np.array(["(1)", "1", "and"], dtype=object), n),
        }
    )
