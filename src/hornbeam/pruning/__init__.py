"""Pruning: how a grown tree is made smaller. One file per method, one line in the table."""

from __future__ import annotations

from collections.abc import Mapping

from hornbeam.pruning.base import Pruner
from hornbeam.pruning.cost_complexity import CostComplexity
from hornbeam.pruning.error_based import Collapse, ErrorBased
from hornbeam.pruning.fewest_errors import HypothesisValidation, SmallestForErrors, SRMSelection
from hornbeam.pruning.model_error import ModelError
from hornbeam.pruning.penalties import SRM, ChiSquare, Penalised
from hornbeam.pruning.reduced_error import ReducedError, Validation
from hornbeam.pruning.replace_by_child import ReplaceByChild

PRUNING: Mapping[str, type[Pruner]] = {
    part.name: part
    for part in (
        ChiSquare,
        ReducedError,
        Validation,
        ReplaceByChild,
        SRM,
        Penalised,
        CostComplexity,
        ErrorBased,
        Collapse,
        ModelError,
        SmallestForErrors,
        HypothesisValidation,
        SRMSelection,
    )
}

__all__ = [
    "SRM",
    "ChiSquare",
    "Collapse",
    "CostComplexity",
    "ErrorBased",
    "HypothesisValidation",
    "ModelError",
    "Penalised",
    "Pruner",
    "ReducedError",
    "ReplaceByChild",
    "SRMSelection",
    "SmallestForErrors",
    "Validation",
]
