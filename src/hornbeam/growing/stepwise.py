"""Stepwise growth: node by node in Python, for choices whose search is special.

One idea: what is special is one Search, which proposes a split for one node; everything else (rows, gaps,
limits, the order of nodes, the arrays of the Tree) is shared. The core still does the arithmetic of every
node (`hornbeam.growing.candidates.axis_search`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from hornbeam._base.progress import Stages
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.growing.candidates.chaid_search import ChiSquareSearch
from hornbeam.growing.candidates.column_set_search import SetSearch
from hornbeam.growing.candidates.conditional_search import ConditionalSearch
from hornbeam.growing.candidates.missing_branches import GAPS
from hornbeam.growing.candidates.predicate_search import PredicateSearch
from hornbeam.growing.candidates.search import AxisSearch, Search
from hornbeam.growing.core import Progress
from hornbeam.growing.frontier import Frontier
from hornbeam.growing.grown_arrays import tree_of
from hornbeam.growing.oblique.oblique_search import ObliqueSearch
from hornbeam.growing.part import Part
from hornbeam.growing.plan import Plan
from hornbeam.growing.selections import Best
from hornbeam.growing.selections.chi_square_selection import ChiSquare
from hornbeam.growing.selections.conditional import Conditional
from hornbeam.growing.splits import ColumnSets, Oblique, Predicates
from hornbeam.growing.stepwise_growth import Growth, Node
from hornbeam.tree.apply import n_threads
from hornbeam.tree.tree import Tree

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
