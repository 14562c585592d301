"""Demonstrations: what overfitting and early stopping do, on data made for the purpose.

One idea: a demonstration is seeded, returns numbers, and prints as a small table.

>>> from hornbeam import demonstrations
>>> print(demonstrations.xor())
x1 xor x2 on 4 rows of 2 columns
gain of any single column          0
gain of x1 and x2 together         1
leaves of the full tree            4
leaves with min_gain=1e-09         1
"""

from hornbeam.teaching.demonstrations.exclusive_or import EarlyStopping, xor
from hornbeam.teaching.demonstrations.patients import Overfitting, expected_training_error, overfitting

__all__ = ["EarlyStopping", "Overfitting", "expected_training_error", "overfitting", "xor"]
