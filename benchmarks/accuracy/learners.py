"""The learners: each from training rows to answers for other rows, with the preparation it needs.

The one idea: a learner is a function (X, y, held, task) -> Answer, in the table at the end. Peers get what
their users give them: one-hot columns and imputed gaps where they take neither, and their usual tuning.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.accuracy import black_boxes
from benchmarks.accuracy.answers import Answer, fitted, prepared

FRONTIER = {f"hornbeam, {leaves} leaves at most": leaves for leaves in (2, 3, 4, 6, 8, 12, 16, 24)}


Learner = Callable[[pd.DataFrame, np.ndarray, pd.DataFrame, str], Answer]


# --- Hornbeam -----------------------------------------------------------------------------------------------


def hornbeam(make: Callable[[Any, str], Any]) -> Learner:
    def learn(X: pd.DataFrame, y: np.ndarray, held: pd.DataFrame, task: str) -> Answer:
        import hornbeam as hb

        model = make(hb, task)
        answer = fitted(model, X, y, held, lambda model: int(model.tree_.n_leaves))
        return answer._replace(size=int(model.tree_.reading_size))

    return learn


def hornbeam_of(leaves: int) -> Learner:
    """What `hb.auto` chooses, cut to so many leaves at most by cost-complexity pruning."""

    def learn(X: pd.DataFrame, y: np.ndarray, held: pd.DataFrame, _: str) -> Answer:
        from sklearn.base import clone

        import hornbeam as hb

        full = clone(hb.auto().fit(X, y).model_).set_params(pruning=None).fit(X, y)
        cut = hb.pruning_path(full, risk="impurity").choose(leaves=leaves)
        size = int(cut.tree_.reading_size)
        return Answer(
            cut.predict(held), cut.predict_proba(held), list(cut.classes_), int(cut.tree_.n_leaves), size
        )

    return learn


# --- scikit-learn -------------------------------------------------------------------------------------------


def scikit_learn(X: pd.DataFrame, y: np.ndarray, held: pd.DataFrame, task: str) -> Answer:
    """A full tree, `ccp_alpha` by five inner folds.

    The folds are shuffled: tables that come in an order of their own (nursery) mislead folds in that order.
    """
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    from benchmarks.accuracy.tuned_penalty import tuned

    Z, other = prepared(X, held)
    classes = task == "classification"
    tree = (DecisionTreeClassifier if classes else DecisionTreeRegressor)(random_state=0)
    best = tuned(tree, Z, y, classes=classes)
    shares = best.predict_proba(other) if classes else None
    names = list(best.classes_) if classes else None
    leaves = int(best.get_n_leaves())
    return Answer(best.predict(other), shares, names, leaves, 2 * leaves - 1)


# --- other packages of Python -------------------------------------------------------------------------------


def ydf(X: pd.DataFrame, y: np.ndarray, held: pd.DataFrame, task: str) -> Answer:
    """Its CART learner, which prunes on rows it holds out."""
    import ydf as package

    package.verbose(0)
    names = [f"a{k}" for k in range(X.shape[1])]
    train, other = X.set_axis(names, axis=1), held.set_axis(names, axis=1)
    for frame in (train, other):
        for name in names:
            if not pd.api.types.is_numeric_dtype(frame[name]):
                frame[name] = frame[name].astype(object).where(frame[name].notna(), "")
    kind = package.Task.CLASSIFICATION if task == "classification" else package.Task.REGRESSION
    model = package.CartLearner(label="label", task=kind).train(train.assign(label=y))
    said = model.predict(other)
    leaves = sum(1 for _ in _ydf_leaves(model.get_tree(0).root))
    if task != "classification":
        return Answer(np.asarray(said), None, None, leaves)
    classes = list(model.label_classes())
    shares = np.stack([1 - said, said], axis=1) if np.ndim(said) == 1 else np.asarray(said)
    return Answer(np.array(classes, dtype=object)[shares.argmax(axis=1)], shares, classes, leaves)


def _ydf_leaves(node: Any) -> Any:
    if node.is_leaf:
        yield node
    else:
        yield from _ydf_leaves(node.pos_child)
        yield from _ydf_leaves(node.neg_child)


def orange(X: pd.DataFrame, y: np.ndarray, held: pd.DataFrame, task: str) -> Answer:
    """Its tree learner with its defaults."""
    from Orange.classification import TreeLearner as Classifier
    from Orange.data import ContinuousVariable, DiscreteVariable, Domain, Table
    from Orange.regression import TreeLearner as Regressor

    both = pd.concat([X, held], ignore_index=True)
    columns, codes = [], []
    for k, name in enumerate(both):
        if pd.api.types.is_numeric_dtype(both[name]):
            columns.append(ContinuousVariable(f"a{k}"))
            codes.append(both[name].to_numpy(dtype=float))
        else:
            found = pd.Categorical(both[name].astype(object))
            columns.append(DiscreteVariable(f"a{k}", [str(v) for v in found.categories]))
            codes.append(np.where(found.codes < 0, np.nan, found.codes.astype(float)))
    classes = sorted(set(y)) if task == "classification" else None
    goal = DiscreteVariable("y", [str(v) for v in classes]) if classes else ContinuousVariable("y")
    values = np.array([classes.index(v) for v in y], dtype=float) if classes else y.astype(float)
    cells = np.stack(codes, axis=1)
    train = Table.from_numpy(Domain(columns, goal), cells[: len(X)], values)
    other = Table.from_numpy(Domain(columns, goal), cells[len(X) :], np.zeros(len(held)))
    model = (Classifier if classes else Regressor)()(train)
    leaves = sum(1 for _ in _orange_leaves(model.root))
    if not classes:
        return Answer(np.asarray(model(other)), None, None, leaves)
    shares = np.asarray(model(other, model.Probs))
    return Answer(np.array(classes, dtype=object)[shares.argmax(axis=1)], shares, classes, leaves)


def _orange_leaves(node: Any) -> Any:
    if not node.children:
        yield node
    for child in node.children or ():
        if child is not None:
            yield from _orange_leaves(child)


def cubist(X: pd.DataFrame, y: np.ndarray, held: pd.DataFrame, _: str) -> Answer:
    """One committee; its rules are counted as leaves."""
    from cubist import Cubist

    names = [f"a{k}" for k in range(X.shape[1])]
    model = Cubist(n_committees=1).fit(X.set_axis(names, axis=1), y)
    rules = len(model.coeffs_[["committee", "rule"]].drop_duplicates())
    return Answer(np.asarray(model.predict(held.set_axis(names, axis=1))), None, None, rules)


def linear_tree(X: pd.DataFrame, y: np.ndarray, held: pd.DataFrame, _: str) -> Answer:
    from lineartree import LinearTreeRegressor
    from sklearn.linear_model import LinearRegression

    Z, other = prepared(X, held)
    model = LinearTreeRegressor(LinearRegression()).fit(Z, y)
    return Answer(np.asarray(model.predict(other)), None, None, len(model.summary(only_leaves=True)))


# --- Weka and R ---------------------------------------------------------------------------------------------


def output_of(command: list[str]) -> str:
    """What a program prints; if it fails, its last words are the error."""
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        words = [line for line in done.stderr.splitlines() if line.startswith("Error")] or [done.stderr]
        raise RuntimeError(f"{Path(command[0]).name} ended with: {' '.join(words[-1].split())[-120:]}")
    return done.stdout


def weka(kind: str) -> Learner:
    """J48 or M5P with their defaults; `WEKA` names the jar."""

    def learn(X: pd.DataFrame, y: np.ndarray, held: pd.DataFrame, task: str) -> Answer:
        classes = sorted(set(y)) if task == "classification" else None
        with tempfile.TemporaryDirectory() as path:
            folder = Path(path)
            both = pd.concat([X, held], ignore_index=True)
            for name, part, goal in (("train", X, y), ("test", held, None)):
                _arff(folder / f"{name}.arff", part, goal, both, classes)
            program = ["java", "-Xmx3g", "-XX:+UseSerialGC", "-cp", os.environ["WEKA"]]
            program += [f"weka.classifiers.trees.{kind}", "-T", str(folder / "test.arff")]
            model = str(folder / "model")
            options = ["-t", str(folder / "train.arff"), "-d", model, "-p", "0"]
            options += ["-distribution"] if classes else []
            told, size = output_of([*program, *options]), output_of([*program, "-l", model])
        found = re.search(r"Number of (?:Leaves|Rules)\s*:\s*(\d+)", size)
        leaves = int(found[1]) if found else 1
        lines = [line.split() for line in told.splitlines() if re.match(r"\s+\d+\s", line)]
        if classes is None:
            return Answer(np.array([float(line[2]) for line in lines]), None, None, leaves)
        shares = np.array([[float(p.strip("*")) for p in line[-1].split(",")] for line in lines])
        said = [classes[int(line[2].split(":")[0]) - 1] for line in lines]
        return Answer(np.array(said, dtype=object), shares, classes, leaves)

    return learn


def _arff(
    path: Path, X: pd.DataFrame, y: np.ndarray | None, both: pd.DataFrame, classes: list[Any] | None
) -> None:
    """A table as Weka reads it, with plain names for columns, values and classes."""
    lines, texts = ["@relation t"], []
    for k, column in enumerate(X.columns):
        if pd.api.types.is_numeric_dtype(both[column]):
            lines.append(f"@attribute a{k} numeric")
            texts.append([repr(float(v)) if v == v else "?" for v in X[column]])
        else:
            code = {value: f"v{i}" for i, value in enumerate(sorted(both[column].dropna().unique(), key=str))}
            lines.append(f"@attribute a{k} {{{','.join(code.values())}}}")
            texts.append([code.get(v, "?") for v in X[column].astype(object)])
    if classes is None:
        lines.append("@attribute y numeric")
        goal = ["0"] * len(X) if y is None else [repr(float(v)) for v in y]
    else:
        lines.append(f"@attribute y {{{','.join(f'c{k}' for k in range(len(classes)))}}}")
        goal = ["c0"] * len(X) if y is None else [f"c{classes.index(v)}" for v in y]
    lines.append("@data")
    lines += [",".join(cells) for cells in zip(*texts, goal, strict=True)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


R_SCRIPT = """
a <- commandArgs(TRUE)
all <- read.csv(a[1], na.strings = "", stringsAsFactors = TRUE)
d <- all[all$held == 0, ]; h <- all[all$held == 1, ]
d$held <- NULL; h$held <- NULL
d <- d[, sapply(d, function(column) !all(is.na(column)))]
set.seed(0)
if (a[2] == "rpart") {
  library(rpart)
  how <- if (a[3] == "classification") "class" else "anova"
  f <- rpart(y ~ ., d, method = how, control = rpart.control(cp = 0.0001))
  t <- f$cptable; b <- which.min(t[, "xerror"])
  f <- prune(f, cp = t[which(t[, "xerror"] <= t[b, "xerror"] + t[b, "xstd"])[1], "CP"])
  n <- sum(f$frame$var == "<leaf>")
  p <- if (a[3] == "classification") predict(f, h, type = "prob") else predict(f, h)
} else {
  suppressMessages(library(partykit))
  for (k in setdiff(names(d)[sapply(d, is.factor)], "y")) {  # it refuses values that training never had
    d[[k]] <- droplevels(d[[k]])
    h[[k]] <- factor(as.character(h[[k]]), levels(d[[k]]))
  }
  f <- ctree(y ~ ., d)
  n <- width(f)
  p <- predict(f, h, type = if (a[3] == "classification") "prob" else "response")
}
cat(n, "\\n"); write.table(p, row.names = FALSE, quote = FALSE, sep = ",", col.names = is.matrix(p))
"""


def r(kind: str) -> Learner:
    """rpart with the 1-SE rule, or partykit's ctree; `RSCRIPT` names the program."""

    def learn(X: pd.DataFrame, y: np.ndarray, held: pd.DataFrame, task: str) -> Answer:
        names = [f"a{k}" for k in range(X.shape[1])]
        with tempfile.TemporaryDirectory() as path:
            folder = Path(path)
            (folder / "run.R").write_text(R_SCRIPT, encoding="utf-8")
            both = pd.concat([X, held], ignore_index=True).set_axis(names, axis=1)
            goal = np.concatenate([y, np.full(len(held), y[0])])  # R drops rows without an outcome
            both = both.assign(y=goal, held=np.repeat([0, 1], [len(X), len(held)]))
            both.to_csv(folder / "all.csv", index=False)
            command = [os.environ["RSCRIPT"], str(folder / "run.R"), str(folder / "all.csv"), kind, task]
            lines = output_of(command).splitlines()
        leaves = int(lines[0])
        if task != "classification":
            return Answer(np.array([float(v) for v in lines[-len(held) :]]), None, None, leaves)
        classes = [name.strip('"') for name in lines[1].split(",")]
        shares = np.array([[float(v) for v in line.split(",")] for line in lines[2:]])
        return Answer(np.array(classes, dtype=object)[shares.argmax(axis=1)], shares, classes, leaves)

    return learn


