"""
A branch for each word
======================

Fourteen days of weather: overcast days need no second question, and every leaf is pure.
"""

import hornbeam as hb

tennis = hb.datasets.load("tennis")
model = hb.id3().fit(tennis.X, tennis.y)
picture = hb.draw(model, tennis.X, tennis.y, title="Play tennis?")
