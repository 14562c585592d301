"""Recipes: functions that return an ordinary estimator, set up as a published algorithm. One table.

A recipe has no code of its own: what it prints is what it is, the slots and numbers of an estimator.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hornbeam._base.parameters import did_you_mean
from hornbeam.estimators.auto import AutoTreeClassifier, AutoTreeRegressor, auto
from hornbeam.estimators.recipes.classifier_recipes import (
    builddt,
    buildtree,
    c45,
    dt,
    id3,
    j48,
)
from hornbeam.estimators.recipes.regression_recipes import cart, chaid, ctree, m5, rpart
from hornbeam.estimators.recipes.search_recipes import lookahead, optimal
from hornbeam.estimators.tree_estimators import TreeClassifier, TreeRegressor

RecipeEstimator = TreeClassifier | TreeRegressor | AutoTreeClassifier | AutoTreeRegressor

RECIPES: Mapping[str, Callable[..., RecipeEstimator]] = {
    "builddt": builddt,
    "id3": id3,
    "dt": dt,
    "buildtree": buildtree,
    "chaid": chaid,
    "ctree": ctree,
    "c45": c45,
    "j48": j48,
    "cart": cart,
    "rpart": rpart,
    "m5": m5,
    "lookahead": lookahead,
    "optimal": optimal,
    "auto": auto,
}

__all__ = [
    "RECIPES",
    "builddt",
    "buildtree",
    "c45",
    "cart",
    "chaid",
    "ctree",
    "dt",
    "id3",
    "j48",
    "lookahead",
    "m5",
    "optimal",
    "recipe",
    "rpart",
]


def recipe(name: str, **params: Any) -> RecipeEstimator:
    """The estimator of a published algorithm, by name.

    Parameters
    ----------
    name : "builddt", "id3", "dt", "buildtree", "chaid", "ctree", "c45", "j48", "cart",
        "rpart", "m5", "lookahead" or "optimal"; or "auto", which chooses by cross-validation
        Each is a function of this name as well; its docstring says what it does.
    **params
        The recipe's own parameters and others of the estimator.

    Examples
    --------
    >>> recipe("id3", max_depth=2)
    TreeClassifier(criterion='entropy', max_depth=2, min_gain=1e-09,
                   missing=OwnBranch(vote='leaf'),
                   split=Multiway(threshold_at='midpoint'))
    >>> recipe("id4")
    Traceback (most recent call last):
    ValueError: recipe 'id4' is not known (did you mean 'id3'?): use one of 'builddt', 'id3', ...
    """
    if not isinstance(name, str) or name not in RECIPES:
        known = ", ".join(map(repr, RECIPES))
        raise ValueError(f"recipe {name!r} is not known{did_you_mean(name, RECIPES)}: use one of {known}")
    return RECIPES[name](**params)
