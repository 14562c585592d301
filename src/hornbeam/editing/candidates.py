"""`hb.candidates`: what a node could test, ranked, as a table for people; with its arithmetic on request.

The search of growth is repeated at the node, with the model's own choices, and everything that it compares is
kept instead of the best test only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, overload

from hornbeam._base.parameters import column_names, did_you_mean
from hornbeam.data.shown_result import TabularResult
from hornbeam.editing.candidate import Candidate, make_candidate
from hornbeam.editing.candidate_reasons import why_here
from hornbeam.editing.candidate_text import OWN_MEASURE, headings_of, table_text, work_text
from hornbeam.editing.edit_words import test_text
from hornbeam.editing.model_node import node_of_model
from hornbeam.growing.candidates.column_scores import CONSTANT, ColumnScorer
from hornbeam.growing.candidates.column_search import BestTest
from hornbeam.growing.candidates.node_rows import NodeRows
from hornbeam.growing.candidates.selection_order import Ranking, Stop, rank_candidates
from hornbeam.growing.candidates.split_gain import descending
from hornbeam.growing.selections import ChiSquareSelection, Conditional
from hornbeam.tree.hooks import inner_model
from hornbeam.tree.json_values import json_fields
from hornbeam.tree.scores import impurity_text, p_digits
from hornbeam.tree.words import rows_text


class Candidates(TabularResult, Sequence[Candidate]):
    """The candidates of one node.

    `candidates[0]` is the first, `candidates["age"]` the first of a column, `candidates["age<=29.5"]` a test;
    `str()` is a table, with the calculations below it if there are any. `candidates.why("age")` says in words
    why a column stands where it does.

    Attributes
    ----------
    node : int
    n_rows : int
        Rows at the node, with repetitions.
    weight : float
        Their weight, priors and costs included.
    impurity : float
        By the model's criterion.
    criterion, selection : str
    stops : str or None
        Why the node is not split, whatever its candidates are worth; None if nothing forbids it.
    stopped_by : "limit", "pure", "no test", "score" or None
        What kind of reason: a limit reached, all targets equal, no test possible, the best score too small.
    made : str or None
        The test of the tree here: `age <= 29.5`, of several branches the column; None at a leaf.
    classes : tuple
        The classes of the tables, in order; () for a real target.
    n_ranked : int
        How many candidates have a rank, listed or not.
    leaders : tuple of Candidate
        Those of rank 1 and 2, listed or not.
    """

    def __init__(
        self,
        node_rows: NodeRows,
        candidates: Sequence[Candidate],
        stop: Stop | None,
        leaders: Sequence[Candidate],
        n_ranked: int,
    ) -> None:
        self._candidates = tuple(candidates)
        self.leaders, self.n_ranked = tuple(leaders), n_ranked
        self.node = node_rows.number
        self.n_rows = node_rows.node.n_rows
        self.weight = node_rows.weight
        self.impurity = node_rows.node.impurity
        self.criterion = node_rows.plan.criterion.name
        self.selection = node_rows.plan.selection.name
        self.stopped_by = None if stop is None else stop.kind
        self.stops = None if stop is None else stop.words
        self.classes = tuple(node_rows.growth.classes)
        tree = node_rows.tree if node_rows.splits_here else None
        self.made = None if tree is None else test_text(tree, node_rows.number)
        self.by_p = isinstance(node_rows.plan.selection, ChiSquareSelection | Conditional)
        self.is_real = node_rows.growth.is_real

    def __len__(self) -> int:
        return len(self._candidates)

    def __iter__(self) -> Iterator[Candidate]:
        return iter(self._candidates)

    @overload
    def __getitem__(self, which: int | str) -> Candidate: ...
    @overload
    def __getitem__(self, which: slice) -> tuple[Candidate, ...]: ...
    def __getitem__(self, which: Any) -> Any:
        if not isinstance(which, str):
            return self._candidates[which]
        for one in self._candidates:
            if which in (one.column, one.test):
                return one
        names = [one.column for one in self._candidates]
        hint = did_you_mean(which, names)
        raise KeyError(f"no candidate is called {which!r}{hint}: there are {', '.join(names)}")

    @property
    def best(self) -> Candidate | None:
        """The candidate of rank 1, None if all are refused."""
        return next((one for one in self._candidates if one.rank == 1), None)

    @property
    def chosen(self) -> Candidate | None:
        """The candidate that the tree tests here, None at a leaf."""
        return next((one for one in self._candidates if one.chosen), None)

    def why(self, which: int | str | Candidate) -> str:
        """Why a candidate is chosen, or why not, in words; of a column, a test, or a place in the list.

        >>> import hornbeam as hb
        >>> tennis = hb.datasets.load("tennis")
        >>> print(hb.candidates(hb.id3(), tennis.X, tennis.y).why("Humidity"))
        Humidity is second of 4: its gain is 0.152 bits, 0.095 less than Outlook's 0.247. On average its \
branches leave 0.788 of the 0.940 bits, those of Outlook 0.694. Outlook has a branch of one class, Overcast \
with 4 rows; Humidity has none.
        """
        return why_here(self, which if isinstance(which, Candidate) else self[which])

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<Candidates of node {self.node}: {len(self)} candidates, {self.criterion}>"

    def text(self, charset: str = "unicode", width: int | None = None) -> str:
        """A table for people, `width` characters wide at most if it can be; `charset` may be "ascii"."""
        head = f"node {self.node}: {rows_text(self.n_rows)}, {impurity_text(self.criterion, self.impurity)}"
        if self.selection != "best":
            head += f", selection {self.selection}"
        lines = [head]
        if self.stops is not None:
            lines.append(f"not split: {self.stops}")
        if self.made is not None and (self.best is None or not self.best.chosen):
            lines.append(f"the tree tests {self.made}")
        lines.append(table_text(self, charset, width))
        work = work_text(self._candidates, charset)
        return "\n".join(lines + (["", work] if work else []))

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values that JSON can hold; "candidates" has a dict for each candidate."""
        return self.summary() | {"candidates": [one.to_dict() for one in self._candidates]}

    def summary(self) -> dict[str, Any]:
        """As `to_dict`, each candidate without its "table", "cuts" and "arithmetic"."""
        facts: dict[str, Any] = {"schema": "hornbeam/candidates/1", "node": self.node, "n": self.n_rows}
        facts |= json_fields(self, ("weight", "impurity", "criterion", "selection", "stops", "made"))
        facts["measures"] = headings_of(real=self.is_real)
        facts["classes"] = [c if isinstance(c, bool | int | str) else str(c) for c in self.classes]
        return facts | {"candidates": [one.summary() for one in self._candidates]}

    def columns(self) -> dict[str, list[Any]]:
        """A column for each fact, for any data frame: `polars.DataFrame(candidates.columns())`."""
        names = ["rank", "column", "kind", "test", *(_REAL if self.is_real else _CLASSES), *_BOTH]
        return {name: [getattr(one, name) for one in self._candidates] for name in names}

    def shown_tables(self) -> list[Mapping[str, Sequence[Any]]]:
        """The measures of the tests by their names; with `work=True` also the calculations."""
        facts, headings = self.columns(), headings_of(real=self.is_real)
        facts["p"] = [None if p is None else p_digits(p) for p in facts["p"]]
        score = ["score"] * (self.by_p or self.criterion not in OWN_MEASURE)
        names = ["rank", "test", *score, *headings, "missing", "reason", "remark"]
        told = {headings.get(name, name): facts[name] for name in names if set(facts[name]) - {None, ""}}
        worked = [one for one in self._candidates if one.work is not None]
        work = {"test": [one.test for one in worked], "calculation": [str(one.work) for one in worked]}
        return [told, work] if worked else [told]

    def shown_text(self) -> str:
        """Which node this is, and why it is not split if it is not."""
        return "\n".join(self.text().splitlines()[: 1 + (self.stops is not None)])


