"""Pruning: how a grown tree is made smaller. One file per method, one line in the table."""

from __future__ import annotations

from collections.abc import Mapping

from hornbeam.pruning._base import Pruner, Rows
from hornbeam.pruning.m5 import ModelError
from hornbeam.pruning.penalised import Penalised
from hornbeam.pruning.record import Decision, Decisions, Pruned

PRUNING: Mapping[str, type[Pruner]] = {part.name: part for part in (ModelError, Penalised)}

__all__ = [
    "PRUNING",
    "Decision",
    "Decisions",
    "ModelError",
    "Penalised",
    "Pruned",
    "Pruner",
    "Rows",
]
