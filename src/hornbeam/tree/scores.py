"""Scores of splits in words: the one table of what each is called, its unit, and how its value is written.

One idea: a number is never without its name, and the name says what chose the split. A test of significance
chose by its p-value; otherwise the criterion did, by how much it falls from a node to its branches. Texts,
pictures, pages, the command line and the studio ask here, so that one score has one name.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from hornbeam.data.formatting import number_text
from hornbeam.tree import annotations as tree_annotations

if TYPE_CHECKING:
    from hornbeam.tree.tree import Tree


class ScoreName(NamedTuple):
    """What a criterion measures at a node, and what a split is chosen by."""

    impurity: str
    score: str


_NAMES: Mapping[str, ScoreName] = {
    "entropy": ScoreName("entropy", "gain"),
    "gain-ratio": ScoreName("entropy", "gain ratio"),
    "gini": ScoreName("Gini index", "Gini decrease"),
    "root": ScoreName("root criterion", "root decrease"),
    "error": ScoreName("error", "error decrease"),
    "variance": ScoreName("variance", "variance decrease"),
    "sd": ScoreName("standard deviation", "SDR"),
    "poisson": ScoreName("deviance", "deviance decrease"),
    "absolute": ScoreName("absolute error", "absolute error decrease"),
    "quantile": ScoreName("pinball loss", "pinball loss decrease"),
    "density": ScoreName("risk", "risk decrease"),
    "exponential": ScoreName("deviance", "deviance decrease"),
    "log-rank": ScoreName("log-rank", "log-rank"),
}
_ALSO = {"log_loss": "entropy", "squared_error": "variance", "absolute_error": "absolute"}

# field of a candidate -> what it is called
MEASURES: Mapping[str, str] = {
    "gain": "gain",
    "gain_ratio": "gain ratio",
    "gini": "Gini decrease",
    "sdr": "SDR",
    "variance": "variance decrease",
    "r2": "R²",
    "chi2": "chi-square",
    "f": "F",
    "p": "p",
}
_UNITS = {"entropy": " bits", "gain": " bits"}
_P_VALUES = ("log_corrected_p", "log_adjusted_p")  # what a test of significance compares with its level


def score_name(criterion: str) -> ScoreName:
    """What the score of a criterion is called.

    >>> score_name("gini").score, score_name("of my own").score
    ('Gini decrease', 'of my own decrease')
    """
    known = _NAMES.get(_ALSO.get(criterion, criterion))
    return known or ScoreName(criterion, f"{criterion} decrease")


def score_text(criterion: str, value: float) -> str:
    """A score with its name and unit.

    >>> score_text("entropy", 0.246749), score_text("gini", 0.13605), score_text("gain-ratio", 0.15642)
    ('gain 0.247 bits', 'Gini decrease 0.136', 'gain ratio 0.156')
    """
    return named(score_name(criterion).score, value)


def impurity_text(criterion: str, value: float) -> str:
    """What a criterion measures at a node, with its name and unit.

    >>> impurity_text("gain-ratio", 0.940286), impurity_text("gini", 0.459184)
    ('entropy 0.94 bits', 'Gini index 0.459')
    """
    return named(score_name(criterion).impurity, value)


def named(name: str, value: float) -> str:
    """A number with its name and unit.

    >>> named("gain", 1.0), named("gain", 0.5)
    ('gain 1 bit', 'gain 0.5 bits')
    """
    text = digits(value)
    return f"{name} {text}{unit_of(name).removesuffix('s') if text == '1' else unit_of(name)}"


def unit_of(name: str) -> str:
    """The unit of a measure, with a space before it; nothing where it has none.

    >>> unit_of("gain"), unit_of("Gini decrease")
    (' bits', '')
    """
    return _UNITS.get(name, "")


def digits(x: float, n: int = 3) -> str:
    """A number in few digits.

    >>> digits(0.21043), digits(152.133), digits(12345678.0), digits(0), digits(-0.00001234)
    ('0.21', '152', '1.23e+07', '0', '-1.23e-05')
    """
    if x == 0 or not math.isfinite(x):
        return number_text(x)
    size = math.floor(math.log10(abs(x)))
    if size >= 7 or size < -4:
        return f"{x:.{n - 1}e}"
    return number_text(round(x, max(n - 1 - size, 0)))


def p_text(p: float) -> str:
    """A p-value to three decimals, as papers print it.

    >>> p_text(0.0421), p_text(1e-9), p_text(1.0), p_text(0.0009996)
    ('p = .042', 'p < .001', 'p = 1.000', 'p < .001')
    """
    value = p_digits(p)
    return f"p {value}" if value.startswith("<") else f"p = {value}"


def p_digits(p: float) -> str:
    """A p-value for a column of them.

    >>> p_digits(0.0421), p_digits(1e-9)
    ('.042', '< .001')
    """
    return "< .001" if p < 0.001 else f"{p:.3f}".removeprefix("0")


class Scores:
    """The scores of the splits of one tree.

    Examples
    --------
    >>> import hornbeam as hb
    >>> tennis = hb.datasets.load("tennis")
    >>> Scores(hb.c45().fit(tennis.X, tennis.y).tree_).text(0)
    'gain ratio 0.156'
    >>> model = hb.chaid(min_samples_split=2, min_samples_leaf=1).fit({"x": list("aaabbb")}, list("nnnyyy"))
    >>> Scores(model.tree_).text(0)
    'p = .014 (statistic 6, df 1)'
    """

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self._tests = tree_annotations.by_node(tree, tree_annotations.FACTS)
        self.criterion = str(tree.meta.get("criterion") or tree.task.usual_criterion)

    def text(self, node: int) -> str:
        """What chose the test of a node, with its name and unit; nothing where there is no score."""
        test = self._tests.get(node, {})
        log_p = next((test[name] for name in _P_VALUES if name in test), None)
        if log_p is not None:
            return p_text(math.exp(min(float(log_p), 0.0))) + _statistic_text(test)
        gain = float(self.tree.gain[node])
        unit = str(self.tree.meta.get("unit", ""))  # of a criterion that is written in Python
        return f"{score_text(self.criterion, gain)} {unit}".rstrip() if gain > 0 else ""


def _statistic_text(test: Mapping[str, Any]) -> str:
    """The statistic of a test of significance with its degrees of freedom, if it has any."""
    if "statistic" not in test:
        return ""
    freedom = f", df {test['df']}" if "df" in test else ""
    return f" (statistic {digits(float(test['statistic']))}{freedom})"
