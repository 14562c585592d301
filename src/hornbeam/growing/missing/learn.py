"""A gap goes where the training gaps gained most."""

from __future__ import annotations

from hornbeam.growing.missing.base import MissingRule


class Learn(MissingRule):
    """A gap goes to the branch where sending the training gaps gained most.

    All gaps against all values is a split, too. In prediction a gap at a test that saw none in training, and
    a category never seen, follow all paths; the leaves reached are weighted by their training weight (R55).

    Examples
    --------
    >>> import hornbeam as hb, numpy as np
    >>> X = np.array([[1.0], [2.0], [np.nan], [np.nan]])
    >>> hb.TreeClassifier(missing="learn").fit(X, ["a", "b", "b", "b"]).predict([[np.nan]])
    array(['b'], dtype='<U1')
    """

    name, about = "learn", "a gap goes where training gaps gained most"
