"""
Ten digits as an icicle
=======================

A tree of the handwritten digits; broad bars are questions that many digits pass.
"""

from sklearn.datasets import load_digits

import hornbeam as hb

digits = load_digits(as_frame=True)
model = hb.TreeClassifier(max_leaf_nodes=60).fit(digits.data, digits.target.map("digit {}".format))
picture = hb.draw(model, kind="icicle", width=1100, title="Ten digits, sixty leaves")
