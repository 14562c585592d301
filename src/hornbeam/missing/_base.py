"""What every choice about missing values answers."""

from __future__ import annotations

from typing import ClassVar

from hornbeam.parts import Part


class MissingRule(Part):
    """What to do with missing values in training and in prediction."""

    core_rule: ClassVar[int] = 0  # 0: gaps join a branch; 1: gaps are a branch of their own

    def policy(self) -> dict[str, str]:
        """How prediction treats a gap, as a Tree keeps it."""
        return {"missing": self.name, "vote": "distribution", "weights": "leaf"}
