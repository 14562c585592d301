"""Shapley values by their definition: every set of columns, one row at a time, a tree walked for each."""

from __future__ import annotations

from itertools import combinations
from math import factorial
from typing import Any

import numpy as np

from hornbeam.data.table import Table
from hornbeam.tree import branches, routing
from hornbeam.tree.tree import Tree


class Row:
    """One row of a table in a tree."""

    def __init__(self, tree: Tree, arrays: tuple[Any, ...], row: int) -> None:
        self.tree, self.arrays, self.at = tree, arrays, np.array([row])

    def branch(self, node: int) -> int:
        return int(routing.branches(self.tree, node, self.arrays, self.at)[0])

    def columns(self, node: int) -> set[int]:
        """What decides at a node: the tested columns, and that of the surrogate that stood in."""
        tree, found = self.tree, set(self.tree.tested_columns(node))
        if (
            tree.policy["missing"] != "all-paths"
            and branches.own_branches(tree, node, self.arrays, self.at)[0] < 0
        ):
            for k in range(int(tree.surrogate_offset[node]), int(tree.surrogate_offset[node + 1])):
                if branches.by_surrogate(tree, k, self.arrays, self.at)[0] >= 0:
                    return found | {int(tree.surrogate_column[k])}
        return found

    def reached(self, node: int) -> dict[int, float]:
        """The leaves below a node that the whole row reaches from there, with their weights."""
        tree = self.tree
        children = list(tree.children(node))
        if not children:
            return {node: tree.weight[node] if tree.policy["weights"] == "leaf" else 1.0}
        branch = self.branch(node)
        if branch >= 0:
            return self.reached(children[branch])
        return {leaf: w * self.scale(c) for c in children for leaf, w in self.reached(c).items()}

    def scale(self, child: int) -> float:
        by_leaf = self.tree.policy["weights"] == "leaf"
        return 1.0 if by_leaf else float(routing.branch_shares(self.tree)[child])

    def says(self, leaf: int, known: set[int], *, voting: bool) -> Any:
        tree = self.tree
        if tree.classes is not None:
            return np.eye(len(tree.classes))[tree.label[leaf]] if voting else tree.answers()[leaf]
        model = tree.leaf_models.get(leaf)
        if model is None:
            return np.array([tree.answers()[leaf]])
        place = {c.name: k for k, c in enumerate(tree.columns)}
        total, whole, used = model["intercept"], model["intercept"], set()
        for term in model["terms"]:
            c = place[term["column"]]
            used.add(c)
            x = self.arrays[c][self.at[0]]
            if "values" in term:
                codes = [tree.columns[c].code_of[v] for v in term["values"]]
                added = term["gap"] if x < 0 else term["coefficient"] * (int(x) in codes)
            else:
                added = term["coefficient"] * (float(x) - term["center"]) ** term["power"]
                added = term["gap"] if np.isnan(x) else added
            total += added if c in known else term["gap"]
            whole += added
        if used <= known:
            total += min(max(whole, model["low"]), model["high"]) - whole
        return np.array([total])

    def answer(self, known: set[int], node: int = 0, *, voting: bool = False) -> Any:
        """What the subtree of a node answers if only some columns are known."""
        tree = self.tree
        children = list(tree.children(node))
        if not children:
            return self.says(node, known, voting=voting)
        if self.columns(node) <= known:
            branch = self.branch(node)
            if branch >= 0:
                return self.answer(known, children[branch], voting=voting)
            below = [self.reached(c) for c in children]
            mass = np.array([sum(b.values()) * self.scale(c) for b, c in zip(below, children, strict=True)])
            if mass.sum() <= 0:
                mass = np.array([len(b) for b in below], dtype=float)
            parts = mass / mass.sum()
            voting = voting or (tree.policy["vote"] == "leaf" and int((parts > 0).sum()) > 1)
        else:
            weight = tree.weight[children]
            parts = weight / weight.sum() if weight.sum() > 0 else np.full(len(children), 1 / len(children))
        return sum(p * self.answer(known, c, voting=voting) for p, c in zip(parts, children, strict=True))


def shapley(game: Any, n: int) -> list[Any]:
    """The Shapley values of players 0 to n - 1 in a game on sets of them."""
    value = {s: game(set(s)) for k in range(n + 1) for s in combinations(range(n), k)}
    found = []
    for i in range(n):
        total = 0.0
        for k in range(n):
            for s in combinations([j for j in range(n) if j != i], k):
                weight = factorial(k) * factorial(n - k - 1) / factorial(n)
                total = total + weight * (value[tuple(sorted((*s, i)))] - value[s])
        found.append(total)
    return found


def shap_twin(tree: Tree, X: Any) -> tuple[Any, Any]:
    """Values (rows, columns, answers) and base, from all sets of columns."""
    table = Table.match(X, tree.columns)
    rows = [Row(tree, table.arrays, i) for i in range(table.n_rows)]
    values = [shapley(row.answer, len(tree.columns)) for row in rows]
    return np.array(values), rows[0].answer(set())


def against_twin(tree: Tree, X: Any, background: Any) -> Any:
    """Values against background rows: hybrid rows, all sets of columns, the mean over the background."""
    here, there = (Table.match(t, tree.columns) for t in (X, background))
    out = []
    for i in range(here.n_rows):
        games = []
        for b in range(there.n_rows):

            def game(known: set[int], i: int = i, b: int = b) -> Any:
                mixed = tuple(
                    (here if c in known else there).arrays[c][[i if c in known else b]]
                    for c in range(len(tree.columns))
                )
                return Row(tree, mixed, 0).answer(set(range(len(tree.columns))))

            games.append(shapley(game, len(tree.columns)))
        out.append(np.mean(np.array(games), axis=0))
    return np.array(out)
