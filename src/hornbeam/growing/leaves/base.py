"""What every leaf model answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from hornbeam.data.columns import Column
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.growing.part import Part
from hornbeam.tree.tree import Tree


class LeafModel(Part):
    """What a leaf answers with."""

    tasks: ClassVar[tuple[str, ...]] = ("classes", "real")

    def voice(self, target: Target) -> dict[str, Any]:  # noqa: ARG002 (the same for all targets)
        """What differs from shares and means, by the names of `hornbeam.tree.answer_rule.AnswerRule`."""
        return {}

    def check_columns(self, columns: Sequence[Column]) -> None:
        """Raise a ValueError if the model cannot be made of these columns."""

    def sought(
        self,
        root: Callable[[], Tree],  # noqa: ARG002 (what follows from no equation)
        table: Table,  # noqa: ARG002
        target: Target,
        n_jobs: int | None,  # noqa: ARG002
    ) -> Target:
        """What growing looks at; `root` makes the tree of one node."""
        return target

    def modelled(
        self,
        tree: Tree,
        table: Table,  # noqa: ARG002 (constants need no rows)
        target: Target,  # noqa: ARG002
        signs: Mapping[int, int],  # noqa: ARG002
        n_jobs: int | None,  # noqa: ARG002
    ) -> Tree:
        """The settled tree with what its leaves answer; `signs` are monotonic constraints by column."""
        return tree
