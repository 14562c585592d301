"""Forests: many trees, each on rows and columns of its own drawing, and what they answer together.

One idea: a forest is a table drawn from many times. The table is read and coded once; tree i follows from the
seed and i alone, so a forest is the same for any number of threads and any order of the rows.
"""

from hornbeam.estimators.forest.forest_answers import combine
from hornbeam.estimators.forest.forest_estimators import ForestClassifier, ForestRegressor

__all__ = ["ForestClassifier", "ForestRegressor", "combine"]
