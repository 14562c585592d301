"""Pruning: how a grown tree is made smaller. One file per method, one line in the table."""

from __future__ import annotations

from collections.abc import Mapping

from hornbeam.pruning._base import Pruner, Rows
from hornbeam.pruning.choosing import choose_step
from hornbeam.pruning.cost_complexity import CostComplexity
from hornbeam.pruning.path import PruningPath
from hornbeam.pruning.penalised import Penalised
from hornbeam.pruning.record import Decision, Decisions, Pruned
from hornbeam.pruning.strengths import prune_at, strengths

PRUNING: Mapping[str, type[Pruner]] = {part.name: part for part in (Penalised, CostComplexity)}

__all__ = [
    "PRUNING",
    "CostComplexity",
    "Decision",
    "Decisions",
    "Penalised",
    "Pruned",
    "Pruner",
    "PruningPath",
    "Rows",
    "choose_step",
    "prune_at",
    "strengths",
]
