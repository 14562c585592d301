"""Stepwise growth: node by node in Python, for choices whose search is special.

One idea: what is special is one Search, which proposes a split for one node; everything else (rows, gaps,
limits, the order of nodes, the arrays of the Tree) is shared. The core still does the arithmetic of every
node (`axis`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from hornbeam.applying import n_threads
from hornbeam.kernel import Progress
from hornbeam.parts import Part
from hornbeam.plan import Plan
from hornbeam.selections import Best
from hornbeam.selections.chi_square import ChiSquare
from hornbeam.selections.conditional import Conditional
from hornbeam.splitting import ColumnSets, Oblique, Predicates
from hornbeam.stages import Stages
from hornbeam.stepwise.chisquare import ChiSquareSearch
from hornbeam.stepwise.conditional import ConditionalSearch
from hornbeam.stepwise.frontier import Frontier
from hornbeam.stepwise.gaps import GAPS
from hornbeam.stepwise.growth import Growth, Node
from hornbeam.stepwise.oblique import ObliqueSearch
from hornbeam.stepwise.predicates import PredicateSearch
from hornbeam.stepwise.search import AxisSearch, Search
from hornbeam.stepwise.sets import SetSearch
from hornbeam.stepwise.writing import tree_of
from hornbeam.table import Table
from hornbeam.target import Target
from hornbeam.tree import Tree

# The search of every choice that has one of its own, in the slots `split` and `selection`.
SEARCHES: Mapping[type[Part], type[Search]] = {
    Predicates: PredicateSearch,
    ColumnSets: SetSearch,
    Oblique: ObliqueSearch,
    ChiSquare: ChiSquareSearch,
    Conditional: ConditionalSearch,
}


def wanted(plan: Plan) -> bool:
    """Whether a plan is grown stepwise."""
    return _special(plan) is not None


def grow(plan: Plan, table: Table, target: Target, progress: Progress | None) -> tuple[Tree, bool]:
    """The tree, and whether growing was interrupted."""
    part = _special(plan)
    if plan.constraints.functionals:
        raise ValueError(
            f"monotonic_cst cannot be kept with {part!r}, which is grown node by node: use"
            " monotonic_cst=None, or one of the plain choices of split and selection"
        )
    if plan.missing.core_rule not in GAPS:
        raise ValueError(
            f"missing={plan.missing!r} is not possible with {part!r}, which is grown node by node: use"
            " 'learn', 'branch', 'all-paths', 'fractional' or 'majority'"
        )
    plan = replace(plan, n_jobs=n_threads(plan.n_jobs))  # asked once, not at every node
    growth = Growth(plan, table, target)
    if part is plan.split and growth.selection["kind"] != Best().core(table.columns)["kind"]:
        raise ValueError(
            f"selection={plan.selection!r} compares columns, not the tests of split={part!r}: use"
            " selection='best', or a split of plain columns"
        )
    root, interrupted = _grown(growth, (_search_of(part) or AxisSearch)(growth, part), progress)
    return tree_of(growth, root), interrupted


def _grown(growth: Growth, search: Search, progress: Progress | None) -> tuple[Node, bool]:
    """The root, and whether growing was interrupted; of two trees the second, unless it has more leaves."""
    stages = Stages(progress, search.n_growths)
    first = Frontier(growth, search, stages.next())
    if first.run():
        return first.root, True
    wiser = search.wiser(first.root)
    if wiser is None:
        return first.root, False
    second = Frontier(growth, wiser, stages.next())
    if second.run():
        return first.root, True
    return (second if second.n_leaves <= first.n_leaves else first).root, False


def _special(plan: Plan) -> Part | None:
    """The part of the plan that has a search of its own."""
    parts = [part for part in (plan.split, plan.selection) if _search_of(part) is not None]
    if len(parts) > 1:
        raise ValueError(
            f"split={parts[0]!r} and selection={parts[1]!r} both search splits their own way: use one of them"
        )
    return parts[0] if parts else None


def _search_of(part: Part | None) -> type[Search] | None:
    """The search of a part, or of the class it was derived from."""
    return next((SEARCHES[kind] for kind in type(part).__mro__ if kind in SEARCHES), None)
