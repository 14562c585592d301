"""
A large tree, folded
====================

A fully grown tree does not fit on a page: small branches fold into boxes that say what they hold.
"""

from sklearn.datasets import load_breast_cancer

import hornbeam as hb

cancer = load_breast_cancer(as_frame=True)
X, y = cancer.data, cancer.target.map({0: "malignant", 1: "benign"})
model = hb.TreeClassifier().fit(X, y)
picture = hb.draw(model, X, y, max_nodes=13, title="Fully grown, folded")
