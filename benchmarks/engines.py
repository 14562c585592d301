"""The engines that answer for rows: each builds a function from a ready array to its answers.

The one idea: where an engine can load a foreign tree it gets scikit-learn's (XGBoost through its JSON form,
ONNX Runtime through skl2onnx), so that the same tree is walked; Hornbeam and SnapML walk the tree they grew.
"""

from __future__ import annotations

import copy
import importlib
import json
import pickle
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.data import Array
from benchmarks.peers import PEERS, Job

Answer = Callable[[Array], Array]


@dataclass
class Trees:
    """The fitted trees of one setting, grown on first use; scikit-learn's is kept in `folder` for others."""

    X: Array
    y: Array
    job: Job
    folder: Path
    grown: dict[str, Any] = field(default_factory=dict)

    def of(self, name: str) -> Any:
        if name not in self.grown:
            self.grown[name] = self.kept() if name == "sklearn" else self.fitted(name)
        return self.grown[name]

    def fitted(self, name: str) -> Any:
        return PEERS[name](self.job).fit(self.X, self.y)

    def kept(self) -> Any:
        path = self.folder / "sklearn.pickle"
        if path.exists():
            return pickle.loads(path.read_bytes())
        model = self.fitted("sklearn")
        path.write_bytes(pickle.dumps(model))
        return model


def hornbeam_predict(trees: Trees, threads: int) -> Answer:
    model = copy.copy(trees.of("hornbeam")).set_params(n_jobs=threads)
    return lambda X: np.asarray(model.predict(X))


def hornbeam_apply(trees: Trees, threads: int) -> Answer:
    model = copy.copy(trees.of("hornbeam")).set_params(n_jobs=threads)
    return lambda X: np.asarray(model.apply(X))


def sklearn_predict(trees: Trees, _threads: int) -> Answer:
    model = trees.of("sklearn")
    return lambda X: np.asarray(model.predict(X))


def sklearn_apply(trees: Trees, _threads: int) -> Answer:
    model = trees.of("sklearn")
    return lambda X: np.asarray(model.apply(X))


def snapml_predict(trees: Trees, threads: int) -> Answer:
    model = copy.copy(trees.of("snapml")).set_params(n_jobs=threads)
    return lambda X: np.asarray(model.predict(X))


def xgboost_inplace(trees: Trees, threads: int) -> Answer:
    booster = xgboost_from_sklearn(trees.of("sklearn"), trees.X.shape[1])
    booster.set_param({"nthread": threads})
    return lambda X: np.asarray(booster.inplace_predict(X))


def onnx_label(trees: Trees, threads: int) -> Answer:
    ort, skl2onnx = importlib.import_module("onnxruntime"), importlib.import_module("skl2onnx")
    first = trees.X[:1].astype(np.float32)
    model = skl2onnx.to_onnx(trees.of("sklearn"), first, options={"zipmap": False})
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return lambda X: np.asarray(session.run(["label"], {"X": X.astype(np.float32, copy=False)})[0])


def xgboost_from_sklearn(model: Any, columns: int) -> Any:
    """A booster that walks scikit-learn's tree and answers above 1/2 for the second class.

    A small booster of one stump gives the frame of the JSON form; its arrays are replaced. XGBoost goes left
    for x < t where scikit-learn does for x <= t, so t becomes the next float32 above it.
    """
    xgb = importlib.import_module("xgboost")
    stump = xgb.DMatrix(np.eye(2, columns, dtype=np.float32), np.array([0.0, 1.0]))
    params = {"objective": "binary:logistic", "base_score": 0.5, "max_depth": 1}
    frame = json.loads(bytes(xgb.train(params, stump, num_boost_round=1).save_raw("json")))
    frame["learner"]["gradient_booster"]["model"]["trees"][0] |= _xgboost_arrays(model.tree_, columns)
    booster = xgb.Booster()
    booster.load_model(bytearray(json.dumps(frame), "utf-8"))
    return booster


