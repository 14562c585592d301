"""The score of a split in words: what it is called, and its value.

One idea: a number is never without its name, and the name says what chose the split. A test of significance
chose by its p-value; otherwise the criterion did, by a gain, which is a decrease of impurity, or by the gain
ratio. Text, pictures and pages ask here, so that one score has one name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from hornbeam.tree import annotations as tree_annotations
from hornbeam.tree import words

if TYPE_CHECKING:
    from hornbeam.tree.tree import Tree

# How a score is written on cards, where the unit tells the criterion, too. All but the gain ratio are gains.
_ON_CARDS: Mapping[str, str] = {
    "entropy": "gain {} bit",
    "log_loss": "gain {} bit",
    "gain-ratio": "gain ratio {}",
    "gini": "Gini −{}",
    "error": "error −{}",
    "variance": "R² +{}",
    "squared_error": "R² +{}",
    "sd": "sd −{}",
    "absolute": "loss −{}",
    "quantile": "loss −{}",
    "poisson": "deviance −{}",
    "density": "risk −{}",
}
_P_VALUES = ("log_corrected_p", "log_adjusted_p")  # what a test of significance compares with its level


class Scores:
    """The scores of the splits of one tree.

    Examples
    --------
    >>> import hornbeam as hb
    >>> tennis = hb.datasets.load("tennis")
    >>> Scores(hb.c45().fit(tennis.X, tennis.y).tree_).text(0)
    'gain ratio 0.1564'
    >>> model = hb.chaid(min_samples_split=2, min_samples_leaf=1).fit({"x": list("aaabbb")}, list("nnnyyy"))
    >>> Scores(model.tree_).text(0)
    'p 0.01431'
    """

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self._tests = tree_annotations.by_node(tree, tree_annotations.FACTS)
        self._criterion = str(tree.meta.get("criterion", ""))

    def named(self, node: int) -> tuple[str, str] | None:
        """What the score is called and its value in digits; None where there is none."""
        log_p = self._log_p(node)
        if log_p is not None:
            return "p", p_text(log_p)
        if not self.tree.gain[node] > 0:
            return None
        name = "gain ratio" if self._criterion == "gain-ratio" else "gain"
        return name, words.amount(float(self.tree.gain[node]))

    def text(self, node: int) -> str:
        """The name and the value; nothing where there is no score."""
        return " ".join(self.named(node) or ())

    def card(self, node: int, number: Callable[[float], str]) -> str:
        """The same with the unit of the criterion, and the number as `number` writes it."""
        if self._log_p(node) is not None or not self.tree.gain[node] > 0:
            return self.text(node)
        pattern = _ON_CARDS.get(self._criterion, "gain {}")
        gain = float(self.tree.gain[node])
        if pattern.startswith("R²"):  # of all that there was to explain
            total = float(self.tree.weight[0] * self.tree.impurity[0])
            gain = float(f"{gain * float(self.tree.weight[node]) / total:.2g}") if total > 0 else 0.0
        return pattern.format(number(gain))

    def _log_p(self, node: int) -> float | None:
        test = self._tests.get(node, {})
        log_p = next((test[name] for name in _P_VALUES if name in test), None)
        return None if log_p is None else float(log_p)


def p_text(log_p: float) -> str:
    """A p-value from its natural logarithm, which may be that of a number too small for a float.

    >>> p_text(math.log(0.0421)), p_text(-2000.0)
    ('0.0421', '2.6e-869')
    """
    if log_p > -600:
        return words.amount(math.exp(log_p))
    power = math.floor(log_p / math.log(10))
    return f"{math.exp(log_p - power * math.log(10)):.1f}e{power}"
