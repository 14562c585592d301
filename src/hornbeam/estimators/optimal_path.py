"""The best trees of every size: what each further leaf is worth, proven in one run."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, TypeVar

from sklearn.base import clone

from hornbeam.estimators.tree_estimators import TreeClassifier, TreeRegressor
from hornbeam.growing.searches import Optimal, OptimalOfPath

M = TypeVar("M", TreeClassifier, TreeRegressor)


def optimal_path(model: M, X: Any, y: Any, **fit_params: Any) -> list[M]:
    """The best tree of 1, 2, ... leaves within a depth, each with its certificate.

    A size is left out where no tree of it is better than a smaller one. All sizes are searched in one run
    that remembers what it learned, within one time limit; the certificates say what was proven until then.

    Parameters
    ----------
    model : tree with search="optimal" and a max_depth, such as `hb.optimal(max_depth=3)`
        It is not fitted. Its `max_leaf_nodes`, if any, is the largest size.
    X, y : the rows
    **fit_params
        What else `fit` takes, such as `sample_weight`.

    Returns
    -------
    list of fitted estimators
        Copies of the model, each with the `max_leaf_nodes` of its size; the smallest first.

    Examples
    --------
    >>> import hornbeam as hb
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> for best in hb.optimal_path(hb.optimal(max_depth=2), X, y):
    ...     print(best.max_leaf_nodes, int(best.certificate_.objective))
    1 212
    2 44
    3 27
    4 22
    """
    asked = Optimal() if isinstance(model.search, str) and model.search == Optimal.name else model.search
    if not isinstance(asked, Optimal):
        raise ValueError(
            f"search={model.search!r} finds no best trees: use hb.optimal(max_depth=3), or search='optimal'"
        )
    # The first fit, of the largest size, asks for all sizes; the others take its answers.
    search = OptimalOfPath(**{field.name: getattr(asked, field.name) for field in fields(Optimal)})
    own = model.get_params(deep=False) | {"search": search}
    type(model)(**own).fit(X, y, **fit_params)
    path: list[M] = []
    for leaves in range(1, len(search.answers) + 1):
        if path and search.answers[leaves - 1]["cost"] >= search.answers[leaves - 2]["cost"]:
            continue
        best = type(model)(**own | {"max_leaf_nodes": leaves}).fit(X, y, **fit_params)
        path.append(best.set_params(search=clone(asked)))
    return path
