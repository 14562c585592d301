"""Automatic: estimators that choose their own criterion, splits, leaves, size and smoothing."""

from hornbeam.automatic.account import Account
from hornbeam.automatic.estimators import AutoTreeClassifier, AutoTreeRegressor, auto

__all__ = ["Account", "AutoTreeClassifier", "AutoTreeRegressor", "auto"]
