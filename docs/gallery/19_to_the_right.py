"""
From left to right
==================

More than eight leaves grow to the right, where words have room.
"""

from sklearn.datasets import load_wine

import hornbeam as hb

wine = load_wine(as_frame=True)
X, y = wine.data, wine.target.map({0: "Barolo", 1: "Grignolino", 2: "Barbera"})
model = hb.TreeClassifier().fit(X, y)
picture = hb.draw(model, X, y, orientation="right", title="From left to right")
