"""What the leaves of a tree say: one IF-THEN sentence for each.

A rule says how many rows support it, and the interval of its share; rules are a list, a text or a data frame.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hornbeam._base.error_limits import wilson
from hornbeam.data.formatting import class_text
from hornbeam.data.shown_result import TabularResult
from hornbeam.reading.conditions import (
    Condition,
    condition_texts,
    conditions_of,
)
from hornbeam.reading.gap_notes import gap_notes
from hornbeam.tree import answers as tree_answers
from hornbeam.tree import words
from hornbeam.tree.equation_words import equation_in_bounds
from hornbeam.tree.hooks import tree_of
from hornbeam.tree.survival_curves import facts_text
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
    counts : dict or None
        The weight of each class in the leaf; None in a regression tree.
    low, high : float or None
        Wilson's interval of 95 % for the label's share of the rows; None in a regression tree.
    target : str or None
        What is predicted, if it is known: `str()` puts it before classes such as 1.
    survival : str or None
        The events and the median survival time of the leaf, in a survival tree, whose value is a risk.
    """

    conditions: tuple[Condition, ...]
    label: Any
    value: float | None
    support: int
    confidence: float | None
    spread: float | None
    leaf: int
    equation: str | None = None
    counts: dict[Any, float] | None = None
    low: float | None = None
    high: float | None = None
    target: str | None = None
    survival: str | None = None

    def __str__(self) -> str:
        then = self.equation or ("" if self.value is None else words.amount(self.value))
        then = then or class_text(self.label, self.target)
        then = then if self.survival is None else f"risk {then}"
        facts = [rows_text(self.support), *([self.survival] if self.survival else ())]
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


class Rules(TabularResult, list[Rule]):
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
        if not numbers and all(rule.counts is not None for rule in self):
            columns |= {"low": [rule.low for rule in self], "high": [rule.high for rule in self]}
            labels = dict.fromkeys(label for rule in self for label in rule.counts or ())
            columns |= {f"n_{label}": [(rule.counts or {})[label] for rule in self] for label in labels}
        return columns

    def shown_tables(self) -> list[Mapping[str, Sequence[Any]]]:
        """The rules with their counts and intervals in words."""
        facts = self.columns()
        shown: dict[str, list[Any]] = {"rule": [rule or "always" for rule in facts["rule"]]}
        shown |= {
            name: facts[name]
            for name in ("label", "value", "support", "confidence", "spread")
            if name in facts
        }
        if "low" in facts:
            shown["95 % interval"] = [
                "" if rule.low is None else f"{rule.low:.3f} to {rule.high:.3f}" for rule in self
            ]
            of_all = ":".join(str(label) for label in self[0].counts or ())
            shown[f"counts {of_all}"] = [
                ":".join(f"{n:g}" for n in (rule.counts or {}).values()) for rule in self
            ]
        return [shown]


_SORTED_BY = ("support", "confidence", "value")


def rules(model: Any, *, target: str | None = None) -> Rules:
    """The rules of a model, one per leaf, from left to right.

    Parameters
    ----------
    model : estimator, Tree, or the path of a saved one
    target : str or None
        The name of what is predicted, put before classes that say nothing by themselves: `survived = 1`.

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
    spreads = tree_answers.spreads(tree) if tree.task.has_spread else None
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
        rule = Rule(demands, label, value, support, confidence, spread, leaf, text, target=target)
        if tree.task.is_survival:
            rule = replace(rule, survival=facts_text(tree, leaf))
        listed.append(rule if tree.classes is None or tree.uncounted else _counted(rule, tree))
    return listed


def _counted(rule: Rule, tree: Tree) -> Rule:
    """A rule of a tree of classes with the counts of its leaf, and the interval of its share."""
    assert tree.classes is not None
    weights = tree.stats[rule.leaf].tolist()
    total = sum(weights)
    share = weights[int(tree.label[rule.leaf])] / total if total > 0 else 0.0
    low, high = wilson(share, rule.support) if total > 0 else (None, None)
    return replace(rule, counts=dict(zip(tree.classes, weights, strict=True)), low=low, high=high)
