"""Display objects in scikit-learn's manner: computed once, plotted as often as wanted.

One idea: `from_estimator` computes and plots, `plot` draws again on other axes, `ax_` and `figure_` are
where.
"""

from __future__ import annotations

from typing import Any, Self

from hornbeam.display.drawing import plot_path, plot_regions, plot_tree
from hornbeam.estimators.pruning_path import pruning_path


class _Display:
    """What all displays share: what is shown, and the axes of the last plot."""

    ax_: Any
    figure_: Any

    def __init__(self, model: Any, X: Any = None, y: Any = None, **options: Any) -> None:
        self.model, self.X, self.y, self.options = model, X, y, options

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any = None, y: Any = None, *, ax: Any = None, **options: Any
    ) -> Self:
        """Return the display of a fitted estimator, plotted."""
        return cls(estimator, X, y, **options).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Plot on axes, new ones if None."""
        self.ax_ = self._plot_on(ax)
        self.figure_ = self.ax_.figure
        return self

    def _plot_on(self, ax: Any) -> Any:
        raise NotImplementedError


class TreeDisplay(_Display):
    """A tree as boxes with edges or as an icicle.

    Parameters
    ----------
    model : estimator, Tree, or the path of a saved one
    X, y : rows to show in the boxes of the nodes, or None
    **options
        What `hb.plot_tree` takes by name.

    Attributes
    ----------
    ax_, figure_ : where it was plotted last
    artists_ : the artists in drawing order

    Examples
    --------
    >>> import hornbeam as hb
    >>> from matplotlib.figure import Figure
    >>> tennis = hb.datasets.load("tennis")
    >>> model = hb.id3().fit(tennis.X, tennis.y)
    >>> display = TreeDisplay.from_estimator(model, tennis.X, tennis.y, ax=Figure().subplots())
    >>> len(display.artists_) > 40
    True
    """

    def _plot_on(self, ax: Any) -> Any:
        self.artists_ = plot_tree(self.model, ax, self.X, self.y, **self.options)
        return self.artists_[0].axes


class PruningPathDisplay(_Display):
    """Training, validation and cross-validated error over the number of leaves.

    Parameters
    ----------
    path : PruningPath

    Attributes
    ----------
    ax_, figure_ : where it was plotted last

    Examples
    --------
    >>> import hornbeam as hb
    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> ax = Figure().subplots()
    >>> display = PruningPathDisplay.from_estimator(hb.TreeClassifier().fit(X, y), X, y, cv=5, ax=ax)
    >>> display.path.step("1-se") <= len(display.path)
    True
    """

    def __init__(self, path: Any) -> None:
        self.path = path

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any = None, y: Any = None, *, ax: Any = None, **options: Any
    ) -> Self:
        """Return the display of a fitted estimator's path, plotted; options as in `hb.pruning_path`."""
        return cls(pruning_path(estimator, X, y, **options)).plot(ax)

    def _plot_on(self, ax: Any) -> Any:
        return plot_path(self.path, ax)


class BoundaryDisplay(_Display):
    """Decision regions or a regression surface as exact polygons.

    Parameters
    ----------
    model : estimator, Tree, or the path of a saved one
    X, y, columns, at
        As `hb.plot_regions` has them.

    Attributes
    ----------
    ax_, figure_ : where it was plotted last

    Examples
    --------
    >>> import hornbeam as hb
    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = hb.TreeClassifier(max_depth=2).fit(X, y)
    >>> BoundaryDisplay.from_estimator(model, X, y, ax=Figure().subplots()).ax_.get_ylabel()
    'petal width (cm)'
    """

    def _plot_on(self, ax: Any) -> Any:
        return plot_regions(self.model, self.X, self.y, ax=ax, **self.options)
