"""
Sixteen leaves on 6.5 inches
============================

For print: a row for each leaf, letters of 7 points, colours that differ in grey, too.
"""

from sklearn.datasets import load_breast_cancer

import hornbeam as hb

cancer = load_breast_cancer(as_frame=True)
X, y = cancer.data, cancer.target.map({0: "malignant", 1: "benign"})
model = hb.TreeClassifier(max_leaf_nodes=16).fit(X, y)
picture = hb.draw(model, style="paper", title="Sixteen leaves")
