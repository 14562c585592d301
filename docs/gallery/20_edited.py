"""
A tree with an override
=======================

A person chose the first test; the box says so, with its rank among the candidates.
"""

from sklearn.datasets import load_iris

import hornbeam as hb

iris = load_iris(as_frame=True)
X, y = iris.data, iris.target.map(dict(enumerate(iris.target_names)))
draft = hb.edit(hb.TreeClassifier(max_depth=2), X, y)
draft = draft.split(0, on="sepal length (cm)", at=5.5).grow(max_depth=2)
picture = hb.draw(draft.model, X, y, title="The first test was chosen by hand")
