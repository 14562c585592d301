"""
Lines in the leaves
===================

One test, and a line on each side of it: a leaf names its strongest terms and draws the line.
"""

from sklearn.datasets import load_diabetes

import hornbeam as hb

diabetes = load_diabetes(as_frame=True, scaled=False)
X, y = diabetes.data, diabetes.target
X = X[["age", "bmi", "bp"]]
model = hb.TreeRegressor("sd", leaf="linear", max_depth=1).fit(X, y)
picture = hb.draw(model, X, y, title="Lines in the leaves")
