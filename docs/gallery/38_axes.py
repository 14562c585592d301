"""
A tree that fills its axes
==========================

Axes of any shape are filled: boxes stand further apart, or the tree turns.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine

import hornbeam as hb

wine = load_wine(as_frame=True)
model = hb.TreeClassifier(max_depth=2).fit(wine.data, wine.target.map("class_{}".format))
figure = plt.figure(figsize=(12, 5), layout="constrained")
left, right = figure.subplots(1, 2, width_ratios=[2, 1])
hb.plot_tree(model, left)
hb.plot_tree(model, right)
