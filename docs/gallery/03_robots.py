"""
Ally or enemy?
==============

The game of a lecture: three values of the body, then the smile.
"""

import hornbeam as hb

robots = hb.datasets.load("robots")
model = hb.teaching.builddt().fit(robots.X, robots.y)
picture = hb.draw(model, robots.X, robots.y, title="Ally or enemy?")
