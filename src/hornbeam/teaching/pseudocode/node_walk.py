"""Walk: what an algorithm does at one node of a draft, a step for each line of its listing.

One idea: nothing is learned here. The candidates, the reason to stop and the branches are what the library
says about the node; a walk only tells them in the order of the listing. The line that divides the rows has
the operation that does it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from itertools import pairwise

import numpy as np

from hornbeam._base.types import Task
from hornbeam.data.formatting import class_text
from hornbeam.editing.candidate import Candidate
from hornbeam.editing.candidate_reasons import three
from hornbeam.editing.candidates import Candidates, candidates_of
from hornbeam.editing.draft import Draft
from hornbeam.editing.edit_words import checked
from hornbeam.editing.split_measures import four
from hornbeam.growing.candidates.node_rows import rows_of_growth
from hornbeam.growing.selections import ChiSquareSelection, Conditional
from hornbeam.teaching.pseudocode.algorithms import listing_of
from hornbeam.teaching.pseudocode.walk_steps import NodeWalk, WalkStep, WalkTable
from hornbeam.tree import annotations as tree_annotations
from hornbeam.tree.arrays import LEAF
from hornbeam.tree.scores import MEASURES, score_name
from hornbeam.tree.tree import Tree
from hornbeam.tree.words import UNICODE, amount, branch_text, condition_text, count, percent, rows_text

_MOST = 40  # candidates in a table
_STOPS = {  # kind of reason to stop -> the events at which a listing may say it, the most fitting first
    "pure": ("pure", "limit", "columns"),
    "limit": ("limit", "columns", "pure", "choose"),
    "no test": ("columns", "limit", "choose", "pure"),
    "score": ("gain", "limit", "choose", "pure"),
}
_QUESTIONS = ("empty", "pure", "limit", "columns", "gain")  # whose answer is no, unless the walk ends there
# criterion -> the fields of a candidate that its table has
_FIELDS: Mapping[str, tuple[str, ...]] = {
    "entropy": ("after", "gain"),
    "gain-ratio": ("gain", "split_information", "gain_ratio"),
    "gini": ("after", "gini"),
    "sd": ("after", "sdr"),
    "variance": ("after", "variance"),
}


def walk(draft: Draft, node: int = 0) -> NodeWalk:
    """What the algorithm of a draft does at a node, line by line, with the numbers of its table.

    Parameters
    ----------
    draft : Draft
        A tree that is being edited, `hornbeam.edit(hornbeam.id3(), X, y)`.
    node : int
        The number of a node.

    Returns
    -------
    NodeWalk
        `steps`, each with `line`, `say`, `values`, `table` and `operation`; `str()` is the listing with what
        happens at each line that is reached.

    Examples
    --------
    >>> import hornbeam as hb
    >>> tennis = hb.datasets.load("tennis")
    >>> draft = hb.edit(hb.id3(), tennis.X, tennis.y).step()
    >>> print(hb.teaching.walk(draft, 1))
    ▸ ID3(S, columns):
          Node 1: 4 rows, reached by Outlook = Overcast.
    ▸   C ← the majority class of S
            0 No, 4 Yes: the majority is Yes.
    ▸   if S has one class only: return leaf C
            Yes: all rows have the same target. A leaf that answers Yes.
        if no column is left: return leaf C
        for each column A: its gain
        A ← the column with the largest
        if A gains nothing: return leaf C
        divide S: one branch for each value of A
        for each branch: ID3(its rows, other columns)
    """
    if not isinstance(draft, Draft):
        raise TypeError(f"draft must be what hb.edit returns, not a {type(draft).__name__}")
    return _NodeTeller(draft, checked(draft.tree, node)).walk()


class _NodeTeller:
    """Tells what happens at the lines of a listing, for one node."""

    def __init__(self, draft: Draft, node: int) -> None:
        self.draft, self.tree, self.node = draft, draft.tree, node
        self.plan = draft.context.plan
        criterion = self.plan.criterion.name
        impurity, measure = score_name(criterion)
        headings = {
            "after": f"{impurity} left",
            "split_information": "split information",
            "decrease": measure,
            **MEASURES,
        }
        self.fields = tuple((headings[name], name) for name in _FIELDS.get(criterion, ("decrease",)))
        if isinstance(self.plan.selection, ChiSquareSelection | Conditional):
            measure, self.fields = "p-value", (("p", "score"),)
        real = self.tree.task == Task.REAL
        words = {"impurity": impurity, "measure": measure, "answer": "mean" if real else "majority class"}
        self.impurity, self.measure = impurity, measure
        self.listing = listing_of(self.plan).filled(words)

    @cached_property
    def listed(self) -> Candidates:
        """The candidates of the node, judged by its rows."""
        growth = self.draft.context.search_growth
        return candidates_of(rows_of_growth(growth, self.tree, self.node), work=True)

    @cached_property
    def is_split(self) -> bool:
        """Whether the node has a test already."""
        return bool(self.tree.kind[self.node] != LEAF)

    @cached_property
    def stop(self) -> tuple[str, str] | None:
        """The kind of reason why the node stays a leaf, and its words; None if it is split."""
        if self.is_split:
            return None
        if self.listed.stopped_by is not None and self.listed.stops is not None:
            return self.listed.stopped_by, self.listed.stops
        try:
            self.after = self.draft.step(self.node).tree
        except ValueError as refusal:
            return "limit", str(refusal)
        return None

    def walk(self) -> NodeWalk:
        if not self.tree.n_rows[self.node]:
            here = self.listing.line_of("empty", "columns", "limit", "pure") or 0
            say = f"Node {self.node}: no rows. It answers as the node above, {self._answer()}."
            return NodeWalk(self.listing, self.node, (WalkStep(here, say),))
        ends = None if self.stop is None else self.listing.line_of(*_STOPS[self.stop[0]])
        steps = []
        for number, line in enumerate(self.listing.lines):
            if number == ends:
                steps.append(WalkStep(number, self._leaf_words()))
                break
            done = [event for event in line.on if event not in _QUESTIONS]
            events = [event for event in done or line.on[:1] if event in _TELL]
            if events:
                steps.append(_joined(number, [_TELL[event](self) for event in events]))
            if "split" in line.on and not self.is_split:
                break
        return NodeWalk(self.listing, self.node, tuple(steps))

    # ---- the lines -----------------------------------------------------------------------------------------

    def enter(self) -> WalkStep:
        path = self.tree.path(self.node)
        way = " and ".join(
            condition_text(self.tree, above, child - int(self.tree.first_child[above]), UNICODE)
            for above, child in pairwise(path)
        )
        rows = rows_text(int(self.tree.n_rows[self.node]))
        where = f"reached by {way}" if way else "the whole table"
        left = [one.column for one in self.listed if one.reason is None]
        values = [("rows of S", rows), (f"{self.impurity} of S", three(float(self.tree.impurity[self.node])))]
        if len(left) <= 12:
            values.append(("columns to test", ", ".join(left) or "none"))
        return WalkStep(0, f"Node {self.node}: {rows}, {where}.", tuple(values))

    def empty(self) -> WalkStep:
        return WalkStep(0, "No: S has rows.")

    def answer(self) -> WalkStep:
        tree, node = self.tree, self.node
        if tree.task == Task.REAL:
            weight, mean, squares = tree.stats[node].tolist()
            spread = f"standard deviation {three(float(np.sqrt(squares / weight)))}"
            return WalkStep(0, f"The mean of {count(weight)} rows is {amount(mean)}, their {spread}.")
        counts = tree.stats[node].tolist()
        pairs = list(zip(map(str, tree.classes or ()), counts, strict=True))
        listed = _class_counts([pair for pair in pairs if pair[1] or len(pairs) < 4])
        shares = tuple((f"P({name})", percent(weight / sum(counts))) for name, weight in pairs[:8])
        is_tie = counts.count(max(counts)) > 1
        most = "a tie, which goes to" if is_tie else "the majority is"
        return WalkStep(0, f"{listed}: {most} {self._answer()}.", shares)

    def pure(self) -> WalkStep:
        spread = f"{self.impurity} {three(float(self.tree.impurity[self.node]))}"
        also = any({"pure", "limit"} <= {*line.on} for line in self.listing.lines)
        return WalkStep(0, f"No: the rows differ ({spread}){', and no limit is reached' if also else ''}.")

    def limit(self) -> WalkStep:
        return WalkStep(0, "No limit is reached.")

    def columns(self) -> WalkStep:
        n = self.listed.n_ranked
        return WalkStep(0, f"No: {n} column{'' if n == 1 else 's'} can be tested.")

    def scores(self) -> WalkStep:
        n = sum(map(_is_judged, self.listed))
        best = "the smallest" if self.listed.by_p else "the largest"
        marked = f"; {best} is marked" if self.listed.best is not None else ""
        say = f"{n} column{'' if n == 1 else 's'} judged by {self.measure}{marked}."
        return WalkStep(0, say, table=self._candidates())

    def guard(self) -> WalkStep:
        refused = [one.column for one in self.listed if one.reason is not None and "mean gain" in one.reason]
        if not refused:
            return WalkStep(0, "No column gains less than the mean.")
        reason = next(one.reason for one in self.listed if one.column == refused[0]) or ""
        mean = reason.partition("mean gain ")[2].split()[0]
        return WalkStep(0, f"Less than the mean gain, {mean}: {', '.join(refused)}.")

    def choose(self) -> WalkStep:
        best, made = self.listed.best, self.listed.chosen
        if best is None:
            return WalkStep(0, "No test can be made.")
        forced = tree_annotations.by_node(self.tree).get(self.node, {}).get("forced")
        if self.is_split and (forced or made is not best):
            words = f": {tree_annotations.forced_text(forced)}" if forced else ""
            return WalkStep(0, f"The tree tests {self.listed.made or 'something else'} here{words}.")
        lines = () if best.work is None else best.work.lines
        if self.plan.criterion.name == "gain-ratio":
            lines = tuple(line for line in lines if "ratio" in line)
        return WalkStep(0, self.listed.why(best), tuple(("by hand", line) for line in lines[:1]))

    def gain(self) -> WalkStep:
        best = self.listed.best
        if best is None or best.score is None or self.listed.by_p:
            return WalkStep(0, "No: it is good enough.")
        return WalkStep(0, f"No: its {self.measure} is {three(best.score)}.")

    def split(self) -> WalkStep:
        tree = self.tree if self.is_split else self.after
        rows = []
        for child in tree.children(self.node):
            label = branch_text(tree, self.node, child - int(tree.first_child[self.node]), UNICODE)
            rows.append((label, rows_text(int(tree.n_rows[child])), *_outcome(tree, child)))
        heads = ("branch", "rows", "mean" if tree.task == Task.REAL else "classes", self.impurity)
        say = f"The rows are divided into {len(rows)} branches."
        table = WalkTable("Branches", heads, tuple(rows))
        done = None if self.is_split else {"op": "step", "node": self.node}
        return WalkStep(0, say, table=table, operation=done)

    def branches(self) -> WalkStep:
        n = int(self.tree.n_children[self.node])
        first = int(self.tree.first_child[self.node])
        return WalkStep(0, f"The same for each of the {n} branches, from node {first} on.")

    # ---- words ---------------------------------------------------------------------------------------------

    def _answer(self) -> str:
        """What the node would answer as a leaf."""
        if self.tree.classes is None:
            return amount(float(self.tree.stats[self.node][1]))
        return class_text(self.tree.classes[int(self.tree.label[self.node])])

    def _leaf_words(self) -> str:
        assert self.stop is not None
        return f"Yes: {self.stop[1]}. A leaf that answers {self._answer()}."

    def _candidates(self) -> WalkTable:
        shown = list(self.listed)[:_MOST]
        heads = ("column", "split", *(name for name, _ in self.fields))
        rows: list[tuple[str, ...]] = []
        for one in shown:
            if _is_judged(one):
                rows.append((one.column, one.short, *(self._number(one, field) for _, field in self.fields)))
            else:
                rows.append((one.column, f"refused: {one.reason}"))
        marked = next((k for k, one in enumerate(shown) if one.rank == 1), -1)
        return WalkTable(f"Candidates by {self.measure}", heads, tuple(rows), marked)

    def _number(self, one: Candidate, field: str) -> str:
        value = getattr(one, field)
        if value is None:
            return ""
        return three(float(np.exp(value))) if field == "score" and self.listed.by_p else four(value)


def _is_judged(one: Candidate) -> bool:
    """Whether a candidate is compared; C4.5's guard comes after the scores."""
    return one.reason is None or "mean gain" in one.reason


