"""
Where missing values go
=======================

A tenth of all values is gone. Each edge says how many gaps went along it.
"""

import numpy as np
from sklearn.datasets import load_breast_cancer

import hornbeam as hb

cancer = load_breast_cancer(as_frame=True)
X, y = cancer.data, cancer.target.map({0: "malignant", 1: "benign"})
random = np.random.default_rng(0)
X = X.mask(random.random(X.shape) < 0.1)
model = hb.TreeClassifier(max_depth=2, min_samples_leaf=10).fit(X, y)
picture = hb.draw(model, X, y, title="A tenth of the values is missing")
