"""
A tree that imitates a forest
=============================

Two hundred trees cannot be read. One that answers as they do can.
"""

from sklearn.datasets import load_wine

import hornbeam as hb

wine = load_wine(as_frame=True)
X, y = wine.data, wine.target.map({0: "Barolo", 1: "Grignolino", 2: "Barbera"})
forest = hb.ForestClassifier(random_state=0).fit(X, y)
tree = hb.imitate(forest, X, max_depth=2, consider="gini")
picture = hb.draw(
    tree, title=f"Same answers as the forest on {tree.imitation_.fidelity.value:.0%} of rows kept apart"
)
