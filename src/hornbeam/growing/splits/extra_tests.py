"""Special tests beside plain ones: what `Predicates` and `ColumnSets` share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hornbeam.data.columns import Column
from hornbeam.growing.splits.base import Splitting
from hornbeam.growing.splits.per_column import plain_choice


class Beside(Splitting):
    """Special tests compete with the plain ones of the columns; `columns=None` leaves those out."""

    columns: Any

    def check_plain(self) -> None:
        """Raise if the choice for plain columns is not known."""
        if self.columns is not None:
            plain_choice("columns", self.columns)

    def check_plain_columns(self, columns: Sequence[Column]) -> None:
        """Raise if the choice for plain columns does not fit the table."""
        if self.columns is not None:
            plain_choice("columns", self.columns).check_columns(columns)

    def nominal(self, column: Column) -> str:
        """Name of the test for a nominal column."""
        return plain_choice("columns", self.columns or "binary").nominal(column)

    def plain_columns(self, columns: Sequence[int]) -> tuple[int, ...]:
        """Those of the columns that are tested beside the special ones."""
        return () if self.columns is None else tuple(columns)
