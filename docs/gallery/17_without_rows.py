"""
Without rows
============

A tree from a file needs no table to be drawn: each branch is a block as high as its share.
"""

from sklearn.datasets import load_iris

import hornbeam as hb

iris = load_iris(as_frame=True)
X, y = iris.data, iris.target.map(dict(enumerate(iris.target_names)))
tree = hb.TreeClassifier(max_depth=2).fit(X, y).tree_
picture = hb.draw(tree, title="Drawn from the tree alone")
