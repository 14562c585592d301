"""What the leaves of a tree say: one IF-THEN sentence for each, and when the tree answers a class.

A rule says how many rows speak for it; rules are a list, a text or a data frame. A path is a conjunction of
tests, so a class is the disjunction of the paths to its leaves (DNF); a term is true of the rows that reach
its leaf.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hornbeam._base.types import Bools
from hornbeam.data.formatting import visible
from hornbeam.data.frames import import_pandas
from hornbeam.reading.conditions import (
    Condition,
    condition_texts,
    conditions_of,
    divides_rows,
    gap_notes,
    met_gaps,
    other_tuples,
    takes_gaps,
    unlisted_codes,
)
from hornbeam.tree import answers as tree_answers
from hornbeam.tree import apply, words
from hornbeam.tree.arrays import COLUMNS, LEAF, MULTIWAY, SUBSET
from hornbeam.tree.canonical_text import literal
from hornbeam.tree.equation_words import equation_in_bounds
from hornbeam.tree.hooks import tree_of
from hornbeam.tree.tree import Tree
from hornbeam.tree.words import rows_text


@dataclass(frozen=True)
class Rule:
    """What one leaf says, and when.

    Attributes
    ----------
    conditions : tuple of Condition
        All must hold; none for a tree that is a single leaf.
    label : object
        The class answered; None in a regression tree.
    value : float or None
        The mean of the leaf; None in a tree of classes.
    support : int
        Training rows in the leaf.
    confidence : float or None
        The share of the label among them; None where it has no meaning.
    spread : float or None
        Their standard deviation, in a regression tree.
    leaf : int
        The node number of the leaf.
    equation : str or None
        What the leaf answers where it does not answer with its mean.
    """

    conditions: tuple[Condition, ...]
    label: Any
    value: float | None
    support: int
    confidence: float | None
    spread: float | None
    leaf: int
    equation: str | None = None

    def __str__(self) -> str:
        then = visible(str(self.label)) if self.value is None else self.equation or words.amount(self.value)
        facts = [rows_text(self.support)]
        if self.confidence is not None:
            facts.append(words.percent(self.confidence))
        if self.spread is not None and self.equation is None:
            facts.append(f"sd {words.amount(self.spread)}")
        known = f" ({', '.join(facts)})" if self.support or self.confidence is not None else ""
        return rule_text(self.conditions, then, known)


def rule_text(conditions: Sequence[Condition], answer: str, facts: str) -> str:
    """A rule as a sentence: `IF x > 1 THEN b (5 rows, 80 %)`; `facts` with a space before them, or ""."""
    when = " AND ".join(condition_texts(conditions))
    return f"IF {when} THEN {answer}{facts}" if when else f"ALWAYS {answer}{facts}"


class Rules(list[Rule]):
    """A list of rules that can be sorted and put into a data frame; `str()` has a line for each.

    Attributes
    ----------
    notes : tuple of str
        What no condition says about missing values and values never seen; `str()` ends with it.

    Examples
    --------
    >>> from hornbeam.tree.tree import Tree
    >>> listed = rules(Tree.from_nested({"column": "x", "<=": 1, "yes": {"counts": {"a": 2}},
    ...                                 "no": {"counts": {"a": 1, "b": 4}}}))
    >>> print(listed.sorted_by("support"))
    IF x > 1 THEN b (5 rows, 80 %)
    IF x <= 1 THEN a (2 rows, 100 %)
    >>> listed.columns()["confidence"]
    [1.0, 0.8]
    """

    def __init__(self, listed: Iterable[Rule] = (), notes: Iterable[str] = ()) -> None:
        super().__init__(listed)
        self.notes = tuple(notes)

    def __str__(self) -> str:
        return "\n".join([*map(str, self), *self.notes])

    def sorted_by(self, key: str) -> Rules:
        """The rules with the largest `key` first: "support", "confidence" or "value".

        Equal ones stay in order, rules that have no such number come last.
        """
        if key not in _SORTED_BY:
            raise ValueError(f"key={key!r} must be one of {', '.join(map(repr, _SORTED_BY))}")
        number = [getattr(rule, key) for rule in self]
        order = sorted(range(len(self)), key=lambda k: (number[k] is None, -(number[k] or 0.0)))
        return Rules((self[k] for k in order), self.notes)

    def columns(self) -> dict[str, list[Any]]:
        """A column for each fact, for any data frame: `polars.DataFrame(rules.columns())`."""
        numbers = all(rule.value is not None for rule in self)
        columns: dict[str, list[Any]] = {
            "rule": [" AND ".join(condition_texts(rule.conditions)) for rule in self],
            "value" if numbers else "label": [rule.value if numbers else rule.label for rule in self],
            "support": [rule.support for rule in self],
            "spread" if numbers else "confidence": [
                rule.spread if numbers else rule.confidence for rule in self
            ],
            "length": [len(rule.conditions) for rule in self],
            "leaf": [rule.leaf for rule in self],
        }
        return columns

    def to_frame(self) -> Any:
        """A pandas data frame with a row for each rule."""
        return import_pandas("give rules.columns() to another library").DataFrame(self.columns())


_SORTED_BY = ("support", "confidence", "value")


def rules(model: Any) -> Rules:
    """The rules of a model, one per leaf, from left to right.

    Parameters
    ----------
    model : estimator, Tree, or the path of a saved one

    Returns
    -------
    Rules
        A list of `Rule`; `sorted_by("support")` sorts it, `to_frame()` makes a data frame of it.

    Examples
    --------
    >>> from hornbeam.tree.tree import Tree
    >>> tree = Tree.from_nested({"column": "petal width", "<=": 0.8, "yes": {"counts": {"setosa": 50}},
    ...                          "no": {"counts": {"versicolor": 48, "virginica": 52}}})
    >>> for rule in rules(tree):
    ...     print(rule)
    IF petal width <= 0.8 THEN setosa (50 rows, 100 %)
    IF petal width > 0.8 THEN virginica (100 rows, 52 %)
    """
    tree = tree_of(model)
    answers = tree.answers()
    spreads = tree_answers.spreads(tree) if tree.task.is_real else None
    models = tree.leaf_models
    listed = Rules(notes=gap_notes(tree))
    leaves = tree.leaves().tolist()
    for leaf, demands in zip(leaves, conditions_of(tree, leaves), strict=True):
        label, value, confidence, spread = None, None, None, None
        if tree.classes is not None:
            label = tree.classes[int(tree.label[leaf])]
            confidence = None if tree.uncounted else float(answers[leaf, int(tree.label[leaf])])
        else:
            value = float(answers[leaf])
            spread = float(spreads[leaf]) if spreads is not None and tree.n_rows[leaf] else None
        text = equation_in_bounds(tree, leaf) if leaf in models else None
        support = int(tree.n_rows[leaf])
        listed.append(Rule(demands, label, value, support, confidence, spread, leaf, text))
    return listed


# --- when a tree answers a class ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Term:
    """A conjunction: the tests on the way to one leaf.

    Attributes
    ----------
    literals : tuple of str
        The tests as they come out, `neck=tie`; none for a tree that is a single leaf.
    leaf : int
        The leaf they lead to.
    support : int
        Training rows in it.
    """

    literals: tuple[str, ...]
    leaf: int
    support: int

    def __str__(self) -> str:
        return " AND ".join(self.literals) or "TRUE"


@dataclass(frozen=True)
class ClassDNF:
    """When a tree answers one class: true where one of the terms is.

    Attributes
    ----------
    label : object
        The class.
    terms : tuple of Term
        From left to right in the tree; none if no leaf answers the class.

    Examples
    --------
    >>> tree = Tree.from_nested({"column": "age", "<=": 30, "yes": "young", "no": "old"})
    >>> form = dnf(tree, "old")
    >>> print(form)
    age>30
    >>> form.holds({"age": [20, 40, None]})
    array([False,  True, False])
    """

    label: Any
    terms: tuple[Term, ...]
    tree: Tree = field(repr=False, compare=False)

    def __str__(self) -> str:
        if not self.terms:
            return "FALSE"
        texts = [f"({term})" if len(term.literals) > 1 else str(term) for term in self.terms]
        says_gaps = met_gaps(self.tree) or bool((self.tree.missing[self.tree.kind != LEAF] >= 0).any())
        return "\n".join([" OR ".join(texts), *(self.notes if says_gaps else ())])

    @property
    def notes(self) -> tuple[str, ...]:
        """What the formula does not say about missing values and values never seen.

        `str()` ends with it where training met missing values.
        """
        notes = gap_notes(self.tree)
        if met_gaps(self.tree) and divides_rows(self.tree):
            notes.insert(0, "A row that follows several paths, because a value is missing, meets no term.")
        return tuple(notes)

    def holds(self, X: Any) -> Bools:
        """Whether the formula is true, for each row of a table.

        It is exactly where the tree answers the class, but for a row that follows several paths because a
        value is missing: such a row satisfies no term. Where the tree has learned a branch for gaps, a gap
        makes that branch's test true, and so does a value that no branch of the test lists.
        """
        return np.isin(apply.leaves(self.tree, X), [term.leaf for term in self.terms])


_EVERY = object()


def dnf(model: Any, label: Any = _EVERY) -> Any:
    """When a tree answers a class, as a disjunctive normal form: one term for each leaf of the class.

    Parameters
    ----------
    model : estimator or Tree of classes, or the path of a saved one
    label : object
        The class; without it a dict from every class to its form.

    Returns
    -------
    ClassDNF
        `str()` is the formula, `terms` its parts, `holds(X)` its truth for the rows of a table.

    Examples
    --------
    >>> tree = Tree.from_nested(
    ...     {"column": "neck", "equals": "tie",
    ...      "yes": {"column": "smile", "equals": "yes", "yes": "ally", "no": "enemy"},
    ...      "no": {"column": "body", "equals": "triangle", "yes": "ally", "no": "enemy"}})
    >>> print(dnf(tree, "ally"))
    (neck=tie AND smile=yes) OR (neck!=tie AND body=triangle)
    >>> dnf(tree, "ally").holds([{"neck": "tie", "smile": "yes", "body": "square"}])
    array([ True])
    """
    tree = tree_of(model)
    if tree.classes is None:
        raise ValueError(
            f"this tree has task={tree.task!r} and answers with numbers: a DNF needs classes, use"
            " hb.rules(model)"
        )
    if label is not _EVERY and label not in tree.classes:
        known = ", ".join(map(repr, tree.classes))
        raise ValueError(f"label={label!r} is no class of this tree: its classes are {known}")
    terms: dict[int, list[Term]] = {}
    code = None if label is _EVERY else tree.classes.index(label)
    for term in _terms(tree, code):
        terms.setdefault(int(tree.label[term.leaf]), []).append(term)
    forms = {one: ClassDNF(one, tuple(terms.get(k, ())), tree) for k, one in enumerate(tree.classes)}
    return forms if label is _EVERY else forms[label]


def _terms(tree: Tree, code: int | None) -> Iterator[Term]:
    """The terms of the leaves that answer a class, or of all, from left to right; a test is worded once."""
    literals: list[str] = []  # of the tests from the root to the current node
    for node, depth in tree.walk():
        if depth:
            literals[depth - 1 :] = [_literal(tree, *tree.branch_to(node))]
        if tree.kind[node] == LEAF and code in (None, int(tree.label[node])):
            yield Term(tuple(literals), node, int(tree.n_rows[node]))


def _literal(tree: Tree, node: int, branch: int) -> str:
    """What is true of the rows that take a branch, those without a value among them."""
    if not takes_gaps(tree, node, branch) or words.is_for_missing(tree, node, branch):
        return literal(tree, node, branch)
    if tree.kind[node] == COLUMNS:  # tuples that no branch lists go this way, too
        others = ",".join(other_tuples(tree, node, branch))
        return f"({words.exact_question(tree, node)} not in {{{others}}} or missing)"
    if tree.kind[node] not in (SUBSET, MULTIWAY):
        return f"({literal(tree, node, branch)} or missing)"
    column = tree.columns[int(tree.column[node])]
    values = words.branch_values(tree, node)[branch]
    values += [column.word(code) for code in unlisted_codes(tree, node, branch)]
    listed = f" in {{{','.join(values)}}}" if len(values) > 1 else f"={values[0]}"
    return f"({column.label}{listed} or missing)"
