"""What engines of far rows share: their memory, their checkpoint, and the rows that they hand on.

The one idea: an engine is a frozen dataclass that says how its data becomes parts; all else is here. Its
fields are its own, because their order is public: `Dask(client)`, `Files("2GB", "cache")`.
"""

from __future__ import annotations

from typing import Any

from hornbeam.engines.far_rows import EngineOptions, FarRows, Parts, bytes_of_memory
from hornbeam.engines.pieces import WholeData


class FarEngine(EngineOptions):
    """The base of all engines of far rows."""

    def __post_init__(self) -> None:
        bytes_of_memory(self.memory)

    def check_data(self, data: Any, method: str, kind: str, reader: str) -> None:
        """Raise if the data lacks the method by which this engine reads it."""
        if not hasattr(data, method):
            raise TypeError(
                f"engine={type(self).__name__}() reads a {kind}, not a {type(data).__name__!r}: leave engine"
                f" out, or make it one, for example by {reader}"
            )

    def rows(self, whole: WholeData, parts: Parts) -> FarRows:
        """The rows of all parts, whose columns and target the whole data says."""
        return FarRows(whole.columns, whole.target, (whole.dtypes, whole.target_dtypes), parts, self)
