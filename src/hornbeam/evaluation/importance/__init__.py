"""How much a model owes to each column: by impurity, or by permuting what it is asked."""

from hornbeam.evaluation.importance.column_importance import importance
from hornbeam.evaluation.importance.importance_record import ColumnImportance, Importance

__all__ = ["ColumnImportance", "Importance", "importance"]
