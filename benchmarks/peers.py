"""The learners that are compared, each behind the same few methods.

The one idea: a `Job` says what tree is wanted (depth, rows a leaf, threads) and a `Peer` is that job in a
learner's own terms, chosen so that the trees are comparable: one tree, no shrinkage, no penalty, Gini or
squared error, the fastest interface from a ready array. A peer that is missing or cannot do a job says why.
"""

from __future__ import annotations

import importlib
import json
import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

LARGE = 200_000
"""Rows above which a boosting library is not asked for a full tree: it takes gigabytes or tens of seconds."""


@dataclass(frozen=True)
class Job:
    """One tree to grow, in terms that every peer can be set to."""

    task: str  # "classes" or "regression"
    classes: int
    rows: int
    max_depth: int | None
    min_leaf: int
    threads: int
    nominal: tuple[int, ...] = ()

    @property
    def multiclass(self) -> bool:
        return self.task == "classes" and self.classes > 2

    @property
    def too_large_for_boosting(self) -> bool:  # a full tree for regression has a leaf for every row
        return self.max_depth is None and (self.rows > LARGE or self.task == "regression")


class Peer(ABC):
    """A learner set up for one job; the defaults suit a scikit-learn estimator."""

    name: ClassVar[str]
    package: ClassVar[str]
    exact: ClassVar[bool] = True  # searches all thresholds, not those between at most 256 bins
    slow: ClassVar[bool] = False  # one repetition has to do on large data
    one_thread: ClassVar[bool] = False

    def __init__(self, job: Job) -> None:
        self.job = job
        self.module = self.load()

    @classmethod
    def load(cls) -> Any:
        return importlib.import_module(cls.package)

    @classmethod
    def missing(cls) -> str | None:
        """Why the peer cannot be used at all, or None."""
        try:
            cls.load()
        except (ImportError, OSError) as error:
            return f"not available: {error}"
        return None

    def refuses(self) -> str | None:
        """Why the peer cannot do its job, or None."""
        return None

    @abstractmethod
    def fit(self, X: Array, y: Array) -> Any:
        """Grow the tree: this call is what is timed."""

    def predict(self, model: Any, X: Array) -> Array:
        """Class numbers or real values."""
        return np.asarray(model.predict(X))

    @abstractmethod
    def leaves(self, model: Any) -> int | None:
        """How many leaves the tree has, None where that cannot be known."""


class Hornbeam(Peer):
    name = "hornbeam"
    package = "hornbeam"

    @classmethod
    def load(cls) -> Any:
        module = super().load()
        _ = module.TreeClassifier, module.TreeRegressor  # imported when first named: not while measuring
        return module

    def fit(self, X: Array, y: Array) -> Any:
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

    def refuses(self) -> str | None:
        return "has no nominal columns: it would take the codes for numbers" if self.job.nominal else None

    def fit(self, X: Array, y: Array) -> Any:
        job, tree = self.job, self.module
        make = tree.DecisionTreeClassifier if job.task == "classes" else tree.DecisionTreeRegressor
        return make(max_depth=job.max_depth, min_samples_leaf=job.min_leaf, random_state=0).fit(X, y)

    def leaves(self, model: Any) -> int | None:
        return int(model.get_n_leaves())


class LightGBM(Peer):
    """Started at probability one half every row has the same curvature, so the gain is Gini's."""

    name = "lightgbm"
    package = "lightgbm"
    exact = False

    def refuses(self) -> str | None:
        if self.job.multiclass:
            return "grows one tree per class, not one tree"
        if self.job.too_large_for_boosting:
            return "stops at 131,072 leaves and needs gigabytes or tens of seconds for a tree of so many"
        return None

    def fit(self, X: Array, y: Array) -> Any:
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

    def predict(self, model: Any, X: Array) -> Array:
        answer = np.asarray(model.predict(X))
        return (answer > 0.5).astype(int) if self.job.task == "classes" else answer

    def leaves(self, model: Any) -> int | None:
        found = re.search(r"num_leaves=(\d+)", model.model_to_string())
        return int(found[1]) if found else None


class XGBoost(Peer):
    """Started at one half as LightGBM is, so each row weighs a quarter in `min_child_weight`."""

    name = "xgboost"
    package = "xgboost"
    exact = False

    def refuses(self) -> str | None:
        if self.job.multiclass and self.job.nominal:
            return "cannot combine one tree for several classes with nominal columns"
        if self.job.too_large_for_boosting:
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

    def fit(self, X: Array, y: Array) -> Any:
        job, xgb = self.job, self.module
        params = {"tree_method": "hist", "max_bin": 256, "eta": 1.0, "reg_lambda": 0.0}
        params |= {"max_depth": job.max_depth or 0, "nthread": job.threads, **self.objective(y)}
        table = xgb.QuantileDMatrix(X, y, nthread=job.threads, max_bin=256, **self.nominal(X.shape[1]))
        return xgb.train(params, table, num_boost_round=1)

    def predict(self, model: Any, X: Array) -> Array:
        answer = np.asarray(model.predict(self.module.DMatrix(X, **self.nominal(X.shape[1]))))
        if self.job.task == "regression":
            return answer
        return answer.argmax(axis=1) if answer.ndim == 2 else (answer > 0.5).astype(np.int64)

    def leaves(self, model: Any) -> int | None:
        saved = json.loads(bytes(model.save_raw("json")))
        trees = saved["learner"]["gradient_booster"]["model"]["trees"]
        return sum(list(tree["left_children"]).count(-1) for tree in trees)


class SnapML(Peer):
    name = "snapml"
    package = "snapml"
    exact = False

    def refuses(self) -> str | None:
        return "has neither nominal columns nor missing values" if self.job.nominal else None

    def fit(self, X: Array, y: Array) -> Any:
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


PEERS: dict[str, type[Peer]] = {
    peer.name: peer for peer in (Hornbeam, ScikitLearn, SnapMLExact, LightGBM, XGBoost, SnapML)
}


def choose(names: str | None) -> list[type[Peer]]:
    """The peers of a comma-separated list, all of them for None."""
    wanted = list(PEERS) if names is None else [name.strip() for name in names.split(",") if name.strip()]
    unknown = [name for name in wanted if name not in PEERS]
    if unknown:
        raise SystemExit(f"--only names {', '.join(unknown)}; choose from {', '.join(PEERS)}")
    return [PEERS[name] for name in wanted]
