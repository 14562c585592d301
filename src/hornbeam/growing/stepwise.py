"""Growth node by node, for choices that the core does not search: nodes are split, their rows divided.

A node is asked for its split once, when it is met. Depth first makes it at once; best first, where the number
of nodes is limited, makes the one that lowers the impurity of the whole tree most, ties from left to right.
The grown nodes are written as the core writes them: siblings lie together, near their parent.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hornbeam._base.parameters import Stages, n_threads
from hornbeam._base.types import TIE, Floats, Longs
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.growing.candidates.axis_search import AxisSearch, PredicateSearch, Search, SetSearch
from hornbeam.growing.candidates.chaid_search import ChiSquareSearch
from hornbeam.growing.candidates.conditional_search import ConditionalSearch
from hornbeam.growing.candidates.node_rows import PlainGrowth
from hornbeam.growing.candidates.node_splits import Proposal
from hornbeam.growing.candidates.optimal_search import LookaheadSearch, OptimalSearch
from hornbeam.growing.candidates.own_criterion_search import OwnCriterionSearch
from hornbeam.growing.core import Progress
from hornbeam.growing.missing import MissingRule
from hornbeam.growing.oblique.oblique_search import ObliqueSearch
from hornbeam.growing.part import Part
from hornbeam.growing.plan import Plan
from hornbeam.growing.searches import Lookahead, Optimal
from hornbeam.growing.selections import Best
from hornbeam.growing.selections.significance_selections import ChiSquareSelection, Conditional
from hornbeam.growing.splits import ColumnSets, Oblique, Predicates
from hornbeam.growing.stepwise_growth import Growth, Node
from hornbeam.tree.arrays import LEAF, NODE_ARRAYS, new_pools, open_node, pool_arrays
from hornbeam.tree.tree import Tree

# The search of every choice that has one of its own, in the slots `split`, `selection` and `search`.
SEARCHES: Mapping[type[Part], type[Search]] = {
    Predicates: PredicateSearch,
    ColumnSets: SetSearch,
    Oblique: ObliqueSearch,
    ChiSquareSelection: ChiSquareSearch,
    Conditional: ConditionalSearch,
    Lookahead: LookaheadSearch,
    Optimal: OptimalSearch,
}


_TIE = 1e-12  # relative: gains, and class weights, closer than this are tied, whatever the rounding of sums
_STEP = 0.01  # progress is reported when this share of the rows more is settled


def grow(plan: Plan, table: Table, target: Target, progress: Progress | None) -> tuple[Tree, bool]:
    """The tree, and whether growing was interrupted."""
    part = _special(plan) or (plan.criterion if plan.criterion.is_own else None)
    if plan.constraints.functionals and not isinstance(plan.search, Optimal):
        raise ValueError(
            f"monotonic_cst cannot be kept with {part!r}, which is grown node by node: use"
            " monotonic_cst=None, or one of the plain choices of split and selection"
        )
    if plan.missing.core_rule == MissingRule.SURROGATES:
        raise ValueError(
            f"missing={plan.missing!r} is not possible with {part!r}, which is grown node by node: use"
            " 'learn', 'branch', 'all-paths', 'fractional' or 'majority'"
        )
    plan = replace(plan, n_jobs=n_threads(plan.n_jobs))  # asked once, not at every node
    growth = (PlainGrowth if plan.criterion.is_own else Growth)(plan, table, target)
    if part is plan.split and growth.selection["kind"] != Best().core(table.columns)["kind"]:
        raise ValueError(
            f"selection={plan.selection!r} compares columns, not the tests of split={part!r}: use"
            " selection='best', or a split of plain columns"
        )
    search = _search(growth, part)
    root, interrupted = _grown(growth, search, progress)
    return tree_of(growth, root, search.proof()), interrupted


def _search(growth: Growth, part: Part | None) -> Search:
    """The search of the plan's special part; a criterion of one's own is one, and goes with no other."""
    criterion = growth.plan.criterion
    if not criterion.is_own:
        return (_search_of(part) or AxisSearch)(growth, part)
    if part is not criterion or not isinstance(growth.plan.selection, Best):
        other = growth.plan.selection if part is criterion else part
        raise ValueError(
            f"criterion={criterion!r} is written in Python, which {other!r} cannot ask: leave that at its"
            " default, or use a criterion of the core"
        )
    return OwnCriterionSearch(growth, part)


def _grown(growth: Growth, search: Search, progress: Progress | None) -> tuple[Node, bool]:
    """The root, and whether growing was interrupted; of two trees the second, unless it has more leaves."""
    if search.prepare(progress):
        so_far = Frontier(growth, search, None)
        so_far.run()
        return so_far.root, True
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
    slots = {"split": plan.split, "selection": plan.selection, "search": plan.search}
    special = {slot: part for slot, part in slots.items() if _search_of(part) is not None}
    if len(special) > 1:
        both = " and ".join(f"{slot}={part!r}" for slot, part in special.items())
        raise ValueError(f"{both} both search splits their own way: use one of them")
    parts = list(special.values())
    return parts[0] if parts else None


def _search_of(part: Part | None) -> type[Search] | None:
    """The search of a part, or of the class it was derived from."""
    return next((SEARCHES[kind] for kind in type(part).__mro__ if kind in SEARCHES), None)


class Frontier:
    """Grows the tree below the root; `root` and `n_leaves` say what is grown at any time."""

    def __init__(self, growth: Growth, search: Search, progress: Progress | None) -> None:
        self.growth = growth
        self.search = search
        self.root = growth.root()
        self.progress = progress
        self.n_leaves = 1
        self.settled = 0.0
        self.reported = -math.inf

    def run(self) -> bool:
        """Grow until nothing is left to split; whether it was interrupted."""
        limits = self.growth.plan.limits
        best_first = "max_leaves" in limits or "max_nodes" in limits
        try:
            return (self._best_first if best_first else self._depth_first)()
        except KeyboardInterrupt as stopped:
            if type(stopped) is not KeyboardInterrupt:  # the exception of a caller's signal handler
                raise
            return True

    def _depth_first(self) -> bool:
        open_nodes = [self.root]
        while open_nodes:
            if self._stopped():
                return not all(map(self.growth.must_be_leaf, open_nodes))
            node = open_nodes.pop()
            proposal = self._proposal(node)
            if proposal is not None:
                open_nodes += reversed(self._split(node, proposal))
        return False

    def _best_first(self) -> bool:
        limits = self.growth.plan.limits
        most_leaves, most_nodes = limits.get("max_leaves", math.inf), limits.get("max_nodes", math.inf)
        leaves, nodes = 1, 1
        front: list[tuple[float, tuple[int, ...], Node, Proposal]] = []
        self._meet(front, self.root)
        while front and leaves < most_leaves and nodes + 2 <= most_nodes:  # else no split fits any more
            if self._stopped():
                return True
            node, proposal = self._next(front)
            added = self._n_added(node, proposal)
            if leaves + added - 1 > most_leaves or nodes + added > most_nodes:
                continue  # it would exceed the limit; a smaller split may still fit
            leaves, nodes = leaves + added - 1, nodes + added
            for child in self._split(node, proposal):
                self._meet(front, child)
        return False

    def _meet(self, front: list[tuple[float, tuple[int, ...], Node, Proposal]], node: Node) -> None:
        proposal = self._proposal(node)
        if proposal is not None:
            worth = float(self.growth.weights(node.stats)) / self.growth.total * proposal.gain
            heapq.heappush(front, (-worth, node.path, node, proposal))

    def _next(self, front: list[tuple[float, tuple[int, ...], Node, Proposal]]) -> tuple[Node, Proposal]:
        """The leftmost of the nodes whose splits are worth most."""
        tied = [heapq.heappop(front)]
        while front and front[0][0] <= tied[0][0] + _TIE * self.root.impurity:
            tied.append(heapq.heappop(front))
        first = min(range(len(tied)), key=lambda i: tied[i][1])
        _, _, node, proposal = tied.pop(first)
        for other in tied:
            heapq.heappush(front, other)
        return node, proposal

    def _n_added(self, node: Node, proposal: Proposal) -> int:
        """How many nodes a split adds, every absent value counted."""
        n_children = len(divide_node(self.growth, node, proposal).parts)
        return n_children + max(0, proposal.split.n_absent - 1)

    def _proposal(self, node: Node) -> Proposal | None:
        """The split a node wants, None if it is to be a leaf."""
        proposal = None if self.growth.must_be_leaf(node) else self.search.propose(node)
        if proposal is not None and self.growth.accepts(node, proposal):
            return proposal
        self.settled += float(self.growth.weights(node.stats))
        return None

    def _split(self, node: Node, proposal: Proposal) -> list[Node]:
        """Make a split; the children that have rows."""
        growth = self.growth
        division = divide_node(growth, node, proposal)
        gone = proposal.split.uses_up
        usable = tuple(column for column in node.usable if column not in gone) if gone else node.usable
        children = [
            growth.child(node, branch, rows, weight, usable)
            for branch, (rows, weight) in enumerate(division.parts)
        ]
        node.proposal, node.missing = proposal, division.missing
        node.children = children
        self.n_leaves += len(children) - 1
        node.rows, node.weight = node.rows[:0].copy(), node.weight[:0].copy()  # they live on in the children
        return [child for child in children if len(child.rows)]

    def _stopped(self) -> bool:
        """Tell the progress; whether the answer is to stop."""
        share = min(self.settled / self.growth.total, 1.0)
        if self.progress is None or share < self.reported + _STEP:
            return False
        self.reported = share
        return bool(self.progress(share))


def tree_of(growth: Growth, root: Node, proof: Mapping[str, Any] | None = None) -> Tree:
    """The tree grown so far, with what is proven about it."""
    nodes, records = numbered_nodes(root)
    pools = new_pools()
    expressions: dict[int, Any] = {}
    facts: dict[str, Any] = {}
    for number, (node, record) in enumerate(zip(nodes, records, strict=True)):
        open_node(pools)
        if node.children and node.proposal is not None:
            split = node.proposal.split
            record |= {"kind": split.kind, "missing": node.missing, "gain": node.proposal.score}
            split.write(record, pools)
            if "expression" in record:
                expressions[number] = record["expression"]
            if node.proposal.facts:
                facts["/".join(map(str, node.path))] = dict(node.proposal.facts)
    given = {"kind", "first_child", "n_children", "column", "threshold", "gap", "missing", "absent", "gain"}
    arrays: dict[str, Any] = {
        name: np.array([record.get(name, _empty(name)) for record in records]) for name in given
    }
    for name in ("threshold", "gap"):
        arrays[name] = arrays[name] + 0.0  # no -0.0, which the order of the rows could bring or not
    return Tree.unchecked(
        columns=growth.columns,
        classes=None if growth.is_real else growth.classes,
        task=growth.task,
        policy=growth.plan.missing.policy(),
        meta=growth.plan.criterion.facts() | ({"facts": facts} if facts else {}) | dict(proof or {}),
        expressions=expressions,
        stats=np.stack([node.stats for node in nodes]),
        n_rows=np.array([node.n_rows for node in nodes]),
        impurity=np.array([node.impurity for node in nodes]),
        label=_labels(growth, nodes, records),
        **arrays,
        **pool_arrays(pools),
    )


def numbered_nodes(root: Node) -> tuple[list[Node], list[dict[str, Any]]]:
    """The nodes in the order of the arrays, with the links between them."""
    nodes, records = [root], [_leaf()]
    stack = [0]
    while stack:
        number = stack.pop()
        children = nodes[number].children
        if not children:
            continue
        records[number] |= {"first_child": len(nodes), "n_children": len(children)}
        stack += reversed(range(len(nodes), len(nodes) + len(children)))
        nodes += children
        records += [_leaf() for _ in children]
    return nodes, records


def _leaf() -> dict[str, Any]:
    return {"kind": LEAF, "first_child": -1, "n_children": 0}


def _empty(name: str) -> Any:
    array = NODE_ARRAYS[name]
    return array.fill if array.width == 1 else (array.fill,) * array.width


def _labels(growth: Growth, nodes: list[Node], records: list[dict[str, Any]]) -> list[int]:
    """The first of the heaviest classes; a node without rows answers as its parent."""
    labels = [-1] * len(nodes)
    if growth.is_real:
        return labels
    for number, (node, record) in enumerate(zip(nodes, records, strict=True)):
        if node.stats.any():
            labels[number] = _heaviest(node.stats)
        for child in range(record["first_child"], record["first_child"] + record["n_children"]):
            labels[child] = labels[number]
    return labels


def _heaviest(stats: Floats) -> int:
    return int(np.argmax(stats >= stats.max() - _TIE * stats.sum()))


# Where the rows go that a split cannot place, by the missing rule of the plan:
#
#     branch of each row    0   1  -1   0          learn, branch   the child that was chosen with the split
#     child 0              [a           d]         fractional      all children, by their known weight
#     child 1              [    b        ]         majority        the child of the most known weight


@dataclass(frozen=True)
class Division:
    """The rows of each child with their weights; and the child a gap follows in prediction, -1 for all."""

    parts: tuple[tuple[Longs, Floats], ...]
    missing: int


def divide_node(growth: Growth, node: Node, proposal: Proposal) -> Division:
    """The rows of every child of a split."""
    branch, n = proposal.split.branches(growth, node.rows), proposal.split.n_children
    rule, missing, is_gap = growth.plan.missing.core_rule, proposal.missing, branch < 0
    known = np.bincount(branch[~is_gap], weights=node.weight[~is_gap], minlength=n)
    if rule == MissingRule.FRACTIONAL:  # as in C4.5
        parts = []
        for child, share in enumerate((known / known.sum()).tolist()):
            here = np.flatnonzero((branch == child) | (is_gap & (share > 0)))
            parts.append((node.rows[here], node.weight[here] * np.where(is_gap[here], share, 1.0)))
        return Division(tuple(parts), -1)
    if rule == MissingRule.MAJORITY:  # the first of equally heavy ones
        missing = int(np.argmax(known >= known.max() - TIE * known.sum()))
    child_of_row = np.where(is_gap, missing, branch)
    rows_of_child = [np.flatnonzero(child_of_row == child) for child in range(max(n, missing + 1))]
    return Division(tuple((node.rows[part], node.weight[part]) for part in rows_of_child), missing)
