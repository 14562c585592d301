"""
How large should it be?
=======================

The cross-validated error of every size; the smallest tree within one standard error is the usual choice.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

import hornbeam as hb

cancer = load_breast_cancer(as_frame=True)
X, y = cancer.data, cancer.target.map({0: "malignant", 1: "benign"})
path = hb.pruning_path(hb.TreeClassifier().fit(X, y), X, y, cv=10)
figure, ax = plt.subplots(figsize=(7, 4))
ax = hb.plot_path(path, ax=ax)
