"""Splits: what every column could do at a node of a model, with its arithmetic.

One idea: the node is asked again, with the model's own choices, and every answer is kept instead of the best
one only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, overload

from hornbeam._base.parameters import column_names, did_you_mean
from hornbeam.editing.arithmetic.candidate import ColumnCandidate, column_candidate
from hornbeam.editing.arithmetic.candidate_text import table_text, work_text
from hornbeam.editing.arithmetic.node_rows import NodeRows, node_rows_of
from hornbeam.editing.arithmetic.selection_order import Ranked, choice_of
from hornbeam.growing.selections import ChiSquare, Conditional
from hornbeam.tree.hooks import inner_model
from hornbeam.tree.words import ASCII, condition_text, rows_text


class Splits(Sequence[ColumnCandidate]):
    """The candidates of one node, the best first, those that are refused last.

    `splits[0]` is the best, `splits["age"]` the candidate of a column; `str()` is a table, with the work
    below if that was asked for.

    Attributes
    ----------
    node : int
    n_rows : int
        Rows at the node, with repetitions.
    weight : float
        Their weight, as growing sees it.
    impurity : float
        By the model's criterion.
    criterion : str
    selection : str
    stops : str or None
        Why the node is not split, whatever its candidates are worth; None if nothing forbids it.
    made : str or None
        The test of the tree here, by its first branch: `age <= 29.5`; None at a leaf, or without a tree.
    classes : tuple
        The classes of the tables, in order; () for a real target.
    """

    def __init__(self, place: NodeRows, candidates: Sequence[ColumnCandidate], stops: str | None) -> None:
        self._candidates = tuple(candidates)
        self.node = place.number
        self.n_rows = place.node.n_rows
        self.weight = place.weight
        self.impurity = place.node.impurity
        self.criterion = place.plan.criterion.name
        self.selection = place.plan.selection.name
        self.stops = stops
        self.classes = tuple(place.growth.classes)
        self.made: str | None = None
        if place.tree is not None and place.splits_here:
            self.made = condition_text(place.tree, place.number, 0, ASCII)
        self._by_p = isinstance(place.plan.selection, ChiSquare | Conditional)
        self._real = place.growth.is_real

    def __len__(self) -> int:
        return len(self._candidates)

    def __iter__(self) -> Iterator[ColumnCandidate]:
        return iter(self._candidates)

    @overload
    def __getitem__(self, which: int | str) -> ColumnCandidate: ...
    @overload
    def __getitem__(self, which: slice) -> tuple[ColumnCandidate, ...]: ...
    def __getitem__(self, which: Any) -> Any:
        if not isinstance(which, str):
            return self._candidates[which]
        for one in self._candidates:
            if which in (one.column, one.test):
                return one
        names = [one.column for one in self._candidates]
        hint = did_you_mean(which, names)
        raise KeyError(f"no contender is called {which!r}{hint}: there are {', '.join(names)}")

    @property
    def best(self) -> ColumnCandidate | None:
        """The candidate of rank 1, None if all are refused."""
        return next((one for one in self._candidates if one.rank == 1), None)

    @property
    def chosen(self) -> ColumnCandidate | None:
        """The candidate the tree tests here, None at a leaf."""
        return next((one for one in self._candidates if one.chosen), None)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<Splits of node {self.node}: {len(self)} contenders, {self.criterion}>"

    def text(self, charset: str = "unicode") -> str:
        """A table for people; `charset="ascii"` for terminals that know no other signs."""
        head = f"node {self.node}: {rows_text(self.n_rows)}, {self.criterion} {self.impurity:.4f}"
        if self.selection != "best":
            head += f", selection {self.selection}"
        lines = [head]
        if self.stops is not None:
            lines.append(f"not split: {self.stops}")
        if self.made is not None and (self.best is None or not self.best.chosen):
            lines.append(f"the tree tests {self.made}")
        lines.append(table_text(self._candidates, self.criterion, charset, real=self._real, by_p=self._by_p))
        work = work_text(self._candidates, charset)
        return "\n".join(lines + (["", work] if work else []))

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values that JSON can hold; "candidates" has a dict for each candidate."""
        return {
            "schema": "hornbeam/splits/1",
            "node": self.node,
            "n": self.n_rows,
            "weight": self.weight,
            "impurity": self.impurity,
            "criterion": self.criterion,
            "selection": self.selection,
            "stops": self.stops,
            "made": self.made,
            "classes": [c if isinstance(c, bool | int | str) else str(c) for c in self.classes],
            "candidates": [one.to_dict() for one in self._candidates],
        }

    def columns(self) -> dict[str, list[Any]]:
        """A column for each fact, for any data frame: `polars.DataFrame(splits.columns())`."""
        names = ["rank", "column", "kind", "test", *(_REAL if self._real else _CLASSES), *_BOTH]
        return {name: [getattr(one, name) for one in self._candidates] for name in names}

    def to_frame(self) -> Any:
        """A pandas data frame with a row for each candidate."""
        try:
            import pandas as pd
        except ImportError:
            raise ImportError(
                "to_frame needs pandas: install it, or give splits.columns() to another library"
            ) from None
        return pd.DataFrame(self.columns())


