"""
Three kinds of iris
===================

One cut parts setosa from the others; the histograms show how clean it is, and where the others overlap.
"""

from sklearn.datasets import load_iris

import hornbeam as hb

iris = load_iris(as_frame=True)
X, y = iris.data, iris.target.map(dict(enumerate(iris.target_names)))
model = hb.TreeClassifier(max_depth=3, min_samples_leaf=3).fit(X, y)
picture = hb.draw(model, X, y, title="Three kinds of iris")
