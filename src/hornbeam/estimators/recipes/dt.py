"""DT(S) (Mansour's notes): the test of a finite class that leaves the least Gini potential (R41)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hornbeam.estimators.tree_estimators import TreeClassifier
from hornbeam.growing.missing import OwnBranch
from hornbeam.growing.splits.column_splits import YesNo
from hornbeam.growing.splits.extra_tests import Predicates


def dt(predicates: Sequence[Any] | None = None, **params: Any) -> TreeClassifier:
    """An estimator that grows trees as DT(S) does, over any finite class of predicates.

    Each predicate h sends the share u of a node's rows to one side, where the share p is of class 1, the
    others to the other side, where it is r; the predicate of the least u G(p) + (1 - u) G(r) is taken, G(q) =
    2q(1 - q) being the Gini index. Two repairs: a predicate that is the same for all rows of a node is
    skipped, and where none is left the node is a leaf with its majority class. A split that gains nothing is
    allowed. Gaps are treated as in `builddt`.

    Parameters
    ----------
    predicates : list or None
        The class of predicates, as `hornbeam.parts.Predicates` takes them: texts such as "x1 + x2 > 0.5",
        trees, or Python functions. None: the columns themselves; of two values a column is a predicate, of
        more values each `A = v` is one, and numeric columns have all thresholds.
    **params
        Other parameters of `TreeClassifier`, such as `max_depth=3`.

    Examples
    --------
    >>> import hornbeam as hb
    >>> dt()
    TreeClassifier(missing=OwnBranch(vote='leaf'), split=YesNo())
    >>> table = hb.datasets.load("xcount")
    >>> dt().fit(table.X, table.y, counts=table.counts).tree_.text()
    'X1[F: X2[F: T(0:1) | T: F(5:0)] | T: T(0:4)]'
    >>> xor = hb.datasets.load("xor2")
    >>> dt(["X1 + X2 > 0.5", "X1 + X2 > 1.5"]).fit(xor.X, xor.y).tree_.text()
    '(X1 + X2 > 0.5)[yes: (X1 + X2 > 1.5)[yes: 0(1:0) | no: 1(0:2)] | no: 0(1:0)]'
    """
    if predicates is not None and "split" in params:
        raise ValueError(
            f"predicates and split={params['split']!r} both say what is tested: give one of them; for"
            " predicates beside columns use split=Predicates([...], columns='binary') of hornbeam.parts"
        )
    split = YesNo() if predicates is None else Predicates(predicates, columns=None)
    own: dict[str, Any] = {"criterion": "gini", "split": split, "missing": OwnBranch(vote="leaf")}
    return TreeClassifier(**own | params)