_CLASSES = ("gain", "split_information", "gain_ratio", "gini", "chi2")
_REAL = ("sdr", "variance", "r2", "f")
_BOTH = ("df", "p", "score", "missing", "chosen", "reason", "remark")


def splits(
    model: Any,
    X: Any,
    y: Any,
    node: int = 0,
    *,
    sample_weight: Any = None,
    counts: Any = None,
    row_costs: Any = None,
    exposure: Any = None,
    work: bool = False,
    columns: str | Sequence[str] | None = None,
) -> Splits:
    """The arithmetic of a split: the best test of every column at a node, and what it is worth.

    The rows of X that reach the node are counted anew, by the model's own choices: criterion, selection, kind
    of splits, missing values, limits, constraints, priors and costs. With the rows it was trained on, the
    candidate of rank 1 is the test of the tree; other rows show what they would have chosen.

    Parameters
    ----------
    model : TreeClassifier or TreeRegressor, fitted or not; a Tree, or the path of a saved one
        One that is not fitted can only be asked about the root: a look before growing. Of a Tree only the
        criterion and the kinds of its tests are known; it is judged without limits.
    X, y : the rows, as for `fit`
    node : int
        The number of the node; `hb.show(model, node_ids=True)` prints them.
    sample_weight, counts, row_costs, exposure : as for `fit`
    work : bool
        Whether each candidate keeps its calculation term by term.
    columns : str, list of str or None
        Only the candidates of these columns; ranks stay those among all.

    Returns
    -------
    Splits
        A sequence of `ColumnCandidate`: `splits[0]`, `splits["age"]`; `to_frame()`, `to_dict()`, and
        `str()` is a table. `splits["age"].cuts` has the score of every threshold.

    Notes
    -----
    At a node below a test whose value is missing in a row, the row follows the branch that the tree keeps for
    gaps, or is shared among the branches by their weight (fractional cases), as in training.
    Where gaps are left out of the judgement ("fractional", "majority", "surrogates") all gains are those of
    the known rows times their share, and the split information counts the gaps as one more branch.
    Chi-square and F are computed on `counts`; sample weights are scaled to sum to the number of rows.

    Examples
    --------
    >>> import hornbeam as hb
    >>> tennis = hb.datasets.load("tennis")
    >>> X = {name: column for name, column in tennis.X.items() if name != "Day"}
    >>> splits = hb.splits(hb.id3(), X, tennis.y, work=True)
    >>> [(one.column, round(one.gain, 4)) for one in splits]
    [('Outlook', 0.2467), ('Humidity', 0.1518), ('Wind', 0.0481), ('Temperature', 0.0292)]
    >>> print(splits["Outlook"].work.lines[0])
    gain = H(5,9) − 4/14·H(0,4) − 5/14·H(2,3) − 5/14·H(3,2) = 0.9403 − 0 − 0.3468 − 0.3468 = 0.2467 bit
    >>> print(splits["Outlook"].work.lines[2])
    gain ratio = 0.2467 / 1.5774 = 0.1564
    """
    if not isinstance(work, bool):
        raise ValueError(f"work={work!r} must be True or False")
    given = {"sample_weight": sample_weight, "counts": counts, "row_costs": row_costs, "exposure": exposure}
    place = node_rows_of(inner_model(model, for_rows=True), X, y, node, given)
    wanted = _wanted(columns, place)
    choice = choice_of(place)
    candidates = [
        column_candidate(place, each, chosen=_is_chosen(place, each, choice.stops), work=work)
        for each in choice.ranked
        if wanted is None or wanted.issuperset(each.best.columns)
    ]
    return Splits(place, candidates, choice.stops)


def _wanted(columns: str | Sequence[str] | None, place: NodeRows) -> set[int] | None:
    if columns is None:
        return None
    names = [column.name for column in place.growth.columns]
    return {names.index(name) for name in column_names(columns, names)}


def _is_chosen(place: NodeRows, each: Ranked, stops: str | None) -> bool:
    """Whether the tree tests this; before there is a tree, whether it would."""
    if place.tree is None:
        return stops is None and each.rank == 1
    if not place.splits_here:
        return False
    return tuple(sorted(each.best.columns)) == tuple(sorted(place.tree.tested_columns(place.number)))
