"""What every choice of selection answers: how the core picks the winner, or which search to use instead."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hornbeam.data.columns import Column
from hornbeam.growing.part import Part


class Selection(Part):
    """How the winning split is picked among the candidates of a node."""

    def check_criterion(self, criterion: Any) -> None:
        """Raise a ValueError if the choice does not go with the criterion."""

    def core(self, columns: Sequence[Column]) -> dict[str, Any]:  # noqa: ARG002 (the same for all columns)
        """The choice as the core reads it."""
        return {"kind": 0}
