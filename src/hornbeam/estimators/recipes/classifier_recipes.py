"""Recipes for classification: BuildDT, ID3, DT(S) and BuildTree of the lectures, C4.5, J48."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hornbeam.estimators.tree_estimators import TreeClassifier
from hornbeam.growing.missing import OwnBranch
from hornbeam.growing.selections.gain_selections import AverageGain
from hornbeam.growing.splits.column_splits import Multiway, OneVsRest, YesNo
from hornbeam.growing.splits.extra_tests import Predicates
from hornbeam.pruning.error_based import ErrorBased


def builddt(**params: Any) -> TreeClassifier:
    """An estimator that grows trees as BuildDT does.

    No rows: a leaf with the majority class of the node above. All rows of one class, or no column left: a
    leaf with the majority class. Otherwise the column of the largest information gain gets a branch for each
    of its values and is used up below. A gain of zero is enough, so exclusive or is solved. Numeric columns
    are cut at a threshold and may be tested again. "Missing" is a value: a test whose column had gaps has a
    branch for them, which gaps follow in prediction, too. At a test without one, a gap follows all paths, and
    every leaf reached has one vote per training row.

    Parameters
    ----------
    **params
        Other parameters of `TreeClassifier`, such as `max_depth=3`.

    Examples
    --------
    >>> import hornbeam as hb
    >>> builddt()
    TreeClassifier(criterion='entropy', missing=OwnBranch(vote='leaf'),
                   split=Multiway(threshold_at='midpoint'))
    >>> robots = hb.datasets.load("robots")
    >>> builddt().fit(robots.X, robots.y).tree_.text()
    'body[circle: smile[no: enemy(0:1) | yes: ally(2:0)] | square: enemy(0:3) | triangle: ally(2:0)]'
    """
    split = Multiway(threshold_at="midpoint")
    own: dict[str, Any] = {"criterion": "entropy", "split": split, "missing": OwnBranch(vote="leaf")}
    return TreeClassifier(**own | params)


NO_GAIN = 1e-9  # a gain up to this is none


def id3(**params: Any) -> TreeClassifier:
    """An estimator that grows trees as ID3 does.

    The column of the highest information gain gets a branch for each of its values. A node whose best gain is
    at most 1e-9, or whose columns are used up, is a leaf with its majority class; hence exclusive or is one
    leaf. Everything else is as in `builddt`.

    Parameters
    ----------
    **params
        Other parameters of `TreeClassifier`, such as `max_depth=3`.

    References
    ----------
    Quinlan, J. R. (1986). Induction of decision trees. Machine Learning, 1, 81-106.

    Examples
    --------
    >>> import hornbeam as hb
    >>> id3()
    TreeClassifier(criterion='entropy', min_gain=1e-09,
                   missing=OwnBranch(vote='leaf'),
                   split=Multiway(threshold_at='midpoint'))
    >>> tennis = hb.datasets.load("tennis")
    >>> print(hb.show(id3().fit(tennis.X, tennis.y), max_depth=1, charset="ascii"))
    Outlook?  gain 0.247 bits  64 % Yes  n=14 (5:9)
    |-- = Overcast  -> Yes  100 %  n=4 (0:4)
    |-- = Rain  ...
    `-- = Sunny  ...
    counts are No:Yes
    """
    return builddt(**{"min_gain": NO_GAIN} | params)


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
    TreeClassifier(missing=OwnBranch(vote='leaf'),
                   split=YesNo(threshold_at='midpoint'))
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
    split = YesNo(threshold_at="midpoint") if predicates is None else Predicates(predicates, columns=None)
    own: dict[str, Any] = {"criterion": "gini", "split": split, "missing": OwnBranch(vote="leaf")}
    return TreeClassifier(**own | params)


def buildtree(max_depth: int | None = None, n_min: float = 2, **params: Any) -> TreeClassifier:
    """An estimator that grows trees as BuildTree does.

    A node is a leaf if its rows are of one class, if it lies at `max_depth`, or if it has fewer than `n_min`
    rows; otherwise the feature j and threshold t of the least Gini index divide it into x_j <= t and x_j > t.
    Each value of a nominal column is a binary variable of its own, tested as `A = v`. A leaf answers with the
    class shares of its rows. Gaps are treated as in `builddt`.

    Parameters
    ----------
    max_depth : int or None
        A node of this depth is a leaf; the root has depth 0.
    n_min : int or float
        A node of fewer rows is a leaf; a float is a share of all rows. It is `min_samples_split` of the
        estimator.
    **params
        Other parameters of `TreeClassifier`, such as `min_gain=0.01`.

    Examples
    --------
    >>> import hornbeam as hb
    >>> buildtree(max_depth=3, n_min=5)
    TreeClassifier(max_depth=3, min_samples_split=5, missing=OwnBranch(vote='leaf'),
                   split=OneVsRest(threshold_at='midpoint'))
    >>> table = hb.datasets.load("temperature")
    >>> buildtree(n_min=7).fit(table.X, table.y).tree_.text()
    'Temperature[<=-5.5: No(2:0) | >-5.5: Yes(2:4)]'
    """
    if "min_samples_split" in params:
        raise ValueError(
            f"min_samples_split={params['min_samples_split']!r} is called n_min here: use n_min instead of it"
        )
    split = OneVsRest(threshold_at="midpoint")
    own: dict[str, Any] = {"criterion": "gini", "split": split, "missing": OwnBranch(vote="leaf")}
    return TreeClassifier(**own | {"max_depth": max_depth, "min_samples_split": n_min} | params)


def c45(
    confidence: float = 0.25,
    min_cases: float = 2,
    *,
    correction: str | None = "code",
    limit: str = "c45",
    raising: bool = True,
    collapse: bool = True,
    **params: Any,
) -> TreeClassifier:
    """An estimator that grows and prunes trees as C4.5 release 8 does.

    A nominal column gets a branch for each of its values, a numeric one is cut at a value of the training
    table; of the columns whose gain is at least the mean the one of the best gain ratio is taken, as long as
    two branches hold `min_cases` cases. A row with a gap goes down every branch with a part of its weight. A
    subtree that makes no fewer training errors than a leaf is one; then the tree is pruned by the errors
    that its leaves are expected to make, and subtrees are raised.

    Parameters
    ----------
    confidence : float
        CF of the pruning, C4.5's option -c (there in percent): the smaller, the more is pruned.
    min_cases : float
        Cases that two branches must hold, C4.5's -m.
    correction : "code", "paper" or None
        What a threshold pays for being one of many, as in `hornbeam.parts.AverageGain`.
    limit : "c45", "exact" or "weka"
        The upper limit of errors, as in `hornbeam.parts.ErrorBased`.
    raising, collapse : bool
        Whether subtrees are raised in pruning, and collapsed before it.
    **params
        Other parameters of `TreeClassifier`, such as `max_depth=3`; `pruning=None` leaves the tree as it was
        grown.

    References
    ----------
    Quinlan, J. R. (1993). C4.5: Programs for Machine Learning. Morgan Kaufmann. Quinlan, J. R. (1996).
    Improved use of continuous attributes in C4.5. Journal of Artificial Intelligence Research, 4, 77-90.

    Examples
    --------
    >>> import hornbeam as hb
    >>> c45()
    TreeClassifier(criterion='gain-ratio', missing='fractional',
                   pruning=ErrorBased(), selection=AverageGain(),
                   split=Multiway(threshold_at='value'))
    >>> tennis = hb.datasets.load("tennis")
    >>> c45().fit(tennis.X, tennis.y).tree_.text()
    'Outlook[Overcast: Yes(0:4) | Rain: Wind[Strong: No(2:0) | Weak: Yes(0:3)] | Sunny: Humidity[High: ...
    """
    own: dict[str, Any] = {
        "criterion": "gain-ratio",
        "selection": AverageGain(min_branch=min_cases, correction=correction),
        "split": Multiway(threshold_at="value"),
        "missing": "fractional",
        "pruning": ErrorBased(confidence, limit, raising=raising, collapse=collapse),
    }
    return TreeClassifier(**own | params)


def j48(
    confidence: float = 0.25, min_cases: float = 2, *, raising: bool = True, **params: Any
) -> TreeClassifier:
    """An estimator that grows and prunes trees as Weka's J48 does.

    It is `hornbeam.c45` with another upper limit of errors: the normal deviate is that of the normal law
    instead of one read off a table, and a leaf that is all wrong is expected to stay so. The tree is J48's,
    but for numbers nearer than 0.00001, which J48 does not tell apart, and for scores nearer than a
    millionth, which are ties to it.

    Parameters
    ----------
    confidence, min_cases : float
        J48's options -C and -M.
    raising : bool
        Whether subtrees are raised; False is J48's option -S.
    **params
        Other parameters of `hornbeam.c45` and `TreeClassifier`; `pruning="collapse"` is J48's -U.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> j48().fit(X, y).tree_.statistics()
    {'depth': 4, 'leaves': 5, 'tests': 4, 'nodes': 9, 'reading_size': 9}
    """
    return c45(confidence, min_cases, raising=raising, **{"limit": "weka"} | params)
