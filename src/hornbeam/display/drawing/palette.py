"""Colours by name, in a light and a dark set, and which class gets which.

One idea: drawings name colours ("ink", "class 0"), never spell them; a theme turns names into values, so one
drawing serves both. Class colours differ for every kind of colour vision and no colour stands alone: the
word, the number and the fixed order of the classes always say the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from hornbeam._base.types import Floats
from hornbeam.tree.tree import Tree

N_COLOURS = 6  # as many as every eye can tell apart
OTHER = "other"
THEMES = ("auto", "light", "dark")

_COLOURS = {  # name -> in the light set, in the dark set
    "page": ("#ffffff", "#14181f"),
    "card": ("#ffffff", "#1f252e"),
    "border": ("#b4bbc6", "#454f5d"),
    "ink": ("#1b1f27", "#eef1f5"),
    "muted": ("#59626f", "#a3acb9"),
    "edge": ("#c3c9d2", "#4a5361"),
    "axis": ("#d3d8df", "#3a424e"),
    "pill": ("#f3f5f8", "#262d37"),
    "accent": ("#1857a4", "#79b8ff"),
    "outline": ("#1b1f27", "#0d1015"),
    "on colour": ("#ffffff", "#14181f"),
    "on bright": ("#14181f", "#14181f"),
    "real": ("#0b5fa5", "#56b4e9"),
    "class 0": ("#0072b2", "#56b4e9"),
    "class 1": ("#d55e00", "#e8743b"),
    "class 2": ("#009e73", "#3cc79a"),
    "class 3": ("#cc79a7", "#e29bc4"),
    "class 4": ("#56b4e9", "#8cc9f0"),
    "class 5": ("#e69f00", "#f0b84a"),
    OTHER: ("#8b929c", "#7d8694"),
}
LIGHT: Mapping[str, str] = {name: light for name, (light, _) in _COLOURS.items()}
DARK: Mapping[str, str] = {name: dark for name, (_, dark) in _COLOURS.items()}
# For print: six colours whose lightness differs, so that a copy in grey still tells the classes apart.
PRINT: Mapping[str, str] = {
    **LIGHT,
    "class 0": "#1f4e79",
    "class 1": "#e0873a",
    "class 2": "#cfe8c9",
    "class 3": "#7a6a9e",
    "class 4": "#9cc4e0",
    "class 5": "#3a1d1d",
    "muted": "#4a525e",
    "real": "#1f4e79",
}
THEME_COLOURS = {"light": LIGHT, "dark": DARK, "print": PRINT}


def class_shades(counts: Floats) -> list[int]:
    """Return the colour of each class by number, -1 for grey.

    Up to six classes take the colours in class order; of two the rarer has the second, vermillion, which
    draws the eye. Of more than six the six largest have colours and the others share grey.

    >>> class_shades(np.array([2.0, 5.0]))
    [1, 0]
    >>> class_shades(np.array([9.0, 1.0, 8.0, 7.0, 6.0, 5.0, 4.0]))
    [0, -1, 1, 2, 3, 4, 5]
    """
    if len(counts) == 2:
        return [1, 0] if counts[0] < counts[1] else [0, 1]
    shades = np.full(len(counts), -1)
    largest = np.sort(np.argsort(-counts, kind="stable")[:N_COLOURS])
    shades[largest] = np.arange(len(largest))
    return [int(shade) for shade in shades]


def stacking_order(shades: list[int]) -> list[int]:
    """Return the colours that pictures stack, from the first to the last: one for each class, grey last.

    >>> stacking_order([0, -1, 1, -1]), stacking_order([1, 0])
    ([0, 1, -1], [1, 0])
    """
    return [shade for shade in shades if shade >= 0] + [-1] * (-1 in shades)


def class_colours(tree: Tree) -> list[str]:
    """Return the colour name of each class.

    >>> class_colours(Tree.from_nested({"column": "a", "<=": 1, "yes": {"counts": {"no": 1, "yes": 8}},
    ...                                 "no": {"counts": {"no": 2, "yes": 0}}}))
    ['class 1', 'class 0']
    """
    return [OTHER if shade < 0 else f"class {shade}" for shade in class_shades(tree.stats[0])]


def stacked(counts: Sequence[float], colours: Sequence[str]) -> list[tuple[str, float]]:
    """Return colour and amount of the pieces of a bar in class order, classes of one colour together.

    >>> stacked([3, 0, 2, 1], ["class 0", "class 1", "other", "other"])
    [('class 0', 3), ('other', 3)]
    """
    sums: dict[str, float] = {}
    for colour, count in zip(colours, counts, strict=True):
        sums[colour] = sums.get(colour, 0) + count
    ordered = sorted(sums, key=lambda name: name == OTHER)  # grey last
    return [(name, sums[name]) for name in ordered if sums[name] > 0]
