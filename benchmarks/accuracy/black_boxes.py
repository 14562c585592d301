"""What is given up for reading: models that nobody reads, with the tuning that their users give them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from benchmarks.accuracy.answers import Answer, fitted, prepared


def forest(X: pd.DataFrame, y: np.ndarray, held: pd.DataFrame, task: str) -> Answer:
    """scikit-learn's random forest of 300 trees with its other defaults."""
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    Z, other = prepared(X, held)
    kind = RandomForestClassifier if task == "classification" else RandomForestRegressor
    return fitted(kind(300, random_state=0), Z, y, other, lambda model: _leaves_of(model.estimators_))


def _leaves_of(trees: Any) -> int:
    return sum(int(tree.get_n_leaves()) for tree in trees)


def logistic(X: pd.DataFrame, y: np.ndarray, held: pd.DataFrame, _: str) -> Answer:
    """Logistic regression of standardised columns, its penalty by three inner folds."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    Z, other = prepared(X, held)
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=300))
    grid = {"logisticregression__C": [0.01, 0.1, 1.0, 10.0]}
    return fitted(GridSearchCV(model, grid, cv=3, scoring="neg_log_loss"), Z, y, other, lambda _: 1)


def ridge(X: pd.DataFrame, y: np.ndarray, held: pd.DataFrame, _: str) -> Answer:
    """Ridge regression of standardised columns, its penalty by leaving one row out."""
    from sklearn.linear_model import RidgeCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    Z, other = prepared(X, held)
    return fitted(
        make_pipeline(StandardScaler(), RidgeCV(np.geomspace(1e-3, 1e4, 15))), Z, y, other, lambda _: 1
    )


def lightgbm(X: pd.DataFrame, y: np.ndarray, held: pd.DataFrame, task: str) -> Answer:
    """LightGBM with its own categories; leaves, trees and rate by three inner folds."""
    from lightgbm import LGBMClassifier, LGBMRegressor
    from sklearn.model_selection import GridSearchCV

    both = pd.concat([X, held], ignore_index=True).set_axis([f"a{k}" for k in range(X.shape[1])], axis=1)
    for name in both:
        if not pd.api.types.is_numeric_dtype(both[name]):
            both[name] = both[name].astype("category")
    Z, other = both[: len(X)], both[len(X) :]
    classes = task == "classification"
    kind = LGBMClassifier if classes else LGBMRegressor
    sizes = [(4, 60, 0.1), (8, 60, 0.1), (8, 120, 0.05), (16, 60, 0.1), (31, 100, 0.1)]
    names = ("num_leaves", "n_estimators", "learning_rate")
    grid = [{name: [value] for name, value in zip(names, each, strict=True)} for each in sizes]
    model = kind(verbose=-1, n_jobs=1, min_child_samples=10, random_state=0)
    search = GridSearchCV(model, grid, cv=3, scoring="neg_log_loss" if classes else None)
    count = lambda s: int(s.best_estimator_.booster_.num_trees() * s.best_params_["num_leaves"])  # noqa: E731
    return fitted(search, Z, y, other, count)
