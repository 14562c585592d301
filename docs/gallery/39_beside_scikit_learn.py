"""
Five trees, beside scikit-learn's
=================================

Left scikit-learn's own tree and picture, right ours of the same table and limits, in axes of the same size.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, plot_tree

import hornbeam as hb

tables = {
    "iris": (load_iris(as_frame=True), {"max_depth": 3}),
    "wine": (load_wine(as_frame=True), {"max_leaf_nodes": 6}),
    "breast cancer": (load_breast_cancer(as_frame=True), {"max_leaf_nodes": 8}),
    "diabetes": (load_diabetes(as_frame=True, scaled=False), {"max_leaf_nodes": 8}),
    "digits": (load_digits(as_frame=True), {"max_leaf_nodes": 16}),
}
figure, axes = plt.subplots(5, 2, figsize=(14, 22), layout="constrained")
for (left, right), (name, (table, limits)) in zip(axes, tables.items(), strict=True):
    X, y, is_real = table.data, table.target, name == "diabetes"
    if not is_real:
        y = y.map(dict(enumerate(map(str, table.target_names))))
    theirs = (DecisionTreeRegressor if is_real else DecisionTreeClassifier)(random_state=0, **limits).fit(
        X, y
    )
    ours = (hb.TreeRegressor if is_real else hb.TreeClassifier)(**limits).fit(X, y)
    classes = None if is_real else list(theirs.classes_)
    plot_tree(theirs, ax=left, feature_names=list(X.columns), class_names=classes, filled=True)
    left.set_title(f"{name}: scikit-learn")
    hb.plot_tree(ours, right, style="paper")
    right.set_title(f"{name}: hb.plot_tree(..., style='paper')")
