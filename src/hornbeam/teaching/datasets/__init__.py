"""The worked tables of the lectures: small enough to check every number by hand.

`load(name)` gives any of them, `load_robots()` and so on one each; `load_tree(name)` the trees drawn there.

>>> from hornbeam import datasets
>>> tennis = datasets.load("tennis")
>>> tennis.X["Outlook"][:3], tennis.y[:3]
(['Sunny', 'Sunny', 'Overcast'], ['No', 'No', 'Yes'])
"""

from hornbeam.teaching.datasets.dataset import Dataset, load, names
from hornbeam.teaching.datasets.lecture_trees import load_tree, tree_names
from hornbeam.teaching.datasets.loaders import (
    load_cs178,
    load_eighty,
    load_fig84,
    load_gladiator,
    load_hours,
    load_hours_a,
    load_hours_b,
    load_huffman,
    load_pinwheel,
    load_pt_s1,
    load_pt_s2,
    load_robots,
    load_tax,
    load_temperature,
    load_tennis,
    load_two_robots,
    load_voting,
    load_xcount,
    load_xor2,
    load_xor5,
)

__all__ = [
    "Dataset", "load", "load_cs178", "load_eighty", "load_fig84", "load_gladiator", "load_hours",
    "load_hours_a", "load_hours_b", "load_huffman", "load_pinwheel", "load_pt_s1", "load_pt_s2",
    "load_robots", "load_tax", "load_temperature", "load_tennis", "load_tree", "load_two_robots",
    "load_voting", "load_xcount", "load_xor2", "load_xor5", "names", "tree_names",
]  # fmt: skip
