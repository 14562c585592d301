"""Missing values: what training and prediction do with a missing value (a "gap"); one class for each choice.

`MISSING` is the table of the choices by their short names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, ClassVar

import numpy as np

from hornbeam.data.table import Table
from hornbeam.growing.part import Part, check_whole


class MissingRule(IntEnum):
    """What growing does with the rows whose value is missing, by the core's numbers.

    All but the first two judge a split by its known rows, times their share of the node's weight.
    """

    LEARN = 0  # gaps join the branch where they gain most
    BRANCH = 1  # they are a branch of their own
    FRACTIONAL = 2  # they go to every branch, by its share of the known weight
    MAJORITY = 3  # they go to the branch of the most known weight
    SURROGATES = 4  # they go where surrogates send them

    @property
    def known_only(self) -> bool:
        """Whether a split is judged by its known rows alone."""
        return self not in (MissingRule.LEARN, MissingRule.BRANCH)


class MissingPolicy(Part):
    """What to do with missing values in training and in prediction."""

    core_rule: ClassVar[MissingRule] = MissingRule.LEARN

    def in_trials(self, table: Table) -> MissingPolicy:  # noqa: ARG002 (the same for all tables)
        """The same choice for trees that answer rows of this table only, and are then thrown away."""
        return self

    def surrogate_rule(self) -> dict[str, Any] | None:
        """How surrogates are searched, as the core reads it; None for none."""
        return None

    def check_kinds(self, kinds: Mapping[str, str]) -> None:
        """Raise a ValueError if the choice does not go with the kind of test of a column."""

    def policy(self) -> dict[str, str]:
        """How prediction treats a gap, as a Tree keeps it."""
        return {"missing": self.name, "vote": "distribution", "weights": "leaf"}


class Learn(MissingPolicy):
    """A gap goes to the branch where sending the training gaps gained most.

    All gaps against all values is a split, too. In prediction a gap at a test that saw none in training, and
    a category never seen, follow all paths; the leaves reached are weighted by their training weight.

    Examples
    --------
    >>> import hornbeam as hb, numpy as np
    >>> X = np.array([[1.0], [2.0], [np.nan], [np.nan]])
    >>> hb.TreeClassifier(missing="learn").fit(X, ["a", "b", "b", "b"]).predict([[np.nan]])
    array(['b'], dtype='<U1')
    """

    name, about = "learn", "a gap goes where training gaps gained most"


class OwnBranch(MissingPolicy):
    """Gaps are one more branch of every test whose column has gaps in the node, in prediction too.

    At a test that saw no gap in training, prediction follows all paths, and the leaves reached answer
    together.

    Parameters
    ----------
    vote : "distribution" or "leaf"
        A leaf reached along all paths counts by its training weight; it gives its class shares, or one vote
        for its label.

    Examples
    --------
    >>> import hornbeam as hb
    >>> X = {"colour": ["red", "blue", None, None]}
    >>> model = hb.TreeClassifier(missing="branch", split="multiway").fit(X, ["a", "b", "c", "c"])
    >>> model.tree_.text()
    'colour[blue: b(0:1:0) | red: a(1:0:0) | Missing: c(0:0:2)]'
    """

    name, about = "branch", '"Missing" as a value: a branch of its own'
    core_rule = MissingRule.BRANCH

    def __init__(self, vote: str = "distribution") -> None:
        self.vote = vote

    def check(self) -> None:
        """Raise if `vote` is not known."""
        if self.vote not in ("distribution", "leaf"):
            raise ValueError(f"vote={self.vote!r} must be 'distribution' or 'leaf'")

    def policy(self) -> dict[str, str]:
        """How prediction treats a gap, as a Tree keeps it."""
        return super().policy() | {"vote": self.vote}


class AllPaths(OwnBranch):
    """Training treats "Missing" as a value; prediction with a gap follows all branches, learned or not.

    So a training row with a gap may be answered otherwise than its own leaf says; `OwnBranch` follows the
    branch that was learned, and all paths only where there is none.

    Parameters
    ----------
    vote : "distribution" or "leaf"
        A leaf reached counts by its training weight; it gives its class shares, or one vote for its label.

    Examples
    --------
    >>> import hornbeam as hb
    >>> robots = hb.datasets.load("robots")
    >>> model = hb.TreeClassifier("entropy", split="multiway", missing="all-paths").fit(robots.X, robots.y)
    >>> row = {"head": None, "body": None, "smile": "yes", "neck": None, "holds": None}
    >>> model.predict_proba([row]).round(6)
    array([[0.571429, 0.428571]])
    """

    name, about = "all-paths", "all paths in prediction, weighted by the leaves"


class Fractional(MissingPolicy):
    """A gap goes to every branch, with the branch's share of the known weight; in prediction too.

    A test is judged by the rows whose value is known: its gain is what it gains on them times their share of
    the node's weight. The split information counts the gaps as one more branch. In training a row with a gap
    goes down every branch with a part of its weight, the branch's share of the known weight; in prediction
    its answers are averaged with those shares. A category never seen counts as a gap. Limits such as
    `min_samples_leaf` count a row in every branch it stands in.

    References
    ----------
    Quinlan, J. R. (1993). C4.5: Programs for Machine Learning. Morgan Kaufmann.

    Examples
    --------
    >>> import hornbeam as hb
    >>> robots = hb.datasets.load("robots")
    >>> model = hb.TreeClassifier("entropy", split="multiway", missing="fractional").fit(robots.X, robots.y)
    >>> row = {"head": None, "body": None, "smile": "yes", "neck": None, "holds": None}
    >>> model.predict_proba([row])  # 3/8 of the rows had body=circle, 3/8 square, 2/8 triangle
    array([[0.625, 0.375]])
    """

    name, about = "fractional", "a gap goes to every branch with a part of its weight (C4.5)"
    core_rule = MissingRule.FRACTIONAL

    def policy(self) -> dict[str, str]:
        """How prediction treats a gap, as a Tree keeps it."""
        return super().policy() | {"weights": "branch"}


class Majority(MissingPolicy):
    """A gap follows the branch of the most known weight, of equally heavy ones the first; in prediction too.

    A test is judged by the rows whose value is known: its gain is what it gains on them times their share of
    the node's weight. Every test of the tree knows its heaviest branch, so prediction never has to follow two
    paths, and a category never seen counts as a gap.

    Examples
    --------
    >>> import hornbeam as hb
    >>> X = {"colour": ["red", "red", "blue", None]}
    >>> model = hb.TreeClassifier(missing="majority").fit(X, ["a", "a", "b", "b"])
    >>> model.tree_.text()
    'colour[{blue}: b(0:1) | {red}: a(2:1)]'
    >>> model.predict({"colour": [None, "green"]})
    array(['a', 'a'], dtype='<U1')
    """

    name, about = "majority", "a gap follows the branch of the most known weight"
    core_rule = MissingRule.MAJORITY


@dataclass(eq=False, repr=False)
class Surrogates(MissingPolicy):
    """Where a test's column is missing, the column that imitates it best is asked, then the next.

    A test is judged by the rows whose value is known: its gain is what it gains on them times their share
    of the node's weight. Then every other column is searched for the cut, or the sides of its values, that
    sends the most rows the same way. Its *agreement* is the share of rows sent the same way, its
    *association* (agreement - majority) / (1 - majority), where the majority is the share of the larger
    branch. Cuts lie between neighbouring values of the node, of rows with the gap, too; a category that
    agrees with both branches equally often goes with the larger one. Rows weigh what they do in growing,
    priors included. Only columns that do better than the majority are kept, best first, of equal ones the
    first in column order. A row that no surrogate knows follows the heavier branch. So does a category never
    seen. Prediction does the same.

    Parameters
    ----------
    max_surrogates : int
        How many are kept at a test; 0 sends every gap the majority's way.
    min_side : int
        Rows that a surrogate must send to either side.
    shares_of : "known" or "both"
        Shares are of all rows known in the test's own column, as in rpart, or of those known in both
        columns, as in the book.

    References
    ----------
    Breiman, L., Friedman, J., Olshen, R. & Stone, C. (1984). Classification and Regression Trees, section
    5.3.

    Examples
    --------
    >>> import hornbeam as hb
    >>> X = {"x1": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], "x2": [2, 1, 4, 3, 5, 8, 6, 9, 7, 10]}
    >>> model = hb.TreeClassifier(missing=Surrogates(), max_depth=1).fit(X, list("aaaaabbbbb"))
    >>> hb.teaching.surrogates(model)[0].test, hb.teaching.surrogates(model)[0].association
    ('x2<=5.5', 1.0)
    >>> model.predict({"x1": [None, None], "x2": [3, 9]})
    array(['a', 'b'], dtype='<U1')
    """

    name, about = "surrogates", "the column that imitates the test best decides (CART)"
    core_rule = MissingRule.SURROGATES

    max_surrogates: int = 5
    min_side: int = 2
    shares_of: str = "known"

    def check(self) -> None:
        """Raise if a number is out of its range."""
        for name, least in (("max_surrogates", 0), ("min_side", 1)):
            check_whole(name, getattr(self, name), least)
        if self.shares_of not in ("known", "both"):
            raise ValueError(f"shares_of={self.shares_of!r} must be 'known' or 'both'")

    def in_trials(self, table: Table) -> MissingPolicy:
        """Without surrogates if no row has a gap: nobody would ask them."""
        gaps = any(
            bool(np.isnan(array).any() if array.dtype.kind == "f" else (array < 0).any())
            for array in table.arrays
        )
        return self if gaps else Surrogates(0, self.min_side, self.shares_of)

    def surrogate_rule(self) -> dict[str, Any]:
        """How surrogates are searched, as the core reads it."""
        return {
            "most": min(int(self.max_surrogates), 2**31 - 1),
            "min_side": int(self.min_side),
            "known_in_both": self.shares_of == "both",
        }

    def check_kinds(self, kinds: Mapping[str, str]) -> None:
        """Raise if a column is split into more than two branches, which no surrogate imitates."""
        for column, kind in kinds.items():
            if kind == "multiway":
                raise ValueError(
                    f"missing='surrogates' imitates tests of two branches, but column {column!r} gets one for"
                    " each value: use split='binary' or split='one-vs-rest', or missing='fractional'"
                )


MISSING: Mapping[str, type[MissingPolicy]] = {
    part.name: part for part in (Learn, OwnBranch, AllPaths, Fractional, Majority, Surrogates)
}

__all__ = [
    "AllPaths",
    "Fractional",
    "Learn",
    "Majority",
    "MissingPolicy",
    "OwnBranch",
    "Surrogates",
]