def _outcome(tree: Tree, node: int) -> tuple[str, str]:
    """What is at a node: its mean or its classes, and its impurity."""
    left = four(float(tree.impurity[node])) if tree.n_rows[node] else "–"
    if tree.task == Task.REAL:
        return amount(float(tree.stats[node][1])), left
    pairs = zip(map(str, tree.classes or ()), tree.stats[node].tolist(), strict=True)
    return _class_counts([pair for pair in pairs if pair[1]]) or "none", left


def _class_counts(pairs: list[tuple[str, float]]) -> str:
    """How many rows each class has; classes that begin with a digit are called classes."""
    of = " of class" if any(name[:1] in "+-.0123456789" for name, _ in pairs) else ""
    return ", ".join(f"{count(weight)}{of} {name}" for name, weight in pairs)


def _joined(number: int, told: list[WalkStep]) -> WalkStep:
    """One step of what several events tell at a line."""
    say = " ".join(one.say for one in told)
    values = tuple(value for one in told for value in one.values)
    table = next((one.table for one in told if one.table is not None), None)
    return WalkStep(number, say, values, table, next((one.operation for one in told if one.operation), None))


_EVENTS = (
    "enter", "empty", "answer", "pure", "limit", "columns", "scores", "guard", "choose", "gain", "split",
    "branches",
)  # fmt: skip
_TELL: Mapping[str, Callable[[_NodeTeller], WalkStep]] = {
    event: getattr(_NodeTeller, event) for event in _EVENTS
}
