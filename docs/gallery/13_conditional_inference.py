"""
Conditional inference
=====================

The column of the smallest p-value is tested, and growth stops where nothing is significant.
"""

from sklearn.datasets import load_wine

import hornbeam as hb

wine = load_wine(as_frame=True)
X, y = wine.data, wine.target.map({0: "Barolo", 1: "Grignolino", 2: "Barbera"})
model = hb.ctree(max_depth=2).fit(X, y)
picture = hb.draw(model, X, y, title="Conditional inference")
