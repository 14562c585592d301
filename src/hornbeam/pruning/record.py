"""The record of a pruning: one decision for each node examined, with the numbers compared.

A tree of a hundred thousand leaves has as many decisions, which nobody reads one by one. They are kept as
arrays, and a `Decision` is made only when it is read.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np

from hornbeam._base.types import AnyArray, Ints, Longs
from hornbeam.data.formatting import aligned
from hornbeam.data.shown_result import ShownResult
from hornbeam.tree.tree import Tree
from hornbeam.tree.words import ASCII, condition_text, question_text

ACTIONS = ("keep", "leaf", "raise")
KEEP, TO_LEAF, RAISE = range(3)
_SHOWN = 60  # lines of a printed record


@dataclass(frozen=True)
class Decision:
    """What was decided about one node, and by which numbers.

    Attributes
    ----------
    node : its number in the tree that came in
    action : "keep", "leaf" (it becomes one), or "raise" (a child's subtree takes its place)
    numbers : what was compared, by name
    note : a caution, such as small expected counts
    child : for "raise", the number of the child whose subtree it is
    """

    node: int
    action: str
    numbers: Mapping[str, float]
    note: str = ""
    child: int | None = None


class Decisions(Sequence[Decision]):
    """Decisions kept as arrays, in the order in which the nodes were examined.

    Parameters
    ----------
    node : the nodes examined
    action : 0 keep, 1 leaf, 2 raise, one for each
    numbers : arrays by name, one value for each
    notes : position -> note, for those that have one
    child : the children raised, -1 where none is

    Examples
    --------
    >>> made = Decisions(np.array([2, 0]), np.array([1, 0]), {"p": np.array([0.3, 0.01])}, {0: "few rows"})
    >>> len(made), made[0]
    (2, Decision(node=2, action='leaf', numbers={'p': 0.3}, note='few rows', child=None))
    """

    def __init__(
        self,
        node: Longs | Ints,
        action: AnyArray,
        numbers: Mapping[str, AnyArray],
        notes: Mapping[int, str] | None = None,
        child: Longs | Ints | None = None,
    ) -> None:
        self.node, self.action = node, action
        self.numbers, self.notes = dict(numbers), dict(notes or {})
        self.child = child

    def __len__(self) -> int:
        return len(self.node)

    @overload
    def __getitem__(self, place: int) -> Decision: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Decision]: ...
    def __getitem__(self, place: int | slice) -> Decision | Sequence[Decision]:
        if isinstance(place, slice):
            return tuple(self[k] for k in range(*place.indices(len(self))))
        k = range(len(self))[place]
        child = None if self.child is None or self.child[k] < 0 else int(self.child[k])
        numbers = {name: values[k].item() for name, values in self.numbers.items()}
        return Decision(
            int(self.node[k]), ACTIONS[int(self.action[k])], numbers, self.notes.get(k, ""), child
        )

    def __iter__(self) -> Iterator[Decision]:
        return (self[k] for k in range(len(self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{len(self)} decisions>"


@dataclass(frozen=True)
class Pruned(ShownResult):
    """A pruned tree and how it came about; `str()` is a table for people.

    Attributes
    ----------
    tree : the tree that came out
    decisions : one Decision for each node examined, in the order of examination
    method : the name of the method
    facts : what else there is to know, by name
    before : the tree that came in, if it is kept

    Examples
    --------
    >>> import hornbeam as hb
    >>> tennis = hb.datasets.load("tennis")
    >>> model = hb.TreeClassifier(max_depth=1, pruning=hb.parts.Penalised(20)).fit(tennis.X, tennis.y)
    >>> model.pruning_.decisions[0].action
    'leaf'
    >>> model.pruning_.as_dicts()[0]["test"]
    'Outlook = Overcast'
    """

    tree: Tree
    decisions: Decisions
    method: str
    facts: Mapping[str, Any] = field(default_factory=dict)
    before: Tree | None = field(default=None, repr=False)

    @property
    def n_pruned(self) -> int:
        """How many of the nodes examined did not stay tests."""
        return int(np.count_nonzero(self.decisions.action != KEEP))

    def as_dicts(self) -> list[dict[str, Any]]:
        """The decisions as plain dicts, with the words of each node's test where the tree before is kept."""
        return [self._as_dict(decision) for decision in self.decisions]

    def _as_dict(self, decision: Decision) -> dict[str, Any]:
        entry: dict[str, Any] = {"node": decision.node}
        if self.before is not None:
            entry["test"] = _test_words(self.before, decision.node)
        entry |= {"action": decision.action, "numbers": dict(decision.numbers)}
        if decision.child is not None:
            entry["child"] = decision.child
        return entry | ({"note": decision.note} if decision.note else {})

    def __str__(self) -> str:
        n = len(self.decisions)
        head = f"{self.method}: {n} node{'s' * (n != 1)} examined, {self.n_pruned} pruned"
        leaves = f"{self.tree.n_leaves} leaves"
        if self.before is not None:
            leaves = f"{self.before.n_leaves} leaves before, {self.tree.n_leaves} after"
        facts = [
            f"{name}: {_number(value)}"
            for name, value in self.facts.items()
            if isinstance(value, (bool, int, float, str))
        ]
        lines = [f"{head}; {leaves}", *facts]
        lines += _table([self._as_dict(decision) for decision in self.decisions[:_SHOWN]])
        return "\n".join(lines + ([f"... and {n - _SHOWN} more"] if n > _SHOWN else []))


def _test_words(tree: Tree, node: int) -> str:
    """The test of a node: its condition if it has two branches, otherwise what it asks about."""
    if tree.n_children[node] == 2:
        return condition_text(tree, node, 0, ASCII, brief=True)
    return question_text(tree, node)


def _table(entries: Sequence[Mapping[str, Any]]) -> list[str]:
    """Decisions as aligned lines under a heading."""
    if not entries:
        return []
    names = list(dict.fromkeys(name for entry in entries for name in entry["numbers"]))
    words = [name for name in ("test", "action") if name in entries[0]]
    rows = [["node", *words, *names, ""]]
    for entry in entries:
        action = entry["action"] + (f" {entry['child']}" if "child" in entry else "")
        cells = [str(entry["node"]), *([entry["test"]] if "test" in entry else []), action]
        numbers = [_number(entry["numbers"].get(name, "")) for name in names]
        rows.append([*cells, *numbers, f"({entry['note']})" if "note" in entry else ""])
    right = [0, *range(1 + len(words), 1 + len(words) + len(names))]
    return aligned(rows, right=right)


def _number(value: Any) -> str:
    if isinstance(value, (str, bool, np.bool_)):
        return str(value)
    if value != value:  # there is no such number
        return "-"
    return f"{value:.6g}"


def with_pruned_tree(model: Any, record: Pruned) -> Any:
    """Return a copy of the model with the pruned tree and its record; the tree if there is no model."""
    if model is None:
        return record.tree
    pruned = copy.copy(model)
    pruned.tree_, pruned.pruning_ = record.tree, record
    return pruned
