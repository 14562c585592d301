"""
All of it: an icicle
====================

Width is rows, colour is the answer, strength how sure it is: hundreds of nodes in one small picture.
"""

from sklearn.datasets import load_breast_cancer

import hornbeam as hb

cancer = load_breast_cancer(as_frame=True)
X, y = cancer.data, cancer.target.map({0: "malignant", 1: "benign"})
model = hb.TreeClassifier().fit(X, y)
picture = hb.draw(model, kind="icicle", width=900, title="Every node of a fully grown tree")
