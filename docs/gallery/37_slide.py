"""
For a slide
===========

Letters of 14 points, 12 inches wide: to be read from the last row.
"""

from sklearn.datasets import load_diabetes

import hornbeam as hb

diabetes = load_diabetes(as_frame=True, scaled=False)
model = hb.TreeRegressor(max_leaf_nodes=6, min_samples_leaf=20).fit(diabetes.data, diabetes.target)
picture = hb.draw(model, style="slide", title="Progression of diabetes")
