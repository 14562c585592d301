"""Validation: a leaf in place of a test only if the validation error decreases (R76)."""

from __future__ import annotations

from typing import Any

from hornbeam.pruning.reduced_error import ReducedError


class Validation(ReducedError):  # noqa: N818 (no exception)
    """Validation pruning (Pošík, slide 21): a test becomes a leaf only if the validation error decreases.

    It is `ReducedError` with `ties="keep"`: a leaf that is only as good as the subtree does not replace it,
    so what no validation row reaches stays.

    Parameters
    ----------
    holdout : float
        The share of the rows that the tree is pruned on, not grown; in `hornbeam.prune` these are X and y.
    random_state : int, Generator, RandomState or None
        Another number, another split.

    Examples
    --------
    >>> import hornbeam as hb
    >>> tree = hb.Tree.from_nested({"column": "x", "<=": 1.5, "yes": {"counts": {"a": 3, "b": 1}},
    ...                             "no": {"counts": {"a": 1, "b": 2}}})
    >>> hb.prune(tree, "validation", {"x": [1, 2, 2]}, ["a", "a", "b"]).text()
    'x[<=1.5: a(3:1) | >1.5: b(1:2)]'
    >>> hb.prune(tree, "validation", {"x": [1, 2, 2]}, ["a", "a", "a"]).text()
    'a(4:3)'
    """

    name, about = "validation", "leaves where the error on a second sample decreases"

    def __init__(self, holdout: float = 0.3, random_state: Any = 0) -> None:
        super().__init__(holdout, "keep", random_state)