def _side_by_side(tree: Any) -> Array:
    """The nodes in an order in which siblings are neighbours, as XGBoost walks to `left + (x >= t)`."""
    level, levels = np.zeros(1, dtype=np.int64), []
    while level.size:
        levels.append(level)
        left, right = tree.children_left[level], tree.children_right[level]
        level = np.stack([left, right], axis=1)[left >= 0].ravel()
    return np.concatenate(levels)


def _xgboost_arrays(tree: Any, columns: int) -> dict[str, Any]:
    order, n = _side_by_side(tree), int(tree.node_count)
    place = np.empty(n + 1, dtype=np.int64)  # one more, so that the child -1 of a leaf stays -1
    place[order], place[-1] = np.arange(n), -1
    left, right = place[tree.children_left[order]], place[tree.children_right[order]]
    leaf, threshold = left < 0, tree.threshold[order]
    above = threshold.astype(np.float32)
    above = np.where(above > threshold, above, np.nextafter(above, np.float32(np.inf)))
    vote = np.where(tree.value[order, 0, :].argmax(axis=1) == 1, 1.0, -1.0)
    parents = np.full(n, 2**31 - 1)
    parents[left[~leaf]] = parents[right[~leaf]] = np.flatnonzero(~leaf)
    size = {"num_deleted": "0", "num_feature": str(columns), "num_nodes": str(n), "size_leaf_vector": "1"}
    return {
        "base_weights": vote.tolist(),
        "default_left": [0] * n,
        "left_children": left.tolist(),
        "right_children": right.tolist(),
        "loss_changes": [0.0] * n,
        "parents": parents.tolist(),
        "split_conditions": np.where(leaf, vote, above).tolist(),
        "split_indices": np.where(leaf, 0, tree.feature[order]).tolist(),
        "split_type": [0] * n,
        "sum_hessian": tree.weighted_n_node_samples[order].tolist(),
        "tree_param": size,
    }


@dataclass(frozen=True)
class Engine:
    """How one engine is built, and whose answer it is compared with."""

    build: Callable[[Trees, int], Answer]
    tree: str  # the peer whose tree it walks
    against: str  # the engine of Hornbeam that does the same job
    needs: tuple[str, ...]
    one_thread: bool = False

    def missing(self) -> str | None:
        """Why the engine cannot be used, or None."""
        for package in self.needs:
            try:
                importlib.import_module(package)
            except (ImportError, OSError) as error:
                return f"not available: {error}"
        return None


PREDICT, APPLY = "hornbeam predict", "hornbeam apply"
ENGINES: dict[str, Engine] = {
    PREDICT: Engine(hornbeam_predict, "hornbeam", PREDICT, ("hornbeam",)),
    APPLY: Engine(hornbeam_apply, "hornbeam", APPLY, ("hornbeam",)),
    "sklearn predict": Engine(sklearn_predict, "sklearn", PREDICT, ("sklearn",), one_thread=True),
    "sklearn apply": Engine(sklearn_apply, "sklearn", APPLY, ("sklearn",), one_thread=True),
    "xgboost inplace_predict": Engine(xgboost_inplace, "sklearn", PREDICT, ("xgboost",)),
    "onnxruntime label": Engine(onnx_label, "sklearn", PREDICT, ("onnxruntime", "skl2onnx")),
    "snapml predict": Engine(snapml_predict, "snapml", PREDICT, ("snapml",)),
}


def choose_engines(names: str | None) -> dict[str, Engine]:
    """The engines whose name begins with one of a comma-separated list, all of them for None."""
    wanted = None if names is None else tuple(name.strip() for name in names.split(","))
    chosen = {name: engine for name, engine in ENGINES.items() if wanted is None or name.startswith(wanted)}
    if not chosen:
        raise SystemExit(f"--only={names} names none of {', '.join(ENGINES)}")
    return chosen
