"""
Weighted sums of columns
========================

An oblique test cuts slantwise: one line does what stairs of rectangles would need.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_iris

import hornbeam as hb

iris = load_iris(as_frame=True)
X, y = iris.data, iris.target.map(dict(enumerate(iris.target_names)))
columns = ["petal length (cm)", "petal width (cm)"]
figure, axes = plt.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
for ax, split in zip(axes, ("binary", "oblique"), strict=True):
    model = hb.TreeClassifier(split=split, max_depth=2).fit(X[columns], y)
    hb.plot_regions(model, X[columns], y, ax=ax)
    ax.set_title(split)
