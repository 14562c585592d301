"""
The same five trees, beside scikit-learn's
==========================================

Left scikit-learn's own picture, right `hb.plot_tree` of the same fitted tree, in axes of the same size.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, plot_tree

import hornbeam as hb

tables = {
    "iris": (load_iris(as_frame=True), DecisionTreeClassifier(max_depth=3)),
    "wine": (load_wine(as_frame=True), DecisionTreeClassifier(max_leaf_nodes=6)),
    "breast cancer": (load_breast_cancer(as_frame=True), DecisionTreeClassifier(max_leaf_nodes=8)),
    "diabetes": (load_diabetes(as_frame=True), DecisionTreeRegressor(max_leaf_nodes=8)),
    "digits": (load_digits(as_frame=True), DecisionTreeClassifier(max_leaf_nodes=16)),
}
figure, axes = plt.subplots(5, 2, figsize=(14, 22), layout="constrained")
for (left, right), (name, (table, model)) in zip(axes, tables.items(), strict=True):
    y = table.target
    if hasattr(table, "target_names") and name != "digits":
        y = y.map(dict(enumerate(map(str, table.target_names))))
    model.set_params(random_state=0).fit(table.data, y)
    classes = [str(one) for one in model.classes_] if hasattr(model, "classes_") else None
    plot_tree(model, ax=left, feature_names=list(table.data.columns), class_names=classes, filled=True)
    left.set_title(f"{name}: scikit-learn")
    hb.plot_tree(hb.from_sklearn(model), right, style="paper", width=6.5)
    right.set_title(f"{name}: hb.plot_tree(..., style='paper')")
