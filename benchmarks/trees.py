"""Learners of single trees: Hornbeam, scikit-learn, SnapML, YDF, Orange.

The one idea: each is told to grow the same tree (depth, rows a leaf, no pruning) through its fastest
interface from a ready array.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.peer import Array, Peer


class Hornbeam(Peer):
    name = "hornbeam"
    package = "hornbeam"
    way = "two sets of values at a test; gaps go to the branch where they gain more"

    def fit(self, X: Any, y: Array) -> Any:
        job, hb = self.job, self.module
        make = hb.TreeClassifier if job.task == "classes" else hb.TreeRegressor
        nominal = {"categorical_features": list(job.nominal)} if job.nominal else {}
        model = make(max_depth=job.max_depth, min_samples_leaf=job.min_leaf, n_jobs=job.threads, **nominal)
        return model.fit(X, y)

    def leaves(self, model: Any) -> int | None:
        return int(model.tree_.n_leaves)


class ScikitLearn(Peer):
    name = "sklearn"
    package = "sklearn.tree"
    slow = True
    one_thread = True
    way = "has no nominal columns: takes the codes for numbers; gaps go to the branch where they gain more"

    def fit(self, X: Any, y: Array) -> Any:
        job, tree = self.job, self.module
        make = tree.DecisionTreeClassifier if job.task == "classes" else tree.DecisionTreeRegressor
        return make(max_depth=job.max_depth, min_samples_leaf=job.min_leaf, random_state=0).fit(X, y)

    def leaves(self, model: Any) -> int | None:
        return int(model.get_n_leaves())


class SnapML(Peer):
    name = "snapml"
    package = "snapml"
    exact = False
    way = "has neither: takes the codes for numbers, gaps are given as the column's median"

    def prepare(self, X: Array) -> Any:
        if not self.job.nominal:
            return X
        return np.where(np.isnan(X), np.nanmedian(X, axis=0).astype(X.dtype), X)

    def fit(self, X: Any, y: Array) -> Any:
        job, snap = self.job, self.module
        make = snap.DecisionTreeClassifier if job.task == "classes" else snap.DecisionTreeRegressor
        bins = {"use_histograms": False} if self.exact else {"use_histograms": True, "hist_nbins": 256}
        limits = {"max_depth": job.max_depth, "min_samples_leaf": job.min_leaf}
        return make(n_jobs=job.threads, **limits, **bins).fit(X, y)

    def leaves(self, model: Any) -> int | None:
        """From the size of its saved form: 16 bytes, 24 a node, 4 a leaf and class beyond the first."""
        size = int(model.__getstate__()["model_size_"])
        shares = 4 * (self.job.classes - 1) if self.job.multiclass else 0
        count, rest = divmod(size + 8, 48 + shares)
        return count if rest == 0 else None


class SnapMLExact(SnapML):
    name = "snapml-exact"
    exact = True
    slow = True


class YDF(Peer):
    """Its CART learner without the rows it holds out for pruning; a root alone counts as depth 1."""

    name = "ydf"
    package = "ydf"
    slow = True
    grows = "splits classes by information gain"
    way = "two sets of values at a test; gaps are taken for the column's mean or most frequent value"

    def prepare(self, X: Array) -> Any:
        """Columns by name; categories as bytes, none where they are missing (numbers crash it there)."""
        columns = {}
        for j in range(X.shape[1]):
            column = np.ascontiguousarray(X[:, j])
            if j in self.job.nominal:
                words = np.array([b"%d" % k for k in range(int(np.nanmax(column)) + 1)] + [b""])
                column = words[np.where(np.isnan(column), -1, column).astype(np.int64)]
            columns[f"x{j}"] = column
        return columns

    def fit(self, X: Any, y: Array) -> Any:
        job, ydf = self.job, self.module
        ydf.verbose(0)
        kind = ydf.Task.CLASSIFICATION if job.task == "classes" else ydf.Task.REGRESSION
        kinds = ydf.Semantic.NUMERICAL, ydf.Semantic.CATEGORICAL
        columns = [ydf.Feature(name, kinds[j in job.nominal]) for j, name in enumerate(X)]
        limits = {
            "max_depth": -1 if job.max_depth is None else job.max_depth + 1,
            "min_examples": job.min_leaf,
        }
        learner = ydf.CartLearner(
            label="y", task=kind, features=columns, validation_ratio=0.0, num_threads=job.threads, **limits
        )
        return learner.train({**X, "y": y})

    def predict(self, model: Any, X: Any) -> Array:
        said = np.asarray(model.predict(X))
        if self.job.task == "regression":
            return said
        shares = np.stack([1 - said, said], axis=1) if said.ndim == 1 else said
        return np.array([int(name) for name in model.label_classes()])[shares.argmax(axis=1)]

    def leaves(self, model: Any) -> int | None:
        return (int(model.num_nodes()) + 1) // 2


class Orange(Peer):
    """Its own tree learner, without its rule that stops at a majority of 95 %."""

    name = "orange"
    package = "Orange"
    slow = True
    one_thread = True
    grows = "splits classes by information gain"
    way = "a branch for each value; rows with a gap at a test take no part below it"

    def prepare(self, X: Array) -> Any:
        data, columns = self.module.data, []
        for j in range(X.shape[1]):
            if j in self.job.nominal:
                values = [str(value) for value in range(int(np.nanmax(X[:, j])) + 1)]
                columns.append(data.DiscreteVariable(f"x{j}", values))
            else:
                columns.append(data.ContinuousVariable(f"x{j}"))
        return columns, X.astype(np.float64)

    def table(self, X: Any, y: Array) -> Any:
        data = self.module.data
        if self.job.task == "classes":
            goal = data.DiscreteVariable("y", [str(k) for k in range(self.job.classes)])
        else:
            goal = data.ContinuousVariable("y")
        return data.Table.from_numpy(data.Domain(X[0], goal), X[1], np.asarray(y, dtype=np.float64))

    def fit(self, X: Any, y: Array) -> Any:
        from Orange.classification import TreeLearner as Classifier
        from Orange.regression import TreeLearner as Regressor

        limits = {"max_depth": self.job.max_depth, "min_samples_leaf": self.job.min_leaf}
        if self.job.task == "classes":
            return Classifier(sufficient_majority=1.0, **limits)(self.table(X, y))
        return Regressor(**limits)(self.table(X, y))

    def predict(self, model: Any, X: Any) -> Array:
        return np.asarray(model(self.table(X, np.zeros(len(X[1])))))

    def leaves(self, model: Any) -> int | None:
        return sum(1 for _ in _leaves(model.root))


def _leaves(node: Any) -> Iterator[Any]:
    waiting = [node]
    while waiting:
        one = waiting.pop()
        children = [child for child in one.children or () if child is not None]
        if children:
            waiting += children
        else:
            yield one
