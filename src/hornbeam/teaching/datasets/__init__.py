"""The worked tables of the lectures: small enough to check every number by hand.

`load(name)` gives any of them, `load_tree(name)` the trees drawn there.

>>> from hornbeam import datasets
>>> tennis = datasets.load("tennis")
>>> tennis.X["Outlook"][:3], tennis.y[:3]
(['Sunny', 'Sunny', 'Overcast'], ['No', 'No', 'Yes'])
"""

from hornbeam.teaching.datasets.dataset import Dataset, load, load_tree, names, tree_names

__all__ = ["Dataset", "load", "load_tree", "names", "tree_names"]
