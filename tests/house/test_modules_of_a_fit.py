"""A plain fit passes through few modules, so that a reader can follow it from the frame to the tree."""

import sys
from types import FrameType

import numpy as np
import pandas as pd
import pytest

import hornbeam as hb

MOST = 25


def modules_of(call) -> set[str]:
    """The modules of the package whose functions run during a call."""
    names = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_name != "<module>":
            names.add(frame.f_globals.get("__name__", ""))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(before)
    return {name for name in names if name.partition(".")[0] == "hornbeam"}


def frames() -> dict[str, pd.DataFrame]:
    x = np.random.default_rng(0).normal(size=(200, 3))
    numbers = pd.DataFrame(x, columns=["a", "b", "c"])
    mixed = numbers.assign(
        n=np.arange(200) // 7,
        t=np.where(x[:, 0] > 0, "u", "v"),
        k=pd.Categorical(np.where(x[:, 1] > 1, "p", "q")),
    )
    mixed.loc[3, "a"] = np.nan
    return {"numbers": numbers, "mixed": mixed}


@pytest.mark.parametrize("name", ["numbers", "mixed"])
@pytest.mark.parametrize("estimator", [hb.TreeClassifier, hb.TreeRegressor])
def test_a_plain_fit_of_a_frame_passes_through_few_modules(name, estimator):
    X = frames()[name]
    y = (X["b"] > X["c"]).astype(int)
    reached = modules_of(lambda: estimator().fit(X, y))
    assert "hornbeam.growing.core" in reached
    assert len(reached) <= MOST, sorted(reached)
