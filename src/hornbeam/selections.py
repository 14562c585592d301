"""Selections: how the winning split is picked among the candidates of a node."""

from __future__ import annotations

from collections.abc import Mapping

from hornbeam.parts import Part


class Selection(Part):
    """How the winning split is picked."""


class Best(Selection):
    """The best score wins; within 1e-12 of the node's impurity the first column, then the first cut."""

    name, about = "best", "the best score over all columns"


SELECTIONS: Mapping[str, type[Selection]] = {Best.name: Best}
