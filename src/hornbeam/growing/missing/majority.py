"""The majority's way: a gap follows the branch that most of the known weight takes (R58's last resort)."""

from __future__ import annotations

from hornbeam.growing.missing.base import MissingRule


class Majority(MissingRule):
    """A gap follows the branch of the most known weight, of equally heavy ones the first; in prediction too.

    A test is judged by the rows whose value is known: its gain is what it gains on them times their share of
    the node's weight. Every test of the tree knows its heaviest branch, so prediction never has to follow two
    paths, and a category never seen counts as a gap.

    Examples
    --------
    >>> import hornbeam as hb
    >>> X = {"colour": ["red", "red", "blue", None]}
    >>> model = hb.TreeClassifier(missing="majority").fit(X, ["a", "a", "b", "b"])
    >>> model.tree_.text()
    'colour[{blue}: b(0:1) | {red}: a(2:1)]'
    >>> model.predict({"colour": [None, "green"]})
    array(['a', 'a'], dtype='<U1')
    """

    name, about = "majority", "a gap follows the branch of the most known weight"
    core_rule = 3
