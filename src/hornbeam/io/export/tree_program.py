"""A tree taken apart for exports: its tests, branches and answers in the order a program needs them.

One idea: a prediction is a walk and a decision. The walk needs each test's branches, where gaps go, and how
leaves are weighted when a row reaches several; the decision needs what leaves say alone and together. All of
that is worked out here once, so that a language only has to write it down.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hornbeam._base.types import Floats
from hornbeam.data.columns import Column
from hornbeam.io.export.leaf_equations import Equation, Side, box_of, equation_of
from hornbeam.io.export.refused_names import refuse_broken_text
from hornbeam.tree.answer_rule import joint_decision
from hornbeam.tree.arrays import LEAF
from hornbeam.tree.equations import used_columns
from hornbeam.tree.expressions.language import refuse_functions
from hornbeam.tree.routing import branch_shares
from hornbeam.tree.tree import Tree


@dataclass(frozen=True)
class Program:
    """What every language writes down; `program_of` makes it.

    Attributes
    ----------
    tree : Tree
    used : the numbers of the columns that tests, surrogates, equations and the box ask for, ascending
    tests, leaves : the numbers of the nodes that are
    decision, costs, leaf_costs : how several leaves decide, as `joint_decision` says it
    """

    tree: Tree
    used: tuple[int, ...]
    tests: tuple[int, ...]
    leaves: tuple[int, ...]
    decision: str
    costs: Floats | None
    leaf_costs: Floats | None

    @cached_property
    def place(self) -> Mapping[int, int]:
        """Column number -> its place among those used."""
        return {column: place for place, column in enumerate(self.used)}

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns used."""
        return tuple(self.tree.columns[c] for c in self.used)

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes in class order; none for a tree of numbers."""
        return self.tree.classes or ()

    @property
    def by_leaf(self) -> bool:
        """Whether leaves reached together weigh what they hold, rather than shares multiplied on the way."""
        return self.tree.policy["weights"] == "leaf"

    @cached_property
    def weight(self) -> Floats:
        """What each node weighs as a leaf among several."""
        return self.tree.weight

    @cached_property
    def share(self) -> Floats:
        """What part of a row each node takes where its parent's test cannot tell."""
        return branch_shares(self.tree)

    @cached_property
    def alone(self) -> Floats:
        """What each node answers alone: class shares, or one number."""
        answers = self.tree.answers()
        return answers if answers.ndim == 2 else answers[:, None]

    @cached_property
    def equations(self) -> Mapping[int, Equation]:
        """Leaf -> its equation, for those that answer with one; the others answer `alone`."""
        pairs = ((leaf, equation_of(self.tree, leaf)) for leaf in self.leaves)
        return {leaf: equation for leaf, equation in pairs if equation is not None}

    @cached_property
    def box(self) -> tuple[Side, ...]:
        """The sides of the box outside of which a density is 0."""
        return box_of(self.tree)

    @cached_property
    def together(self) -> Floats:
        """What each node contributes where several leaves answer: its shares, its number, or its vote."""
        if self.classes and self.tree.policy["vote"] == "leaf":
            votes: Floats = np.eye(len(self.classes))[self.tree.label]
            return votes
        return self.alone


def program_of(tree: Tree) -> Program:
    """The program of a tree; what no language can say, Python functions and broken text, is refused."""
    refuse_functions(tree.expressions)
    tests = np.flatnonzero(tree.kind != LEAF).tolist()
    asked = {column for node in tests for column in tree.tested_columns(node)}
    if tree.policy["missing"] != "all-paths":
        asked |= set(tree.surrogate_column.tolist())
    leaves = np.flatnonzero(tree.kind == LEAF).tolist()
    for leaf in leaves if tree.has_models else ():
        asked.update(used_columns(tree, leaf))
    asked.update(side.column for side in box_of(tree))
    program = Program(tree, tuple(sorted(asked)), tuple(tests), tuple(leaves), *joint_decision(tree))
    refuse_broken_text(program.columns, program.classes)
    return program
