"""Show: the tree as indented text, one line per node.

One idea: a line is the branch that leads here, what the node asks or answers, and what the training rows
say::

    Outlook?  gain 0.2467  64 % Yes  n=14 (5:9)
    ├── = Overcast  → Yes  100 %  n=4 (0:4)
"""

from __future__ import annotations

from typing import Any

from hornbeam import answering, wording
from hornbeam.arrays import LEAF, Floats
from hornbeam.reading._common import Signs, answer, bounds_text, is_for_missing, question, signs_of, tree_of
from hornbeam.tree import Tree

_MOST_CLASSES = 6  # with more classes the counts are left out


def show(
    model: Any, *, node_ids: bool = False, charset: str = "unicode", max_depth: int | None = None
) -> str:
    """The tree of a model as indented text.

    Thresholds are printed with the fewest digits that separate the same training values. A sign after a
    branch marks where missing values go.

    Parameters
    ----------
    model : estimator or Tree
    node_ids : bool
        Whether each line ends with the number of its node.
    charset : {"unicode", "ascii"}
    max_depth : int or None
        Deeper nodes are only counted.

    Examples
    --------
    >>> tree = Tree.from_nested({"column": "petal width", "<=": 0.8, "yes": {"counts": {"setosa": 50}},
    ...                          "no": {"counts": {"versicolor": 48, "virginica": 52}}})
    >>> print(show(tree, charset="ascii"))
    petal width?  gain 0.3335  35 % virginica  n=150 (50:48:52)
    |-- <= 0.8  -> setosa  100 %  n=50 (50:0:0)
    `-- > 0.8  -> virginica  52 %  n=100 (0:48:52)
    counts are setosa:versicolor:virginica
    """
    if max_depth is not None and max_depth < 0:
        raise ValueError(
            f"max_depth={max_depth!r} must be a whole number of at least 0, or None for no limit"
        )
    tree, signs = tree_of(model), signs_of(charset)
    writer = _Writer(tree, signs)
    lines: list[str] = []
    rails = [""]  # what stands before the children of the nodes on the current path
    for node, depth in tree.walk():
        if max_depth is not None and depth > max_depth:
            continue
        del rails[depth + 1 :]
        lead, rail = _rails(tree, node, signs)
        words = [writer.branch(node), writer.verdict(node), f"#{node}" if node_ids else ""]
        if depth == max_depth and tree.kind[node] != LEAF:
            words.append(f"{signs.dots} {sum(1 for _ in tree.walk(node)) - 1} nodes below")
        lines.append(rails[depth] + lead + "  ".join(filter(None, words)))
        rails.append(rails[depth] + rail)
    return "\n".join(lines + writer.legend())


def _rails(tree: Tree, node: int, signs: Signs) -> tuple[str, str]:
    """What stands before a node, and before everything below it."""
    if node == 0:
        return "", ""
    last = tree.children(int(tree.parent[node]))[-1] == node
    return (signs.corner, " " * len(signs.bar)) if last else (signs.tee, signs.bar)


class _Writer:
    """Words for the nodes of one tree."""

    def __init__(self, tree: Tree, signs: Signs) -> None:
        self.tree, self.signs = tree, signs
        self.answers, self.models = tree.answers(), tree.leaf_models
        self.spreads: Floats | None = answering.spreads(tree) if tree.task == "real" else None
        self.marked = False

    def branch(self, node: int) -> str:
        """The branch that leads to a node; a sign where missing values follow it."""
        if node == 0:
            return ""
        parent = int(self.tree.parent[node])
        branch = node - int(self.tree.first_child[parent])
        text = answer(self.tree, parent, branch, self.signs)
        if self.tree.missing[parent] == branch and not is_for_missing(self.tree, parent, branch):
            self.marked = True
            return f"{text} {self.signs.missing}"
        return text

    def verdict(self, node: int) -> str:
        """What the node asks or answers, its gain, and what its rows say."""
        tree = self.tree
        leaf = tree.kind[node] == LEAF
        words = [f"{self.signs.arrow} {self._answer(node)}" if leaf else f"{question(tree, node)}?"]
        if not leaf and tree.gain[node] > 0:
            words.append(f"gain {wording.amount(float(tree.gain[node]))}")
        if tree.uncounted:
            return words[0]
        if tree.classes is not None:
            share = wording.percent(float(self.answers[node, int(tree.label[node])]))
            words.append(share if leaf else f"{share} {self._answer(node)}")
        elif not leaf:
            words.append(self._answer(node))
        return "  ".join([*words, self._rows(node)])

    def _answer(self, node: int) -> str:
        tree = self.tree
        if tree.classes is not None:
            return str(tree.classes[int(tree.label[node])])
        if tree.kind[node] == LEAF and node in self.models:
            return self._equation(node)
        mean = wording.amount(float(self.answers[node]))
        if self.spreads is None or tree.n_rows[node] == 0:
            return mean
        return f"{mean} {self.signs.spread} {wording.amount(float(self.spreads[node]))}"

    def _equation(self, node: int) -> str:
        low, high = self.models[node]["low"], self.models[node]["high"]
        return wording.equation(self.tree, node, wording.amount) + bounds_text(low, high)

    def _rows(self, node: int) -> str:
        tree = self.tree
        counts = ":".join(wording.count(w) for w in tree.stats[node].tolist()) if self._counts_shown() else ""
        return f"n={tree.n_rows[node]}" + (f" ({counts})" if counts else "")

    def _counts_shown(self) -> bool:
        return (
            self.tree.classes is not None
            and not self.tree.uncounted
            and len(self.tree.classes) <= _MOST_CLASSES
        )

    def legend(self) -> list[str]:
        """What the signs used mean."""
        lines = []
        if self._counts_shown() and self.tree.classes is not None:
            lines.append(f"counts are {':'.join(map(str, self.tree.classes))}")
        if self.marked:
            lines.append(f"{self.signs.missing} missing values go here")
        return lines
