"""
CHAID: tests by significance
============================

Values are merged as long as they do not differ significantly; the p-value stands where a gain would.
"""

import hornbeam as hb

voting = hb.datasets.load("voting")
model = hb.chaid().fit(voting.X, voting.y, counts=voting.counts)
picture = hb.draw(model, voting.X, voting.y, counts=voting.counts, title="Does gender tell the preference?")
