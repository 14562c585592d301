"""Strips of characters that show the class shares of a node, or where its answer lies among all answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hornbeam._base.types import Bools, Floats, Longs
from hornbeam.tree import words
from hornbeam.tree.arrays import LEAF
from hornbeam.tree.tree import Tree
from hornbeam.tree.words import ASCII, Signs

WIDTH = 16
_UNICODE, _ASCII = "█▒▓░▚▞", "#:=.%+"
_OTHER = {True: "·", False: "-"}  # classes beyond the characters, and the rest of a strip


@dataclass(frozen=True)
class Bars:
    """The strips of a tree, `width` characters each."""

    tree: Tree
    width: int
    unicode: bool

    @classmethod
    def of(cls, tree: Tree, bars: Any, signs: Signs) -> Bars | None:
        """The bars asked for: False none, True of the usual width, or a width."""
        if bars is False or bars is None:
            return None
        width = WIDTH if bars is True else bars
        if not hasattr(width, "__index__") or not 4 <= width <= 200:
            raise ValueError(f"bars={bars!r} must be True, False, or a number of characters from 4 to 200")
        return cls(tree, int(width), signs is not ASCII)

    def sign(self, place: int) -> str:
        """The character of a class."""
        signs = _UNICODE if self.unicode else _ASCII
        return signs[place] if place < len(signs) else _OTHER[self.unicode]

    def strip(self, node: int) -> list[tuple[str, int]]:
        """The strip of a node: text and class of every part.

        >>> tree = Tree.from_nested({"counts": {"a": 3, "b": 1}})
        >>> Bars(tree, 8, False).strip(0)
        [('######', 0), ('::', 1)]
        """
        if not self.tree.task.is_classes:
            return self._mean(node)
        if self._is_of_answers:
            label = int(self.tree.label[node])
            return self._filled(float(self.tree.answers()[node][label]), label, least=0)
        shares = self.tree.answers()[node]
        sizes = _apportioned(shares, self.width, self.tree.stats[node] > 0)
        return [(self.sign(k) * int(n), k) for k, n in enumerate(sizes.tolist()) if n > 0]

    def _mean(self, node: int) -> list[tuple[str, int]]:
        low, high = self._range()
        answer = float(self.tree.answers()[node])
        return self._filled((answer - low) / (high - low) if high > low else 1.0, 0, least=1)

    @property
    def _is_of_answers(self) -> bool:
        """Whether there are more classes than characters: then strips show the share of the answer alone."""
        return len(self.tree.classes or ()) > len(_UNICODE)

    def _filled(self, share: float, place: int, least: int) -> list[tuple[str, int]]:
        """A strip that is full as far as a share goes, of at least so many characters."""
        full = int(np.rint(min(max(share, 0.0), 1.0) * (self.width - least))) + least
        rest = _OTHER[self.unicode] * (self.width - full)
        return [(self.sign(0) * full, place)] + ([(rest, -1)] if rest else [])

    def _range(self) -> tuple[float, float]:
        leaves: Floats = self.tree.answers()[self.tree.kind == LEAF]
        return float(leaves.min()), float(leaves.max())

    def legend(self) -> list[tuple[str, int, str]]:
        """(character, class, name) of what the strips show."""
        if not self.tree.task.is_classes:
            low, high = (words.amount(end) for end in self._range())
            what = "risk" if self.tree.task.is_survival else "mean of the rows"
            return [(self.sign(0), 0, f"{what}, from {low} to {high}")]
        if self._is_of_answers:
            return [(self.sign(0), -1, "share of the class that is answered")]
        return [(self.sign(k), k, str(name)) for k, name in enumerate(self.tree.classes or ())]


def _apportioned(shares: Floats, width: int, present: Bools) -> Longs:
    """Characters by class, largest remainders first; a class that is present has one if there are enough."""
    exact = shares / max(float(shares.sum()), 1e-300) * width
    sizes = np.floor(exact + 1e-9).astype(np.int64)
    for k in np.argsort(sizes - exact, kind="stable")[: width - int(sizes.sum())].tolist():
        sizes[k] += 1
    for k in np.flatnonzero(present & (sizes == 0)).tolist():
        largest = int(np.argmax(sizes))
        if sizes[largest] > 1:
            sizes[largest] -= 1
            sizes[k] = 1
    return sizes
