"""Rules: one IF-THEN sentence per leaf, with how many rows say so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hornbeam import answering, wording
from hornbeam.reading._common import rows_text, tree_of
from hornbeam.reading.conditions import Condition, conditions, joined


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
        when = " AND ".join(joined(self.conditions))
        then = str(self.label) if self.value is None else self.equation or wording.amount(self.value)
        facts = [rows_text(self.support)]
        if self.confidence is not None:
            facts.append(wording.percent(self.confidence))
        if self.spread is not None and self.equation is None:
            facts.append(f"sd {wording.amount(self.spread)}")
        known = f" ({', '.join(facts)})" if self.support or self.confidence is not None else ""
        return f"IF {when} THEN {then}{known}" if when else f"ALWAYS {then}{known}"


def rules(model: Any) -> list[Rule]:
    """The rules of a model, one per leaf, from left to right.

    Parameters
    ----------
    model : estimator or Tree

    Examples
    --------
    >>> from hornbeam.tree import Tree
    >>> tree = Tree.from_nested({"column": "petal width", "<=": 0.8, "yes": {"counts": {"setosa": 50}},
    ...                          "no": {"counts": {"versicolor": 48, "virginica": 52}}})
    >>> for rule in rules(tree):
    ...     print(rule)
    IF petal width <= 0.8 THEN setosa (50 rows, 100 %)
    IF petal width > 0.8 THEN virginica (100 rows, 52 %)
    """
    tree = tree_of(model)
    answers = tree.answers()
    spreads = answering.spreads(tree) if tree.task == "real" else None
    models = tree.leaf_models
    found = []
    for leaf in tree.leaves().tolist():
        label, value, confidence, spread = None, None, None, None
        if tree.classes is not None:
            label = tree.classes[int(tree.label[leaf])]
            confidence = None if tree.uncounted else float(answers[leaf, int(tree.label[leaf])])
        else:
            value = float(answers[leaf])
            spread = float(spreads[leaf]) if spreads is not None and tree.n_rows[leaf] else None
        text = wording.equation(tree, leaf, wording.amount) if leaf in models else None
        support = int(tree.n_rows[leaf])
        found.append(Rule(conditions(tree, leaf), label, value, support, confidence, spread, leaf, text))
    return found
