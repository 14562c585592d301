"""
Sets of values
==============

The same robots with two branches at every test: values are gathered into sets.
"""

import hornbeam as hb

robots = hb.datasets.load("robots")
model = hb.cart(pruning=None, missing="learn").fit(robots.X, robots.y)
picture = hb.draw(model, robots.X, robots.y, title="Two branches, sets of values")
