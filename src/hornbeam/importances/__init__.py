"""How much a model owes to each column: by impurity, or by permuting what it is asked."""

from hornbeam.importances.owing import importance
from hornbeam.importances.record import ColumnImportance, Importance

__all__ = ["ColumnImportance", "Importance", "importance"]
