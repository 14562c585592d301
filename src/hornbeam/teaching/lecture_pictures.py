"""Pictures for lectures, on axes of matplotlib: measures of a node, bounds over sizes, trees side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hornbeam._base.parameters import whole
from hornbeam.display.drawing import plot_tree
from hornbeam.display.drawing.mpl import need_matplotlib, own_axes
from hornbeam.display.drawing.palette import LIGHT
from hornbeam.display.drawing.plot_path import check_path
from hornbeam.teaching.measures import potentials
from hornbeam.teaching.theory.bounds import error_bound
from hornbeam.teaching.theory.tree_counts import log_trees_by_leaves
from hornbeam.tree.hooks import tree_of

_MEASURES: Mapping[str, tuple[Any, str, str]] = {
    "root": (lambda q: np.sqrt(q * (1 - q)), LIGHT["class 3"], "-."),
    "half entropy": (lambda q: potentials.half_entropy([q, 1 - q]), LIGHT["class 0"], "-"),
    "Gini index": (lambda q: potentials.gini([q, 1 - q]), LIGHT["class 1"], "--"),
    "error": (lambda q: min(q, 1 - q), LIGHT["class 2"], ":"),
}


def plot_measures(ax: Any = None, *, share: float | None = None) -> Any:
    """The curves of root, entropy, Gini index and error over the share of one class, all 1/2 at its middle.

    Parameters
    ----------
    ax : matplotlib Axes or None
        None: new ones.
    share : float or None
        A share of one class to be marked on every curve.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> [line.get_label() for line in plot_measures().lines]
    ['root', 'half entropy', 'Gini index', 'error']
    """
    need_matplotlib()
    ax = own_axes(ax)
    q = np.linspace(0, 1, 201)
    for name, (measure, colour, style) in _MEASURES.items():
        values = [float(measure(one)) for one in q]
        ax.plot(q, values, style, color=colour, label=name)
        if share is not None:
            ax.plot([share], [float(measure(share))], "o", color=colour, markersize=4, label="_marked")
    ax.set(xlabel="share of one class", ylabel="potential", xlim=(0, 1), ylim=(0, None))
    ax.legend(frameon=False)
    return ax


def plot_bound(path: Any, n_tests: int, *, delta: float = 0.05, ax: Any = None) -> Any:
    """Training error, and the bound on the true error, over the number of leaves of a tree.

    The bound is the training error plus sqrt((log |H| + log 1/delta) / 2m), |H| being the number of trees of
    so many leaves over `n_tests` tests: the training error falls, the price of size rises, and the least of
    their sum is marked.

    Parameters
    ----------
    path : what `hb.pruning_path` returns
    n_tests : int
        How many tests there are to choose from, such as the number of Boolean columns.
    delta : float
        The bound holds with probability 1 - delta.
    ax : matplotlib Axes or None

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import hornbeam as hb
    >>> tennis = hb.datasets.load("tennis")
    >>> ax = plot_bound(hb.pruning_path(hb.id3().fit(tennis.X, tennis.y)), n_tests=4)
    >>> [line.get_label() for line in ax.lines]
    ['bound', 'training', 'least bound']
    """
    need_matplotlib()
    n_tests = whole(n_tests, "n_tests", 1)
    check_path(path)
    ax = own_axes(ax)
    leaves, m = np.asarray(path.leaves), int(path.tree.n_rows[0])
    labels = len(path.tree.classes or ())
    if not labels:
        raise ValueError("the bound is about the error of classes, but this path is of a tree of numbers")
    bounds = [
        error_bound(float(error), log_trees_by_leaves(n_tests, int(k), labels=labels), m, delta)
        for error, k in zip(path.training, leaves, strict=True)
    ]
    ax.plot(leaves, bounds, "-o", color=LIGHT["class 1"], markersize=3, label="bound")
    ax.plot(leaves, path.training, "-o", color="#59626f", markersize=3, label="training")
    best = int(np.argmin(bounds))
    ax.plot([leaves[best]], [bounds[best]], "s", color=LIGHT["class 0"], label="least bound")
    ax.set(xlabel="leaves", ylabel="error", xscale="log")
    ax.legend(frameon=False)
    return ax


def plot_trees(models: Sequence[Any], titles: Sequence[str] | None = None) -> Any:
    """Trees side by side on one figure: a small beside a large one, candidates, Huffman trees.

    Parameters
    ----------
    models : fitted trees, or Trees
    titles : a title for each

    Returns
    -------
    matplotlib Figure

    Examples
    --------
    >>> import hornbeam as hb
    >>> X, y = {"x": [1, 2, 3, 4]}, ["a", "b", "a", "b"]
    >>> small, large = (hb.TreeClassifier(max_depth=d).fit(X, y) for d in (1, None))
    >>> len(plot_trees([small, large], ["small", "large"]).axes)
    2
    """
    need_matplotlib()
    from matplotlib.figure import Figure

    models = list(models)
    if not models:
        raise ValueError("models is empty: give at least one tree")
    names = [""] * len(models) if titles is None else list(titles)
    if len(names) != len(models):
        raise ValueError(f"titles has {len(names)} entries for {len(models)} models: give one for each")
    leaves = [tree_of(model).n_leaves for model in models]
    widths = [max(n, max(leaves) / 2) for n in leaves]  # a small tree must be read, too
    figure = Figure(figsize=(min(4.0 * len(models) + 0.4 * sum(widths), 24), 5), layout="constrained")
    for model, name, ax in zip(
        models, names, np.ravel(figure.subplots(1, len(models), width_ratios=widths)), strict=True
    ):
        plot_tree(model, ax=ax)
        ax.set_title(name)
    return figure
