"""
A tree chosen by itself
=======================

Criterion, size and smoothing are chosen by cross-validation, and a small tree is preferred to a large one.
"""

from sklearn.datasets import load_wine

import hornbeam as hb

wine = load_wine(as_frame=True)
X, y = wine.data, wine.target.map({0: "Barolo", 1: "Grignolino", 2: "Barbera"})
model = hb.auto().fit(X, y)
picture = hb.draw(model, X, y, title="Three wines, chosen automatically")
