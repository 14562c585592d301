"""
A miss costs ten false alarms
=============================

With costs a leaf may answer the rarer class: the cheapest answer counts, not the most frequent.
"""

from sklearn.datasets import load_breast_cancer

import hornbeam as hb

cancer = load_breast_cancer(as_frame=True)
X, y = cancer.data, cancer.target.map({0: "malignant", 1: "benign"})
model = hb.TreeClassifier(max_depth=2, min_samples_leaf=10, costs={"malignant": {"benign": 10}}).fit(X, y)
picture = hb.draw(model, X, y, title="A miss costs ten false alarms")
