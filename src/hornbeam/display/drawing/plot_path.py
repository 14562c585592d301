"""Pruning paths and learning curves on axes of matplotlib: error by the size of the tree.

One idea: sizes differ by factors, so leaves are on a logarithmic axis; the two choices people make, the least
error and the smallest tree within one standard error of it, are marked where they are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hornbeam.display.drawing.mpl import need_matplotlib, own_axes
from hornbeam.display.drawing.palette import LIGHT

_CURVES = (
    ("training", "training", "#59626f", "-"),
    ("validation", "validation", LIGHT["class 1"], "-"),
    ("test", "test", LIGHT["class 2"], "--"),
    ("cv", "cross-validation", LIGHT["class 0"], "-"),
)


def plot_path(path: Any, ax: Any = None) -> Any:
    """Draw the errors of a pruning path or of learning curves over the number of leaves.

    Parameters
    ----------
    path : what `hb.pruning_path` or `hb.teaching.learning_curves` returns
        All curves it has are drawn; a band of one standard error is around the one that choices are made by.
    ax : matplotlib Axes or None
        None: new ones.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import hornbeam as hb
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> ax = hb.plot_path(hb.pruning_path(hb.TreeClassifier().fit(X, y), X, y, cv=5))
    >>> ax.get_xlabel()
    'leaves'
    """
    need_matplotlib()
    check_path(path)
    ax = own_axes(ax)
    curves = path.curves()
    leaves = np.asarray(path.leaves)
    for name, label, colour, style in _CURVES:
        if name in curves:
            ax.plot(leaves, curves[name], style, color=colour, marker="o", markersize=3, label=label)
    chosen_by = next((name for name in ("cv", "validation") if name in curves), None)
    if chosen_by is not None:
        _band(chosen_by, leaves, curves, ax)
        _choices(path, chosen_by, leaves, curves, ax)
    _leaf_axis(leaves, ax)
    ax.set_ylabel("mean squared error" if path.tree.task.is_real else "error")
    ax.set_ylim(bottom=0)
    ax.legend(fontsize="small")
    return ax


def check_path(path: Any) -> None:
    """Raise unless this is a path of subtrees."""
    if not hasattr(path, "curves") or not hasattr(path, "leaves"):
        raise TypeError(
            "path must be what hb.pruning_path or hb.teaching.learning_curves returns,"
            f" not a {type(path).__name__}"
        )


def _band(chosen_by: str, leaves: Any, curves: Any, ax: Any) -> None:
    error = curves.get(f"{chosen_by}_error")
    if error is None:
        return
    colour = next(colour for name, _, colour, _ in _CURVES if name == chosen_by)
    mean = np.asarray(curves[chosen_by])
    ax.fill_between(leaves, mean - error, mean + error, color=colour, alpha=0.15, linewidth=0, label="± 1 SE")


def _choices(path: Any, chosen_by: str, leaves: Any, curves: Any, ax: Any) -> None:
    ink = LIGHT["ink"]
    for rule, marker, words in (("min", "v", "least error"), ("1-se", "D", "1-SE choice")):
        step = path.step(rule)
        n_leaves, error = leaves[step], curves[chosen_by][step]
        label = f"{words}: {n_leaves} {'leaf' if n_leaves == 1 else 'leaves'}"
        ax.plot(n_leaves, error, marker, color=ink, markersize=7, zorder=4, label=label, linestyle="none")
        ax.axvline(n_leaves, color=ink, linewidth=0.7, linestyle=":", zorder=1)


def _leaf_axis(leaves: Any, ax: Any) -> None:
    from matplotlib.ticker import FuncFormatter, NullLocator

    ax.set_xscale("log")
    most = int(leaves.max())
    ticks = [t for t in (1, 2, 3, 5, 8, 13, 20, 30, 50) if t <= most]
    scale = 100
    while scale <= most:
        ticks += [t * scale for t in (1, 2, 5) if t * scale <= most]
        scale *= 10
    ax.set_xticks(ticks)
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_xlabel("leaves")
