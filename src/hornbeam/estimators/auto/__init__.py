"""Automatic: estimators that choose their own criterion, splits, leaves, size and smoothing."""

from hornbeam.estimators.auto.auto import AutoTreeClassifier, AutoTreeRegressor, auto
from hornbeam.estimators.auto.trials import SelectionReport

__all__ = ["AutoTreeClassifier", "AutoTreeRegressor", "SelectionReport", "auto"]
