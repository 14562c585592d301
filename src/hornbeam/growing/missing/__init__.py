"""Missing values: what training and prediction do with a gap. One file per choice, one line in the table."""

from __future__ import annotations

from collections.abc import Mapping

from hornbeam.growing.missing.all_paths import AllPaths
from hornbeam.growing.missing.base import MissingRule
from hornbeam.growing.missing.fractional import Fractional
from hornbeam.growing.missing.learn import Learn
from hornbeam.growing.missing.majority import Majority
from hornbeam.growing.missing.own_branch import OwnBranch
from hornbeam.growing.missing.surrogate_splits import Surrogates

MISSING: Mapping[str, type[MissingRule]] = {
    part.name: part for part in (Learn, OwnBranch, AllPaths, Fractional, Majority, Surrogates)
}

__all__ = [
    "MISSING",
    "AllPaths",
    "Fractional",
    "Learn",
    "Majority",
    "MissingRule",
    "OwnBranch",
    "Surrogates",
]
