"""Missing values: what training and prediction do with a gap. One file per choice, one line in the table."""

from __future__ import annotations

from collections.abc import Mapping

from hornbeam.missing._base import MissingRule
from hornbeam.missing.all_paths import AllPaths
from hornbeam.missing.branch import OwnBranch
from hornbeam.missing.learn import Learn

MISSING: Mapping[str, type[MissingRule]] = {part.name: part for part in (Learn, OwnBranch, AllPaths)}

__all__ = ["MISSING", "AllPaths", "Learn", "MissingRule", "OwnBranch"]
