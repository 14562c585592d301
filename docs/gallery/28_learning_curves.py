"""
Training, validation, test
==========================

The training error falls to the end; the other two turn back.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

import hornbeam as hb

cancer = load_breast_cancer(as_frame=True)
X, y = cancer.data, cancer.target.map({0: "malignant", 1: "benign"})
curves = hb.teaching.learning_curves(hb.TreeClassifier(), X, y).curves()
figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for name, style in (("training", "-"), ("validation", "--"), ("test", ":")):
    ax.plot(curves["leaves"], curves[name], style, label=name)
ax.set(xlabel="leaves", ylabel="error")
ax.legend()
