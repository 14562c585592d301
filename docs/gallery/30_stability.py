"""
How sure is the first test?
===========================

On a hundred samples of the rows the root asks for several columns: the answers are surer than the test.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

import hornbeam as hb

cancer = load_breast_cancer(as_frame=True)
X, y = cancer.data, cancer.target.map({0: "malignant", 1: "benign"})
model = hb.TreeClassifier(max_depth=2, min_samples_leaf=5).fit(X, y)
sure = hb.stability(model, X, y, n=100)
roots = {sure[0].columns: sure[0].chosen, **sure[0].others}
figure, ax = plt.subplots(figsize=(7, 3.5), layout="constrained")
ax.barh(list(roots)[::-1], list(roots.values())[::-1], color="#009E73")
ax.set_xlabel("of 100 trees grown again, the root asks for")
