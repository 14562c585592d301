"""Penalised: the pruning that minimises cost + strength x leaves, exactly (R83)."""

from __future__ import annotations

from hornbeam._base.checks import check_least
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.pruning.base import Pruned, Pruner, need_counts
from hornbeam.pruning.cheapest_pruning import cheapest
from hornbeam.pruning.levels import leaf_counts
from hornbeam.pruning.risks import node_risks
from hornbeam.tree.tree import Tree


class Penalised(Pruner):
    """Complexity penalisation: of all prunings the one of least cost + strength x leaves.

    The cost is - sum ln p(outcome) over the training rows for classes (the log-likelihood), and the sum of
    (y - answer)^2 for a real target (the Gaussian one up to constants). One pass from below finds the exact
    minimum; of equally good prunings it is the smallest. Weights and counts multiply a row's term, priors
    count as they do in the answers; probabilities are those the leaves answer with, smoothed or not.

    Parameters
    ----------
    strength : float
        What one leaf costs, in natural units of the log-likelihood, or in squared units of y. 0 keeps
        everything that fits the training rows better.

    Examples
    --------
    >>> import hornbeam as hb
    >>> tree = hb.Tree.from_nested({"column": "x", "<=": 1.5, "yes": {"counts": {"a": 20, "b": 2}},
    ...                             "no": {"counts": {"a": 8, "b": 10}}})
    >>> hb.prune(tree, Penalised(strength=3)).text()
    'x[<=1.5: a(20:2) | >1.5: b(8:10)]'
    >>> hb.prune(tree, Penalised(strength=20)).text()
    'a(28:12)'
    """

    name, about = "penalised", "least training cost + strength x leaves"

    def __init__(self, strength: float = 1.0) -> None:
        self.strength = strength

    def check(self) -> None:
        """Raise if the strength is no number of at least 0."""
        check_least("strength", self.strength, 0, "what one leaf costs")

    # Rows are not needed, hence not read.
    def prune(self, tree: Tree, table: Table | None = None, target: Target | None = None) -> Pruned:  # noqa: ARG002
        """The smallest of the cheapest prunings; rows are not needed."""
        need_counts(tree)
        cost = node_risks(tree, "log-likelihood") + float(self.strength) * leaf_counts(tree)
        found = cheapest(tree, cost)
        small = tree.collapse(found.leaf)
        risks = node_risks(small, "log-likelihood")[small.first_child < 0].sum()
        facts = {
            "strength": float(self.strength),
            "cost": float(risks),
            "penalised cost": float(risks + self.strength * small.n_leaves),
        }
        return Pruned(small, found.decisions("as a tree", "as a leaf"), self.name, facts, tree)
