"""
Where the tree answers what
===========================

Two columns, exact rectangles: what a tree cuts the plane into.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_iris

import hornbeam as hb

iris = load_iris(as_frame=True)
X, y = iris.data, iris.target.map(dict(enumerate(iris.target_names)))
columns = ["petal length (cm)", "petal width (cm)"]
model = hb.TreeClassifier(max_depth=3).fit(X[columns], y)
figure, ax = plt.subplots(figsize=(6, 4.5))
ax = hb.plot_regions(model, X[columns], y, ax=ax)
