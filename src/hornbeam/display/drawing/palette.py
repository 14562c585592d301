"""Colours by name, in a light and a dark set, and which class gets which.

One idea: drawings name colours ("ink", "class 0"), never spell them; a theme turns names into values, so one
drawing serves both. Class colours differ for every kind of colour vision and no colour stands alone: the
word, the number and the fixed order of the classes always say the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from hornbeam.tree.tree import Tree

N_COLOURS = 6
OTHER = "other"
THEMES = ("auto", "light", "dark")

LIGHT: Mapping[str, str] = {
    "page": "#ffffff",
    "card": "#ffffff",
    "border": "#b4bbc6",
    "ink": "#1b1f27",
    "muted": "#59626f",
    "edge": "#c3c9d2",
    "axis": "#d3d8df",
    "pill": "#f3f5f8",
    "accent": "#1857a4",
    "outline": "#1b1f27",
    "on colour": "#ffffff",
    "on bright": "#14181f",
    "real": "#0b5fa5",
    "class 0": "#0072b2",
    "class 1": "#d55e00",
    "class 2": "#009e73",
    "class 3": "#cc79a7",
    "class 4": "#56b4e9",
    "class 5": "#e69f00",
    OTHER: "#8b929c",
}
DARK: Mapping[str, str] = {
    "page": "#14181f",
    "card": "#1f252e",
    "border": "#454f5d",
    "ink": "#eef1f5",
    "muted": "#a3acb9",
    "edge": "#4a5361",
    "axis": "#3a424e",
    "pill": "#262d37",
    "accent": "#79b8ff",
    "outline": "#0d1015",
    "on colour": "#14181f",
    "on bright": "#14181f",
    "real": "#56b4e9",
    "class 0": "#56b4e9",
    "class 1": "#e8743b",
    "class 2": "#3cc79a",
    "class 3": "#e29bc4",
    "class 4": "#8cc9f0",
    "class 5": "#f0b84a",
    OTHER: "#7d8694",
}
THEME_COLOURS = {"light": LIGHT, "dark": DARK}


def class_colours(tree: Tree) -> list[str]:
    """Return the colour name of each class.

    Up to six classes take the colours in class order; of two the rarer is vermillion, which draws the eye. Of
    more than six the six largest have colours and the others share grey.

    >>> class_colours(Tree.from_nested({"column": "a", "<=": 1, "yes": {"counts": {"no": 1, "yes": 8}},
    ...                                 "no": {"counts": {"no": 2, "yes": 0}}}))
    ['class 1', 'class 0']
    """
    n = len(tree.classes or ())
    counts = tree.stats[0]
    if n == 2 and counts[0] < counts[1]:
        return ["class 1", "class 0"]
    if n <= N_COLOURS:
        return [f"class {k}" for k in range(n)]
    largest = sorted(np.argsort(-counts, kind="stable")[:N_COLOURS].tolist())
    names = [OTHER] * n
    for colour, k in enumerate(largest):
        names[k] = f"class {colour}"
    return names


def stacked(counts: Sequence[float], colours: Sequence[str]) -> list[tuple[str, float]]:
    """Return colour and amount of the pieces of a bar in class order, classes of one colour together.

    >>> stacked([3, 0, 2, 1], ["class 0", "class 1", "other", "other"])
    [('class 0', 3), ('other', 3)]
    """
    sums: dict[str, float] = {}
    for colour, count in zip(colours, counts, strict=True):
        sums[colour] = sums.get(colour, 0) + count
    ordered = [name for name in sums if name != OTHER] + [name for name in sums if name == OTHER]
    return [(name, sums[name]) for name in ordered if sums[name] > 0]
