"""AutoTreeClassifier, AutoTreeRegressor, and `auto`, which makes one."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal, overload

from sklearn.base import ClassifierMixin, RegressorMixin

from hornbeam._base.parameters import check_choice
from hornbeam._base.types import Floats, Task
from hornbeam.data.encoding import LARGEST
from hornbeam.data.target import Target
from hornbeam.estimators.auto.base import AutoTree
from hornbeam.estimators.auto.configurations import CLASSES, NUMBERS, Configuration
from hornbeam.estimators.auto.trials import AIMS
from hornbeam.estimators.base import LogProbabilities, Progress
from hornbeam.estimators.tree_estimators import TreeClassifier, TreeRegressor


@dataclass(eq=False, repr=False)
class AutoTreeClassifier(ClassifierMixin, LogProbabilities, AutoTree):
    """A classification tree whose criterion, splits, size and smoothing are chosen by cross-validation.

    Ways of growing are tried on the same folds: information gain, the Gini index, and the Gini index where
    columns of many values count less; two branches, and two rows in a leaf at least. Every test names one
    column, unless `sums` are asked for. Each way is judged at every size that cost-complexity pruning gives,
    by what `aim` says. Of all these trees the one is taken whose loss on the rows held out, plus half a
    standard error times the root of its leaves but one, is the least; leaves are those of a plain tree of
    its reading size (`Tree.reading_size`). It is fitted on all rows. Class shares are m-estimates with
    m = 1: as if one row more had come to the leaf, with the class shares of all rows. From fewer than 30 rows
    nothing can be learned by holding some out: the first way is taken, and every subtree that lowers the
    training error stays.

    A row of weight w is as good as w equal rows, and one of weight 0 as none. Equal rows are copies of one
    observation, and count as one row of their joint weight, unless rows are combinations of so few values
    that equal ones come about by chance: then each counts, and whole weights are repetitions.

    Parameters
    ----------
    budget : int
        How many trees may be grown in all, at least 3. It never counts seconds, so the choice is the same on
        every machine. Folds are as many as it allows, 10 at most; where there may be twice as many trees, the
        rows are dealt to folds twice.
    rule : "thrifty", "1-se" or "min"
        The size of each way: the best on rows held out, where trees pay for their leaves as said above; the
        smallest whose loss exceeds the least by no more than the standard error of the least; or that of the
        least loss.
    consider : None, a name or several
        Of "entropy", "oblique", "gini", "few-values", "c45", "c45-multiway"; None: "entropy" and "gini",
        "few-values" if a nominal column has more than two, and "oblique" if `sums` are asked for.
        "c45-multiway" has a branch for each value and sends rows without one down all branches in parts,
        which few people can read. A name also overrules the limit on rows for "oblique".
    aim : "mixed", "error", "log-loss" or "auc"
        What the tree is chosen for: right answers and right probabilities alike (half the error and half the
        Brier score); right answers; probabilities; or the ranking of rows by them (AUC, of several classes
        the mean of each against the others). `fit` cannot know how the tree will be scored, so say it here
        where only one of them matters.
    sums : bool
        Whether tests may add up to three columns, or values of nominal ones, with short coefficients
        ("oblique"; where rows times terms are at most 300,000, since their search takes long). A sum counts
        as many terms as it adds up.
    max_depth, min_samples_leaf : int or None
        Limits for every tree; None: none, or those of each way of growing.
    exclude : "auto", None, or the columns to leave out: names, positions, a mask
        "auto" leaves out nominal columns that only name rows: those of values all different, or of so many
        (ten, and a twentieth of the rows) that what they tell is chance; a warning and `account_` name them.
        None keeps all columns.
    categorical_features, parse_dates, monotonic_cst, class_weight, n_jobs
        As for `TreeClassifier`.
    random_state : int, Generator, RandomState or None
        The seed of the folds.
    time_limit : float or None
        Seconds after which choosing and growing are stopped; `fit` then warns (`hb.PartialFitWarning`) and
        keeps the best tree so far, grown without one of the folds. Unlike `budget` it depends on the machine.

    Attributes
    ----------
    model_ : the fitted TreeClassifier; printing it shows how to make it by hand, from distinct rows and their
        weights
    tree_ : its Tree
    account_ : SelectionReport
        Every way tried with its error; `print(model.account_)` says it in words.
    partial_ : whether choosing or growing was stopped before it was finished
    excluded_ : the columns left out
    classes_, n_features_in_, feature_names_in_, feature_importances_

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = AutoTreeClassifier(consider=["entropy", "gini"]).fit(X, y)
    >>> model.account_.chosen, model.tree_.n_leaves
    ('entropy', 4)
    >>> model.model_.leaf
    Constant(m=1.0, smoothing='m-estimate')
    >>> print(model.account_)
    chose information gain, two branches with thrifty pruning: 0.963 ± 0.015, against 0.957 ± 0.017 for ...
    decided by errors and Brier score alike; reading size ..., against ... for Gini index, two branches; ...
    by rows held out in 10 folds, dealt twice; 41 fits in all; ±: standard error
    """

    task = Task.CLASSES
    _configurations, _estimator, _measure = CLASSES, TreeClassifier, "error"

    _: KW_ONLY
    aim: str = "mixed"
    sums: bool = False
    class_weight: Any = None

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        counts: Any = None,
        progress: Progress | None = None,
    ) -> AutoTreeClassifier:
        """Choose a tree and learn it; the parameters are those of `TreeClassifier.fit`."""

        def target_of(n_rows: int, weights: Any, repeats: Any) -> Target:
            return Target.classes_of(
                y, weights, repeats, self.class_weight, n_rows=n_rows, estimator=type(self).__name__
            )

        weighing = (sample_weight, counts)
        self._fit(X, y, weighing, target_of, progress, class_weight=self.class_weight)
        return self

    def _tries(self, configuration: Configuration) -> bool:
        if not isinstance(self.sums, bool):
            raise TypeError(f"sums={self.sums!r} must be True or False: whether tests may add up columns")
        return not configuration.on_request or (self.sums and configuration.name == "oblique")

    def _aim(self) -> str:
        check_choice("aim", self.aim, tuple(aim for aim in AIMS if aim != "squared error"))
        return self.aim

    def predict_proba(self, X: Any) -> Floats:
        """The probability of each class for each row, in the order of `classes_`."""
        model = self._fitted()
        assert isinstance(model, TreeClassifier)
        shares: Floats = model.predict_proba(X)
        return shares


@dataclass(eq=False, repr=False)
class AutoTreeRegressor(RegressorMixin, AutoTree):
    """A regression tree whose leaves, growth and size are chosen by cross-validation.

    Tried on the same folds: lines of at most four terms in the leaves, or of at most eight, grown on the
    target or on what one line for all rows leaves of it; means. All numbers of the equations are rounded to
    what a person can use. Each way is judged at every size that cost-complexity
    pruning gives. Of all these trees the one of least squared error on the rows held out is taken, where the
    reading size (`Tree.reading_size`, which counts terms) costs half as much as for classes. The winner is
    fitted on all rows. Weights and equal rows are taken as by
    `AutoTreeClassifier`.

    Parameters
    ----------
    budget, max_depth, min_samples_leaf, categorical_features, exclude, parse_dates, monotonic_cst,
    n_jobs, random_state, time_limit
        As for `AutoTreeClassifier`.
    rule : "thrifty", "1-se" or "min"
        As for `AutoTreeClassifier`; with "min" the least squared error alone decides, whatever the size.
    consider : None, a name or several
        Of "short-lines", "short-residuals", "long-lines", "long-residuals", "means"; None: all of these that
        suit the table. `consider="means"` gives a tree of plain means. Only on request: "short-curves",
        parabolas of at most eight terms, which nobody computes in the head; "lines", "residuals", "smoother",
        "unsmoothed", "m5", "curves", "curves-20", whose equations hold all columns with all digits.

    Attributes
    ----------
    model_ : the fitted TreeRegressor; printing it shows how to make it by hand
    tree_ : its Tree
    account_ : SelectionReport
    partial_ : bool
    n_features_in_, feature_names_in_, feature_importances_

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    >>> model = AutoTreeRegressor(consider=["short-lines", "means"]).fit(X, y)
    >>> print(model.account_)
    chose lines of at most four terms with thrifty pruning: 55.97 ± 1.693, against 60.9 ± 1.973 for means ...
    decided by squared errors; reading size 5, against 10.4 for means in the leaves
    by rows held out in 10 folds, dealt twice; 41 fits in all; ±: standard error
    >>> print(model.tree_)
    → -340 + 7*bmi + 0.9*bp - 0.3*s1 + 60*s5  within 25 to 346  n=442
    within: never below or above
    """

    task = Task.REAL
    _configurations, _estimator, _measure = NUMBERS, TreeRegressor, "squared error"

    def _is_thrifty(self) -> bool:
        return self.rule != "min"

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        counts: Any = None,
        progress: Progress | None = None,
    ) -> AutoTreeRegressor:
        """Choose a tree and learn it; the parameters are those of `TreeRegressor.fit`."""

        def target_of(n_rows: int, weights: Any, repeats: Any) -> Target:
            name = type(self).__name__
            return Target.real_of(y, weights, repeats, n_rows=n_rows, estimator=name, least_range=1 / LARGEST)

        self._fit(X, y, (sample_weight, counts), target_of, progress)
        return self


@overload
def auto(task: Literal["classes"] = "classes", **params: Any) -> AutoTreeClassifier: ...


@overload
def auto(task: Literal["real"], **params: Any) -> AutoTreeRegressor: ...


def auto(task: str = "classes", *rows: Any, **params: Any) -> AutoTreeClassifier | AutoTreeRegressor:
    """An estimator that chooses its tree by cross-validation.

    Parameters
    ----------
    task : "classes" or "real"
        Whether to return an `AutoTreeClassifier` or an `AutoTreeRegressor`.
    **params
        Their parameters, such as `budget=30`.

    Examples
    --------
    >>> auto(budget=30)
    AutoTreeClassifier(budget=30)
    >>> auto("real", consider="means")
    AutoTreeRegressor(consider='means')
    """
    kinds = {"classes": AutoTreeClassifier, "real": AutoTreeRegressor}
    if rows or not isinstance(task, str):
        raise TypeError(
            "hb.auto makes an estimator and takes no rows: write hb.auto().fit(X, y) for classes,"
            " hb.auto('real').fit(X, y) for numbers"
        )
    if task not in kinds:
        raise ValueError(f"task={task!r} must be 'classes' or 'real'")
    return kinds[task](**params)
