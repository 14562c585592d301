"""
Numbers: one axis for all leaves
================================

Every leaf of a regression tree shows its rows on the axis of the target, so leaves can be compared.
"""

from sklearn.datasets import load_diabetes

import hornbeam as hb

diabetes = load_diabetes(as_frame=True, scaled=False)
X, y = diabetes.data, diabetes.target
model = hb.TreeRegressor(max_leaf_nodes=5, min_samples_leaf=20).fit(X, y)
picture = hb.draw(model, X, y, title="Progression of diabetes")
