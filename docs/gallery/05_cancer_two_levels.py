"""
Benign or malignant, in two questions
=====================================

Two measurements settle nine of ten tumours; the strips at the foot of the boxes show what is left.
"""

from sklearn.datasets import load_breast_cancer

import hornbeam as hb

cancer = load_breast_cancer(as_frame=True)
X, y = cancer.data, cancer.target.map({0: "malignant", 1: "benign"})
model = hb.TreeClassifier(max_depth=2, min_samples_leaf=10).fit(X, y)
picture = hb.draw(model, X, y, title="Two questions")