BOTH, CLASSES, NUMBERS = ("classification", "regression"), ("classification",), ("regression",)
LEARNERS: dict[str, tuple[Learner, tuple[str, ...], str]] = {
    "hornbeam auto": (
        hornbeam(lambda hb, task: hb.auto("classes" if task == "classification" else "real")),
        BOTH,
        "hornbeam",
    ),
    "hornbeam c45": (hornbeam(lambda hb, _: hb.c45()), CLASSES, "hornbeam"),
    "hornbeam cart": (
        hornbeam(lambda hb, task: hb.cart("classes" if task == "classification" else "real")),
        BOTH,
        "hornbeam",
    ),
    "hornbeam m5": (hornbeam(lambda hb, _: hb.m5()), NUMBERS, "hornbeam"),
    "scikit-learn": (scikit_learn, BOTH, "sklearn"),
    "rpart": (r("rpart"), BOTH, "RSCRIPT"),
    "partykit ctree": (r("ctree"), BOTH, "RSCRIPT"),
    "J48": (weka("J48"), CLASSES, "WEKA"),
    "M5P": (weka("M5P"), NUMBERS, "WEKA"),
    "YDF": (ydf, BOTH, "ydf"),
    "Orange": (orange, BOTH, "Orange"),
    "cubist": (cubist, NUMBERS, "cubist"),
    "linear-tree": (linear_tree, NUMBERS, "lineartree"),
    **{name: (hornbeam_of(leaves), CLASSES, "hornbeam") for name, leaves in FRONTIER.items()},
    "random forest": (black_boxes.forest, BOTH, "sklearn"),
    "LightGBM": (black_boxes.lightgbm, BOTH, "lightgbm"),
    "logistic regression": (black_boxes.logistic, CLASSES, "sklearn"),
    "ridge regression": (black_boxes.ridge, NUMBERS, "sklearn"),
}
