"""What the tests of targets share: both kinds, and something that is an array only if asked."""

import numpy as np

from hornbeam.data.target import Target

INF = float("inf")
NAN = float("nan")


class OnlyArray:
    """Data that can only be turned into a numpy array."""

    def __init__(self, data):
        self.data = data

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.data, dtype=dtype)

    def __repr__(self):
        return f"OnlyArray({self.data})"  # no address: every worker must collect the same names


KINDS = [Target.classes_of, Target.real_of]
