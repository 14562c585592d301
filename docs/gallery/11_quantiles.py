"""
Medians and quantiles
=====================

Grown for the absolute error: a leaf answers with a median, which outliers do not move.
"""

from sklearn.datasets import load_diabetes

import hornbeam as hb

diabetes = load_diabetes(as_frame=True, scaled=False)
X, y = diabetes.data, diabetes.target
model = hb.TreeRegressor("absolute", max_leaf_nodes=4, min_samples_leaf=20).fit(X, y)
picture = hb.draw(model, X, y, title="Medians")
