"""
Where rows are likely
=====================

A density tree parts the plane into boxes of even density: darker is likelier.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_iris

import hornbeam as hb

X = load_iris(as_frame=True).data[["petal length (cm)", "petal width (cm)"]]
density = hb.TreeDensity(min_samples_leaf=8).fit(X)
across, up = np.meshgrid(np.linspace(0.5, 7.4, 200), np.linspace(0, 2.7, 200))
grid = pd.DataFrame({X.columns[0]: across.ravel(), X.columns[1]: up.ravel()})
figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
ax.pcolormesh(across, up, np.exp(density.score_samples(grid)).reshape(across.shape), cmap="Greys", vmax=0.6)
ax.plot(X.iloc[:, 0], X.iloc[:, 1], ".", color="#D55E00", markersize=4)
ax.set(xlabel=X.columns[0], ylabel=X.columns[1])
