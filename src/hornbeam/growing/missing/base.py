"""What every choice about missing values answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from hornbeam.data.table import Table
from hornbeam.growing.part import Part


class MissingRule(Part):
    """What to do with missing values in training and in prediction."""

    # The core's number. 0: gaps join the branch where they gain most; 1: they are a branch of their own. The
    # others judge a split by its known rows, times their share; then gaps go to 2: every branch, by its share
    # of the known weight; 3: the heaviest branch; 4: where surrogates send them.
    core_rule: ClassVar[int] = 0

    @property
    def known_only(self) -> bool:
        """Whether a split is judged by its known rows alone."""
        return self.core_rule >= 2

    def in_trials(self, table: Table) -> MissingRule:  # noqa: ARG002 (the same for all tables)
        """The same choice for trees that answer rows of this table only, and are then thrown away."""
        return self

    def surrogate_rule(self) -> dict[str, Any] | None:
        """How surrogates are searched, as the core reads it; None for none."""
        return None

    def check_kinds(self, kinds: Mapping[str, str]) -> None:
        """Raise a ValueError if the choice does not go with the kind of test of a column."""

    def policy(self) -> dict[str, str]:
        """How prediction treats a gap, as a Tree keeps it."""
        return {"missing": self.name, "vote": "distribution", "weights": "leaf"}
