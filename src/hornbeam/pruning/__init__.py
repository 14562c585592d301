"""Pruning: how a grown tree is made smaller. One file per method, one line in the table."""

from __future__ import annotations

from collections.abc import Mapping

from hornbeam.pruning._base import Pruner, Rows
from hornbeam.pruning.chi_square import ChiSquare
from hornbeam.pruning.penalised import Penalised
from hornbeam.pruning.record import Decision, Decisions, Pruned
from hornbeam.pruning.reduced_error import ReducedError
from hornbeam.pruning.replace_by_child import ReplaceByChild
from hornbeam.pruning.srm import SRM, srm_penalty
from hornbeam.pruning.validation import Validation

PRUNING: Mapping[str, type[Pruner]] = {
    part.name: part
    for part in (
        ChiSquare,
        ReducedError,
        Validation,
        ReplaceByChild,
        SRM,
        Penalised,
    )
}

__all__ = [
    "PRUNING",
    "SRM",
    "ChiSquare",
    "Decision",
    "Decisions",
    "Penalised",
    "Pruned",
    "Pruner",
    "ReducedError",
    "ReplaceByChild",
    "Rows",
    "Validation",
    "srm_penalty",
]
