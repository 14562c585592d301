"""
What the model owes to each column
==================================

How much accuracy falls on held-out rows when a column is dealt at random, with intervals.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

import hornbeam as hb

cancer = load_breast_cancer(as_frame=True)
X, y = cancer.data, cancer.target.map({0: "malignant", 1: "benign"})
model = hb.TreeClassifier(max_depth=4).fit(X[:380], y[:380])
shares = hb.importance(model, X[380:], y[380:]).to_frame().head(8).iloc[::-1]
figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
ax.barh(shares["column"], shares["value"], color="#0072B2")
ax.errorbar(
    shares["value"],
    shares["column"],
    fmt="none",
    color="#333333",
    capsize=3,
    xerr=[shares["value"] - shares["low"], shares["high"] - shares["value"]],
)
ax.set_xlabel("accuracy lost")
