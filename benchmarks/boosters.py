"""Boosting libraries, asked for one tree: LightGBM, XGBoost, CatBoost.

The one idea: the first tree of a boosting run, without shrinkage and penalties and started at probability one
half, gains what Gini's index gains (every row has the same curvature), or the variance for regression.
"""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np

from benchmarks.peer import Array, Peer


class LightGBM(Peer):
    name = "lightgbm"
    package = "lightgbm"
    exact = False
    way = "two sets of values at a test, smoothed and of at most 32 values; gaps go to the better branch"

    def refuses(self) -> str | None:
        if self.job.multiclass:
            return "grows one tree per class, not one tree"
        if self.job.too_large_for_boosting:
            return "stops at 131,072 leaves and needs gigabytes or tens of seconds for a tree of so many"
        return None

    def fit(self, X: Any, y: Array) -> Any:
        job, lgb = self.job, self.module
        params = {
            "objective": "binary" if job.task == "classes" else "regression",
            "boost_from_average": job.task == "regression",
            "learning_rate": 1.0,
            "max_depth": job.max_depth or -1,
            "num_leaves": min(131_072, job.rows) if job.max_depth is None else 2**job.max_depth,
            "min_data_in_leaf": job.min_leaf,
            "min_sum_hessian_in_leaf": 0.0,
            "num_threads": job.threads,
            "histogram_pool_size": 512 if job.max_depth is None else -1,
            "verbosity": -1,
        }
        table = lgb.Dataset(X, y, categorical_feature=list(job.nominal) or "auto", params={"verbosity": -1})
        return lgb.train(params, table, num_boost_round=1, keep_training_booster=True)

    def predict(self, model: Any, X: Any) -> Array:
        answer = np.asarray(model.predict(X))
        return (answer > 0.5).astype(int) if self.job.task == "classes" else answer

    def leaves(self, model: Any) -> int | None:
        found = re.search(r"num_leaves=(\d+)", model.model_to_string())
        return int(found[1]) if found else None


class XGBoost(Peer):
    """Each row weighs a quarter in `min_child_weight`."""

    name = "xgboost"
    package = "xgboost"
    exact = False
    way = "two sets of values at a test, of at most 64 values; gaps go to the better branch"

    def refuses(self) -> str | None:
        if self.job.multiclass and self.job.nominal:
            return "cannot combine one tree for several classes with nominal columns"
        if self.job.too_large_for_boosting or self.job.too_wide_for_boosting:
            return "keeps a histogram for each node: many gigabytes for a tree of so many leaves"
        return None

    def objective(self, y: Array) -> dict[str, Any]:
        least = self.job.min_leaf
        if self.job.task == "regression":
            return {"objective": "reg:squarederror", "base_score": y.mean(), "min_child_weight": least}
        if self.job.multiclass:  # one tree with vector leaves; it does not keep to a least leaf size
            one_tree = {"multi_strategy": "multi_output_tree", "min_child_weight": 0}
            return {"objective": "multi:softprob", "num_class": self.job.classes, **one_tree}
        return {"objective": "binary:logistic", "base_score": 0.5, "min_child_weight": least / 4}

    def nominal(self, columns: int) -> dict[str, Any]:
        kinds = ["c" if j in self.job.nominal else "q" for j in range(columns)]
        return {"feature_types": kinds, "enable_categorical": True} if self.job.nominal else {}

    def fit(self, X: Any, y: Array) -> Any:
        job, xgb = self.job, self.module
        params = {"tree_method": "hist", "max_bin": 256, "eta": 1.0, "reg_lambda": 0.0}
        params |= {"max_depth": job.max_depth or 0, "nthread": job.threads, **self.objective(y)}
        table = xgb.QuantileDMatrix(X, y, nthread=job.threads, max_bin=256, **self.nominal(X.shape[1]))
        return xgb.train(params, table, num_boost_round=1)

    def predict(self, model: Any, X: Any) -> Array:
        answer = np.asarray(model.predict(self.module.DMatrix(X, **self.nominal(X.shape[1]))))
        if self.job.task == "regression":
            return answer
        return answer.argmax(axis=1) if answer.ndim == 2 else (answer > 0.5).astype(np.int64)

    def leaves(self, model: Any) -> int | None:
        saved = json.loads(bytes(model.save_raw("json")))
        trees = saved["learner"]["gradient_booster"]["model"]["trees"]
        return sum(list(tree["left_children"]).count(-1) for tree in trees)


class CatBoost(Peer):
    """Grown level by level with a test for each node, as the others do."""

    name = "catboost"
    package = "catboost"
    exact = False
    policy = "Depthwise"
    way = "nominal columns as statistics of the target; gaps in numbers below all others, or a value"

    def refuses(self) -> str | None:
        if self.job.max_depth is None:
            return "grows at most 16 levels"
        return None

    def prepare(self, X: Array) -> Any:
        nominal = list(self.job.nominal)
        if not nominal:
            return X
        numbers = [j for j in range(X.shape[1]) if j not in self.job.nominal]
        words = X[:, nominal].astype("S8").astype(object)  # each category, and "nan", as bytes
        return np.ascontiguousarray(X[:, numbers], dtype=np.float32), words

    def table(self, X: Any, y: Array | None) -> Any:
        if isinstance(X, tuple):
            X = self.module.FeaturesData(num_feature_data=X[0], cat_feature_data=X[1])
        return self.module.Pool(X, y)

    def fit(self, X: Any, y: Array) -> Any:
        job, cat = self.job, self.module
        loss = "RMSE" if job.task == "regression" else "MultiClass" if job.multiclass else "Logloss"
        params = {
            "loss_function": loss,
            "iterations": 1,
            "learning_rate": 1.0,
            "depth": job.max_depth,
            "grow_policy": self.policy,
            "border_count": 254,
            "l2_leaf_reg": 0.0,
            "random_strength": 0.0,
            "bootstrap_type": "No",
            "score_function": "L2",
            "boost_from_average": job.task == "regression",
            "leaf_estimation_iterations": 1,
            "boosting_type": "Plain",
            "thread_count": job.threads,
            "allow_writing_files": False,
            "verbose": False,
        }
        if self.alike:
            params["min_data_in_leaf"] = job.min_leaf
        return cat.CatBoost(params).fit(self.table(X, y))

    def predict(self, model: Any, X: Any) -> Array:
        kind = "RawFormulaVal" if self.job.task == "regression" else "Class"
        said = np.asarray(model.predict(self.table(X, None), prediction_type=kind)).ravel()
        return said if self.job.task == "regression" else said.astype(np.int64)

    def leaves(self, model: Any) -> int | None:
        return int(model.get_tree_leaf_counts()[0])


class CatBoostSymmetric(CatBoost):
    """Its default."""

    name = "catboost-symmetric"
    policy = "SymmetricTree"
    alike = False
    grows = "asks the same test of all nodes of a level, whatever their size"
