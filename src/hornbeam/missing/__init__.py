"""Missing values: what training and prediction do with a gap. One file per choice, one line in the table."""

from __future__ import annotations

from collections.abc import Mapping

from hornbeam.missing._base import MissingRule
from hornbeam.missing.all_paths import AllPaths
from hornbeam.missing.branch import OwnBranch
from hornbeam.missing.fractional import Fractional
from hornbeam.missing.learn import Learn
from hornbeam.missing.majority import Majority
from hornbeam.missing.surrogates import Surrogates

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