_CLASSES = ("gain", "split_information", "gain_ratio", "gini", "chi2")
_REAL = ("sdr", "variance", "r2", "f")
_BOTH = ("df", "p", "score", "missing", "chosen", "reason", "remark")


def candidates(
    model: Any,
    X: Any,
    y: Any,
    node: int = 0,
    *,
    tests: str = "best",
    work: bool = False,
    columns: str | Sequence[str] | None = None,
    sample_weight: Any = None,
    counts: Any = None,
    row_costs: Any = None,
    exposure: Any = None,
) -> Candidates:
    """What a node could test: the best test of every column, or every test, and what each is worth.

    The rows of X that reach the node are counted anew, by the model's own choices: criterion, selection, kind
    of splits, missing values, limits, constraints, priors and costs. With the rows it was trained on, the
    candidate of rank 1 is the test of the tree; other rows show what they would have chosen.

    Parameters
    ----------
    model : TreeClassifier or TreeRegressor, fitted or not; a Tree, or the path of a saved one
        One that is not fitted has only a root: a look before growing. Of a Tree only the criterion and the
        kinds of its tests are known; its candidates are scored without limits.
    X, y : the rows, as for `fit`
    node : int
        The number of the node; `hb.show(model, node_ids=True)` prints them.
    tests : "best" or "all"
        "best": the best test of each column, the best column first, those that are refused last. "all": every
        test of every column, in the order in which ties are settled: columns as in X; cuts from the lowest to
        the highest; values in domain order; value sets (the side with the first value) from the smallest,
        then lexicographic, for columns of up to 12 values; then predicates or sets of columns. Where the
        model learns the branch of missing values, a test is listed once for each of its branches; tests that
        leave all rows in one branch are not listed. Ranks are then by the criterion alone: prices and C4.5's
        guards compare columns.
    work : bool
        Whether each candidate keeps its calculation term by term.
    columns : str, list of str or None
        Only the candidates of these columns; with "best" the ranks stay those among all.
    sample_weight, counts, row_costs, exposure : as for `fit`

    Returns
    -------
    Candidates
        A sequence of `Candidate`: `candidates[0]`, `candidates["age"]`, `candidates.best`; `to_frame()`,
        `to_dict()`, and `str()` is a table. `candidates["age"].cuts` has the score of every threshold.

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
    >>> candidates = hb.candidates(hb.id3(), X, tennis.y, work=True)
    >>> [(one.column, round(one.gain, 4)) for one in candidates]
    [('Outlook', 0.2467), ('Humidity', 0.1518), ('Wind', 0.0481), ('Temperature', 0.0292)]
    >>> print(candidates["Outlook"].work.lines[0])
    gain = H(5,9) − 4/14·H(0,4) − 5/14·H(2,3) − 5/14·H(3,2) = 0.9403 − 0 − 0.3468 − 0.3468 = 0.2467 bits
    >>> print(candidates["Outlook"].work.lines[2])
    gain ratio = 0.2467 / 1.5774 = 0.1564
    >>> cold = hb.datasets.load("temperature")
    >>> for one in hb.candidates(hb.TreeClassifier("entropy"), cold.X, cold.y, tests="all"):
    ...     if one.boundary:
    ...         print(one)
    Temperature<=-5.5: rank 1, gain 0.311 bits
    Temperature<=29: rank 2, gain 0.311 bits
    """
    if not isinstance(work, bool):
        raise ValueError(f"work={work!r} must be True or False")
    if tests not in ("best", "all"):
        raise ValueError(f"tests={tests!r} must be 'best', one test of each column, or 'all'")
    weights = {"sample_weight": sample_weight, "counts": counts, "row_costs": row_costs, "exposure": exposure}
    node_rows = node_of_model(inner_model(model, for_rows=True), X, y, node, weights)
    return candidates_of(node_rows, tests=tests, work=work, columns=columns)


