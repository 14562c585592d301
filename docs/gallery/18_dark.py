"""
Dark
====

The same box in dark colours, for slides on a dark ground.
"""

from sklearn.datasets import load_iris

import hornbeam as hb

iris = load_iris(as_frame=True)
X, y = iris.data, iris.target.map(dict(enumerate(iris.target_names)))
model = hb.TreeClassifier(max_depth=2).fit(X, y)
picture = hb.draw(model, X, y, theme="dark", title="Iris, dark")
