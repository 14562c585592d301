"""When a tree answers a class, as a disjunctive normal form that can be evaluated.

A path is a conjunction of tests, so a class is the disjunction of the paths to its leaves (DNF); a term is
true of the rows that reach its leaf.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hornbeam._base.types import Bools
from hornbeam.data.shown_result import ShownResult
from hornbeam.reading.conditions import (
    other_tuples,
    takes_gaps,
    unlisted_codes,
)
from hornbeam.reading.gap_notes import divides_rows, gap_notes, met_gaps
from hornbeam.tree import apply, words
from hornbeam.tree.arrays import COLUMNS, LEAF, MULTIWAY, SUBSET
from hornbeam.tree.canonical_text import literal
from hornbeam.tree.hooks import tree_of
from hornbeam.tree.tree import Tree


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
class ClassDNF(ShownResult):
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
    """The condition that the rows of a branch meet, including those without a value."""
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