def candidates_of(
    node_rows: NodeRows, *, tests: str = "best", work: bool = False, columns: Any = None
) -> Candidates:
    """The candidates of a node whose rows are known."""
    names = [column.name for column in node_rows.growth.columns]
    shown = {names.index(name) for name in column_names(columns, names)}
    if tests == "all":
        _refuse_all_tests(node_rows)
        ranking = rank_candidates(node_rows, shown)
        listed = _all_tests(ranking, shown, ColumnScorer(node_rows))
    else:
        ranking = rank_candidates(node_rows)
        listed = _best_tests(ranking, shown)

    def make(test: RankedTest, *, work: bool) -> Candidate:
        best, k, rank, score, reason = test
        chosen = _is_chosen(node_rows, best, k, wins=rank == 1 and ranking.stop is None)
        return make_candidate(node_rows, best, k, rank, score, reason, chosen=chosen, work=work)

    made = [make(test, work=work) for test in listed]
    ranked = listed if tests == "all" else _best_tests(ranking, set(range(len(names))))
    by_rank = {one.rank: one for one in made if one.rank is not None}
    leaders = [by_rank.get(one[2]) or make(one, work=False) for one in ranked if one[2] in (1, 2)]
    leaders.sort(key=lambda one: one.rank or 0)
    return Candidates(node_rows, made, ranking.stop, leaders, sum(one[2] is not None for one in ranked))


