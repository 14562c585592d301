"""
Gini, entropy and error
=======================

Three potentials of a node: only the error is straight, so it cannot see every useful split.
"""

import matplotlib.pyplot as plt
import numpy as np

import hornbeam as hb

p = np.linspace(0, 1, 201)
figure, ax = plt.subplots(figsize=(7, 3.8), layout="constrained")
measures = hb.teaching.measures
ax.plot(p, [measures.entropy([share, 1 - share]) / 2 for share in p], label="half the entropy")
ax.plot(p, [measures.gini([share, 1 - share]) for share in p], "--", label="Gini index")
ax.plot(p, np.minimum(p, 1 - p), ":", label="error")
ax.set(xlabel="share of one class", ylabel="potential")
ax.legend()
