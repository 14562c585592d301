"""to_sklearn: a tree or forest as a fitted model of scikit-learn, for everything that reads those.

One idea: scikit-learn rounds a value to single precision before it compares it. So a threshold is rounded up
with its own value, and moves between the two training values beside it if one of them would change sides.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from hornbeam._base.types import AnyArray, Floats, Longs, Task
from hornbeam.growing.plan import features_wanted
from hornbeam.tree.binary_form import BinaryForm, binary_form
from hornbeam.tree.hooks import inner_model, tree_of
from hornbeam.tree.outputs import is_mixed
from hornbeam.tree.tree import Tree

# scikit-learn's name of a criterion whose impurity is the same number; that of the other trees is made anew.
_CRITERIA = {
    "gini": "gini",
    "entropy": "entropy",
    "gain-ratio": "entropy",
    "variance": "squared_error",
    "absolute": "absolute_error",
}
# Parameters of the same meaning, which a copy that is fitted anew needs.
_LIMITS = (
    *("max_depth", "max_leaf_nodes", "min_samples_split", "min_samples_leaf", "min_weight_fraction_leaf"),
    *("min_impurity_decrease", "max_features"),
)
_UNDEFINED = -2  # what scikit-learn writes in a leaf as its column and its threshold
_INSTEAD = "grow it with split='binary' on numbers, or use the functions of Hornbeam"


def to_sklearn(model: Any) -> Any:
    """A fitted model as one of scikit-learn that predicts the same.

    A tree becomes a `DecisionTreeClassifier` or `DecisionTreeRegressor`, a forest a `RandomForestClassifier`
    or `RandomForestRegressor`. So what reads those reads it: `export_text`, `plot_tree` and
    `export_graphviz`, dtreeviz, supertree, `shap.TreeExplainer`.

    Predictions and probabilities agree on the training rows and on all rows in single precision, to which
    scikit-learn rounds every value: a double that lies nearer to a threshold than that (a share of 6e-8) may
    fall on its other side. A gap goes where growing has learned that it goes; where it has seen none, to the
    heavier side, as in scikit-learn, while Hornbeam follows both.

    Parameters
    ----------
    model : a fitted tree or forest, a Tree, or the path of a saved one
        Its tests must be cuts of numeric columns, its leaves constants, and costs must not decide.

    Examples
    --------
    >>> import hornbeam as hb
    >>> from sklearn.tree import export_text
    >>> model = hb.TreeClassifier().fit({"age": [20, 30, 40]}, ["no", "no", "yes"])
    >>> print(export_text(hb.to_sklearn(model)))
    |--- feature_0 <= 35.00
    |   |--- class: no
    |--- feature_0 >  35.00
    |   |--- class: yes
    <BLANKLINE>
    """
    model = inner_model(model, for_rows=True)
    if hasattr(model, "trees_"):
        return _forest(model)
    tree = tree_of(model, for_rows=True, several=True)
    if is_mixed(tree.outputs):
        raise ValueError(
            "this tree answers classes and numbers, which no tree of scikit-learn does: give the tree of one"
            f" target, tree.output({tree.outputs[0].name!r})"
        )
    labels = getattr(model, "classes_", None)
    fitted = _fitted(tree, _sorted_labels(tree) if labels is None else labels, model)
    if hasattr(model, "feature_names_in_"):
        fitted.feature_names_in_ = model.feature_names_in_
    return fitted


def _fitted(tree: Tree, labels: Any, model: Any) -> Any:
    """One tree as an estimator; `labels` are the classes as scikit-learn sorts them, or a list of those."""
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    if tree.task not in (Task.CLASSES, Task.REAL):
        raise ValueError(f"this tree answers with a {tree.task.value}, which no tree of scikit-learn does")
    if tree.policy["missing"] == "all-paths" or len(tree.surrogate_column):
        warnings.warn(
            "a gap follows all branches of this tree, or a surrogate; in scikit-learn it goes to one branch:"
            " rows with gaps may get other answers",
            stacklevel=3,
        )
    form = binary_form(tree, "scikit-learn", _INSTEAD)
    is_classes = tree.classes is not None
    criterion = _CRITERIA.get(str(tree.meta.get("criterion")), "gini" if is_classes else "squared_error")
    limits = {name: getattr(model, name) for name in _LIMITS if hasattr(model, name)}
    estimator = (DecisionTreeClassifier if is_classes else DecisionTreeRegressor)(
        criterion=criterion, **limits
    )
    each = [tree.output(k) for k in range(len(tree.outputs))] or [tree]
    listed = labels if tree.outputs and labels is not None else [labels] * len(each)
    if labels is not None:
        sizes = [len(own) for own in listed]
        estimator.classes_ = list(labels) if tree.outputs else np.asarray(labels)
        estimator.n_classes_ = np.array(sizes, dtype=np.int64) if tree.outputs else np.int64(sizes[0])
    estimator.tree_ = _inner(tree, form, list(zip(each, listed, strict=True)))
    estimator.n_outputs_ = len(each)
    estimator.n_features_in_ = len(tree.columns)
    estimator.max_features_ = features_wanted(limits.get("max_features"), len(tree.columns)) or len(
        tree.columns
    )
    return estimator


def _inner(tree: Tree, form: BinaryForm, targets: list[tuple[Tree, AnyArray | None]]) -> Any:
    """scikit-learn's own record of the tree: a structure for each node, in depth-first order.

    `targets` are the trees that answer each target, with its labels.
    """
    from sklearn.tree._tree import Tree as SklearnTree

    n_classes = np.array([1 if labels is None else len(labels) for _, labels in targets], dtype=np.intp)
    inner = SklearnTree(len(tree.columns), n_classes, len(targets))
    order, depth = _depth_first(form)
    place = np.empty(len(order) + 1, dtype=np.int64)
    place[order], place[-1] = np.arange(len(order)), -1  # no child stays none
    left, right, default = (np.array(links)[order] for links in (form.left, form.right, form.default))
    leaf = left < 0
    source = np.array(form.source)[order]
    values = np.zeros((len(order), len(targets), int(n_classes.max())))
    for k, (one, labels) in enumerate(targets):
        values[:, k, : n_classes[k]] = _values(one, labels)[source]
    nodes = np.zeros(len(order), dtype=inner.__getstate__()["nodes"].dtype)
    nodes["left_child"], nodes["right_child"] = place[left], place[right]
    nodes["feature"] = np.where(leaf, _UNDEFINED, np.array(form.column)[order])
    nodes["threshold"] = np.where(leaf, _UNDEFINED, _thresholds(tree, form)[order])
    nodes["impurity"] = _impurity(tree, source, values[:, 0, : n_classes[0]])
    nodes["n_node_samples"] = np.array(form.n_rows)[order]
    nodes["weighted_n_node_samples"] = np.array(form.weight)[order]
    nodes["missing_go_to_left"] = ~leaf & (default == left)
    inner.__setstate__({"max_depth": depth, "node_count": len(order), "nodes": nodes, "values": values})
    return inner


def _depth_first(form: BinaryForm) -> tuple[Longs, int]:
    """The nodes as scikit-learn orders them, a left child right after its parent; and the depth."""
    order, todo, deepest = [], [(0, 0)], 0
    while todo:
        node, depth = todo.pop()
        order.append(node)
        deepest = max(deepest, depth)
        if form.left[node] >= 0:
            todo += [(form.right[node], depth + 1), (form.left[node], depth + 1)]
    return np.array(order, dtype=np.int64), deepest


def _thresholds(tree: Tree, form: BinaryForm) -> Floats:
    """Thresholds that part the training values beside them in single precision, too."""
    exact = np.array(form.threshold, dtype=np.float64)
    with np.errstate(over="ignore"):
        thresholds: Floats = np.maximum(exact, exact.astype(np.float32))
    for node, (source, left) in enumerate(zip(form.source, form.left, strict=True)):
        below, above = tree.gap[source]
        if left < 0 or np.isinf(exact[node]) or not below < above:
            continue
        with np.errstate(over="ignore"):
            below, above = float(np.float32(below)), float(np.float32(above))
        if below == above:
            low, high = tree.gap[source]
            name = tree.columns[form.column[node]].name
            raise ValueError(
                f"node {source} tells {name!r} = {low!r} from {high!r}, which are the same number in single"
                f" precision, to which scikit-learn rounds: {_INSTEAD}"
            )
        if not below <= thresholds[node] < above:
            thresholds[node] = below
    return thresholds


def _values(tree: Tree, labels: AnyArray | None) -> Floats:
    """What each node answers: the shares of the sorted classes, or a number."""
    answers = tree.answers()
    if labels is None:
        return answers[:, None]
    place = {label: i for i, label in enumerate(np.asarray(labels).tolist())}
    to_sorted = np.array([place[label] for label in tree.classes or ()])
    values: Floats = np.zeros(answers.shape)
    values[:, to_sorted] = answers
    label, nodes = to_sorted[tree.label], np.arange(len(tree))
    tied = values[nodes, label] == values.max(axis=1)
    decided = np.flatnonzero(~tied & (tree.first_child < 0))
    if len(decided):
        raise ValueError(
            f"leaf {decided[0]} answers a class that is not its likeliest one, as costs or an order of the"
            " classes decide; scikit-learn answers the likeliest: fit without them, or weigh the rows by"
            " class_weight"
        )
    first = values.argmax(axis=1) == label  # of equally likely classes scikit-learn answers the first
    values[nodes, label] = np.where(first, values[nodes, label], np.nextafter(values[nodes, label], 2.0))
    return values


def _impurity(tree: Tree, source: Longs, values: Floats) -> Floats:
    """The impurity of each node by the criterion that the estimator names."""
    if str(tree.meta.get("criterion")) in _CRITERIA:
        return tree.impurity[source]
    if tree.classes is not None:
        gini: Floats = 1.0 - (values**2).sum(axis=1)
        return gini
    weight = np.maximum(tree.stats[source, 0], np.finfo(np.float64).tiny)
    variance: Floats = tree.stats[source, 2] / weight
    return variance


def _sorted_labels(tree: Tree) -> Any:
    if tree.outputs and tree.classes is not None:
        return [np.array(sorted(output.classes or ())) for output in tree.outputs]
    return None if tree.classes is None else np.array(sorted(tree.classes))


def _forest(model: Any) -> Any:
    """A forest as one of scikit-learn, whose trees number their classes."""
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    labels = getattr(model, "classes_", None)
    if getattr(model, "combine", "mean") == "vote" or getattr(model, "costs", None) is not None:
        raise ValueError(
            "this forest counts votes or has costs, while scikit-learn's answers the class of the largest"
            " mean probability: use combine='mean' without costs"
        )
    forest_class = RandomForestRegressor if labels is None else RandomForestClassifier
    forest = forest_class(n_estimators=len(model.trees_))
    if model.trees_.columns is None:
        raise ValueError(
            "the trees of this forest have different columns, while scikit-learn knows one table"
        )
    forest.estimators_ = [_fitted(tree, labels, model) for tree in model.trees_]
    forest.estimator_ = type(forest.estimators_[0])()
    forest.n_outputs_ = n_outputs = len(model.trees_[0].outputs) or 1
    forest.n_features_in_ = model.n_features_in_
    if hasattr(model, "feature_names_in_"):
        forest.feature_names_in_ = model.feature_names_in_
    if labels is not None:
        several = n_outputs > 1
        forest.classes_ = list(labels) if several else np.asarray(labels)
        forest.n_classes_ = [len(own) for own in labels] if several else len(labels)
        places = [np.arange(len(own), dtype=np.float64) for own in (labels if several else [labels])]
        for tree in forest.estimators_:
            tree.classes_ = places if several else places[0]
    return forest
