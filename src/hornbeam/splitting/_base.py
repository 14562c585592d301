"""What every choice of splitting answers: the kind of test for one column."""

from __future__ import annotations

from hornbeam.columns import Column
from hornbeam.parts import Part


class Splitting(Part):
    """Which kind of test a column gets. Numeric and ordinal columns are always cut at a threshold."""

    def kind(self, column: Column) -> str:
        """Name of the test for `column`, one of `hornbeam.tree.KINDS`."""
        return "threshold" if column.kind != "nominal" else self.nominal(column)

    def nominal(self, column: Column) -> str:
        """Name of the test for a nominal column."""
        raise TypeError(f"{type(self).__name__} does not say how to split the nominal column {column.name!r}")
