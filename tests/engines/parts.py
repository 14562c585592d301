"""Tables dealt into parts, and the proof that their tree has the saved bytes of the table in memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from tests.engines.test_files import WEIGHINGS, draw_table, saved

Make = Callable[[list[pd.DataFrame]], Any]  # data in parts, as an engine reads it
FEW_ROWS = 100  # of nodes that are fetched; larger ones are asked by messages


def draw_parts(rng: np.random.Generator, n_classes: int) -> tuple[pd.DataFrame, list[pd.DataFrame]]:
    """A table, and its rows in any order in up to six parts, some of them empty."""
    table = draw_table(rng, int(rng.choice([60, 400])), n_classes).drop_columns(["grade"])
    whole = table.to_pandas()
    rows = whole.iloc[rng.permutation(len(whole))]
    cuts = np.sort(rng.integers(0, len(rows) + 1, rng.integers(0, 6)))
    bounds = zip([0, *cuts], [*cuts, len(rows)], strict=True)
    return whole, [rows.iloc[first:last] for first, last in bounds]


def check_identity(rng: np.random.Generator, models: Any, make: Make, folder: Path, engine: Any) -> None:
    for model, n_classes in models:
        whole, parts = draw_parts(rng, n_classes)
        weighing = WEIGHINGS[str(rng.choice(["rows", "counts"]))]
        expected = model.fit(
            whole.drop(columns=["y", "w", "k"]),
            whole["y"],
            **{name: whole[column] for name, column in weighing.items()},
        )
        expected = saved(expected, folder)
        unused = [name for name in ("w", "k") if name not in weighing.values()]
        far = model.set_params(exclude=unused).fit(make(parts), y="y", engine=engine, **weighing)
        assert saved(far.set_params(exclude=None), folder) == expected, model
