"""
The pinwheel
============

Five rectangles that no full cut can part: a tree needs six leaves.
"""

import matplotlib.pyplot as plt

import hornbeam as hb

wheel = hb.datasets.load("pinwheel")
model = hb.TreeClassifier().fit(wheel.X, wheel.y)
figure, ax = plt.subplots(figsize=(5, 4.5))
ax = hb.plot_regions(model, wheel.X, wheel.y, ax=ax)
ax.set_title(f"{model.tree_.n_leaves} leaves for five rectangles")
