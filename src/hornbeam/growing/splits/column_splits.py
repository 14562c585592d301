"""Tests of single columns: two branches, a branch for each value, or one value against the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from hornbeam._base.parameters import check_choice
from hornbeam.data.columns import Column
from hornbeam.growing.part import Part, no_such_column, resolve

PLACES = ("round", "midpoint", "value", "lower")
DRAWN = "drawn"  # where thresholds lie that are drawn


class Splitting(Part):
    """Which kind of test a column gets. Numeric and ordinal columns are always cut at a threshold.

    A threshold lies between two neighbouring training values of its node. `threshold_at` says where: at a
    "round" number near the middle, at the "midpoint", at the "lower" of the two values (ctree), or at the
    largest "value" of the whole training table that is not above the middle (C4.5).
    """

    method: ClassVar[str] = "core"  # the method of growing that searches such tests
    draws_tests: ClassVar[bool] = (
        False  # whether a column gets one test drawn from the seed, not the best one
    )
    threshold_at: str = PLACES[0]

    def threshold_place(self) -> str:
        """Where numeric columns are cut, one of `PLACES`."""
        return self.threshold_at

    def check(self) -> None:
        """Raise if the place of thresholds is not known."""
        check_choice("threshold_at", self.threshold_at, PLACES)

    def kind(self, column: Column) -> str:
        """Name of the test for `column`, one of `hornbeam.tree.tree.KINDS`."""
        return "threshold" if column.kind != "nominal" else self.nominal(column)

    def check_columns(self, columns: Sequence[Column]) -> None:
        """Raise a ValueError if the choice does not fit the columns of the table."""

    def plain_columns(self, columns: Sequence[int]) -> tuple[int, ...]:
        """Those of the columns that are tested alone."""
        return tuple(columns)

    def nominal(self, column: Column) -> str:
        """Name of the test for a nominal column."""
        raise TypeError(f"{type(self).__name__} does not say how to split the nominal column {column.name!r}")


class ColumnSplitting(Splitting):
    """A kind of test for each column alone, and where numeric columns are cut."""

    nominal_kind: ClassVar[str] = ""  # of the test that nominal columns get

    def __init__(self, threshold_at: str = "round") -> None:
        self.threshold_at = threshold_at

    def nominal(self, column: Column) -> str:  # noqa: ARG002 (the same for all columns)
        """Name of the test for a nominal column."""
        return self.nominal_kind


class Binary(ColumnSplitting):
    """Two branches everywhere; a nominal column is parted into two sets of values.

    Parameters
    ----------
    threshold_at : "round", "midpoint", "value" or "lower"
        Where a numeric column is cut between two neighbouring training values: at a number of few digits near
        the middle, midway, at the largest value of the training table that is not above the middle (C4.5), or
        at the lower of the two (ctree).

    Examples
    --------
    >>> from hornbeam.data.columns import Column
    >>> Binary().kind(Column("colour", "nominal", ("blue", "red")))
    'subset'
    """

    name, about = "binary", "two sets of values (CART)"
    nominal_kind = "subset"


class Multiway(ColumnSplitting):
    """One branch for each value of a nominal column.

    Parameters
    ----------
    threshold_at : as in `Binary`

    Examples
    --------
    >>> from hornbeam.data.columns import Column
    >>> Multiway().kind(Column("colour", "nominal", ("blue", "red")))
    'multiway'
    """

    name, about = "multiway", "one branch for each value (ID3, C4.5)"
    nominal_kind = "multiway"


class OneVsRest(ColumnSplitting):
    """A test `A = v` for a nominal column.

    Parameters
    ----------
    threshold_at : as in `Binary`

    Examples
    --------
    >>> from hornbeam.data.columns import Column
    >>> OneVsRest().kind(Column("colour", "nominal", ("blue", "red")))
    'equals'
    """

    name, about = "one-vs-rest", "one value against the rest"
    nominal_kind = "equals"


class YesNo(ColumnSplitting):
    """A nominal column of two values is one question; of more values a question `A = v` for each value.

    Parameters
    ----------
    threshold_at : as in `Binary`

    Examples
    --------
    >>> from hornbeam.data.columns import Column
    >>> sizes = {"smoker": ("no", "yes"), "city": ("Brno", "Plzeň", "Zlín")}
    >>> [YesNo().kind(Column(name, "nominal", values)) for name, values in sizes.items()]
    ['multiway', 'equals']
    """

    name, about = "yes-no", "two branches: a column of two values, or one value against the rest"

    def nominal(self, column: Column) -> str:
        """Name of the test for a nominal column."""
        return "multiway" if len(column.categories) == 2 else "equals"


class RandomCuts(Splitting):
    """Each column brings one test that is drawn, and the best of these is taken: extremely randomised trees.

    A numeric or ordinal column is cut anywhere between the smallest and the largest value that the rows of
    the node have, all places being equally likely; the values of a nominal column that occur there are
    parted into two random sets. Only the columns that `max_features` draws take part, columns of one value
    never. Gaps join either side, as `missing` says. A threshold is kept as the shortest decimal within a
    thousandth of the column's range at the node that sends the node's rows where the drawn number sends
    them.

    What is drawn depends on `random_state`, the way from the root to the node, the column and the values of
    the node, never on the order of rows or on threads. With `random_state=None` every fit is another tree.
    ``TreeClassifier(split="random")`` is scikit-learn's ``splitter="random"``, and a forest with
    ``split="random", bootstrap=False`` its ExtraTrees.

    References
    ----------
    Geurts, P., Ernst, D. & Wehenkel, L. (2006). Extremely randomized trees. Machine Learning 63, 3-42.

    Examples
    --------
    >>> import hornbeam as hb
    >>> X, y = {"height": [1.50, 1.62, 1.75, 1.81]}, ["a", "a", "b", "b"]
    >>> for seed in (0, 1, 2):
    ...     print(hb.TreeClassifier(split="random", random_state=seed).fit(X, y).tree_.text())
    height[<=1.573: a(1:0) | >1.573: height[<=1.6522: a(1:0) | >1.6522: b(0:2)]]
    height[<=1.711: a(2:0) | >1.711: b(0:2)]
    height[<=1.606: a(1:0) | >1.606: height[<=1.6278: a(1:0) | >1.6278: b(0:2)]]
    """

    name, about = "random", "one test for each column, drawn (extremely randomised trees)"
    draws_tests = True
    threshold_at = DRAWN

    def check(self) -> None:
        """There is nothing to be wrong."""

    def nominal(self, column: Column) -> str:  # noqa: ARG002 (the same for all columns)
        """Name of the test for a nominal column."""
        return "subset"


CHOICES: Mapping[str, type[Splitting]] = {part.name: part for part in (Binary, Multiway, OneVsRest)}


class PerColumn(Splitting):
    """Named columns split their own way, the others as `default` says.

    Parameters
    ----------
    columns : dict from the name of a nominal column to "binary", "multiway" or "one-vs-rest"
    default : the choice for all other columns

    Examples
    --------
    >>> from hornbeam.data.columns import Column
    >>> split = PerColumn({"city": "one-vs-rest"}, default="multiway")
    >>> [split.kind(Column(name, "nominal", ("a", "b"))) for name in ("city", "colour")]
    ['equals', 'multiway']
    """

    name, about = "per-column", "a choice for each column"

    def __init__(self, columns: Mapping[str, Any], default: Any = "binary") -> None:
        self.columns = columns
        self.default = default

    def check(self) -> None:
        """Raise if a choice is not known."""
        if not isinstance(self.columns, Mapping):
            raise TypeError(f"columns={self.columns!r} must be a dict from column name to a kind of split")
        plain_choice("default", self.default)
        for name, choice in self.columns.items():
            plain_choice(f"columns[{name!r}]", choice)

    def check_columns(self, columns: Sequence[Column]) -> None:
        """Raise if a named column is not there, or is not nominal."""
        kinds = {column.name: column.kind for column in columns}
        for name in self.columns:
            if name not in kinds:
                raise no_such_column("PerColumn names the column", name, kinds)
            if kinds[name] != "nominal":
                raise ValueError(
                    f"PerColumn names the {kinds[name]} column {name!r}, which is always cut at a threshold:"
                    " name nominal columns only"
                )

    def threshold_place(self) -> str:
        """Where numeric columns are cut: as the default choice says."""
        return plain_choice("default", self.default).threshold_place()

    def nominal(self, column: Column) -> str:
        """Name of the test for a nominal column."""
        choice = self.columns.get(column.name, self.default)
        return resolve("split", choice, CHOICES, Splitting).nominal(column)


def plain_choice(parameter: str, value: Any) -> Splitting:
    """The choice a parameter of a part stands for: one that tests every column alone.

    >>> plain_choice("columns", "multiway")
    Multiway()
    """
    part = resolve(parameter, value, CHOICES, Splitting)
    if isinstance(part, (*CHOICES.values(), PerColumn)):
        return part
    raise ValueError(
        f"{parameter}={value!r} must be a choice that tests every column alone:"
        f" {', '.join(map(repr, CHOICES))}, or PerColumn(...)"
    )
