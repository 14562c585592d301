"""
One column of a journal
=======================

The same style on 3.25 inches: what does not fit is folded, nothing gets smaller.
"""

from sklearn.datasets import load_breast_cancer

import hornbeam as hb

cancer = load_breast_cancer(as_frame=True)
X, y = cancer.data, cancer.target.map({0: "malignant", 1: "benign"})
model = hb.TreeClassifier(max_leaf_nodes=8).fit(X, y)
picture = hb.draw(model, style="paper", width=3.25)