def _refuse_all_tests(node_rows: NodeRows) -> None:
    """Raise where a model does not compare tests one by one."""
    plan = node_rows.plan
    if not plan.criterion.of_moments:
        raise ValueError(
            f"criterion={plan.criterion.name!r} is judged by the search alone, not test by test: leave"
            " tests='best', or use 'variance' or 'sd'"
        )
    if isinstance(plan.selection, ChiSquareSelection | Conditional):
        raise ValueError(
            f"selection={plan.selection.name!r} makes the test of each column itself: leave tests='best'"
        )


RankedTest = tuple[
    BestTest, int, int | None, float | None, str | None
]  # which of its tests, rank, score, reason


def _best_tests(ranking: Ranking, shown: set[int]) -> list[RankedTest]:
    """The best test of each column."""
    return [
        (ranked.best, ranked.best.top, ranked.rank, ranked.score, ranked.best.reason)
        for ranked in ranking.ranked
        if shown.issuperset(ranked.best.columns)
    ]


def _all_tests(ranking: Ranking, shown: set[int], scorer: ColumnScorer) -> list[RankedTest]:
    """Every test that parts the rows, in the order in which ties are settled."""
    listed = []
    for best in sorted((ranked.best for ranked in ranking.ranked), key=lambda best: best.number):
        if best.scored is not None and shown.issuperset(best.columns):
            reasons = map(best.scored.refusal, range(len(best.scored.score)))
            scores = best.scored.score.tolist()
            listed += [
                (best, k, score, why) for k, (score, why) in enumerate(zip(scores, reasons, strict=True))
            ]
    listed = [(best, k, score, why or best.reason) for best, k, score, why in listed if why != CONSTANT]
    allowed = [n for n, (*_, why) in enumerate(listed) if why is None]
    order = descending([listed[n][2] for n in allowed], lambda score: scorer.margin(score, columns=True))
    ranks = {allowed[n]: rank for rank, n in enumerate(order, start=1)}
    return [
        (best, k, ranks.get(n), None if why else score, why) for n, (best, k, score, why) in enumerate(listed)
    ]


def _is_chosen(node_rows: NodeRows, best: BestTest, k: int, *, wins: bool) -> bool:
    """Whether the tree tests these columns at the node; before there is a tree, whether it would."""
    tree = node_rows.tree
    if tree is None or not node_rows.splits_here:
        return wins and tree is None
    return k == best.top and sorted(best.columns) == sorted(tree.tested_columns(node_rows.number))
