"""Annotations: what people noted about single nodes of a tree: chosen by hand, locked, a note.

One idea: an annotation is kept in the tree's `meta` under the branches that lead to its node ("0/1": the
second branch of the first branch of the root), so it needs no array, old files simply have none, and whatever
renumbers nodes only has to follow the branches.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hornbeam.tree.certificate import KEY as CERTIFICATE

if TYPE_CHECKING:
    from hornbeam._base.types import Ints, Longs
    from hornbeam.tree.tree import Tree

KEY = "marks"
FACTS = "facts"  # what growing knew of single tests (p-values), kept in the same way
PARTIAL = "partial"  # there, and true, where the tree is not finished
IDS = "ids"  # there while a tree is edited: the identity of each node, by its number; -1 for a new node
IMITATION = "imitation"  # there where the tree imitates another model: the sentence that says how well
PARTIAL_SENTENCE = "growth was stopped before it was finished"


def paths(first_child: Sequence[int], n_children: Sequence[int], nodes: Iterable[int]) -> list[str]:
    """The branches that lead to some nodes.

    >>> paths([1, -1, 3, -1, -1], [2, 0, 2, 0, 0], [0, 2, 4])
    ['', '1', '1/1']
    """
    above: dict[int, tuple[int, int]] = {}
    for node, first in enumerate(first_child):
        for branch in range(n_children[node] if first >= 0 else 0):
            above[first + branch] = node, branch
    texts = []
    for node in nodes:
        steps = []
        while node in above:
            node, branch = above[node]
            steps.append(str(branch))
        texts.append("/".join(reversed(steps)))
    return texts


def by_node(tree: Tree, key: str = KEY) -> dict[int, dict[str, Any]]:
    """Node -> what is kept about it; what stands under branches that the tree does not have is left out."""
    entry_of_node = {}
    for path, entry in tree.meta.get(key, {}).items():
        node = node_at(tree, path)
        if node is not None and isinstance(entry, Mapping):
            entry_of_node[node] = dict(entry)
    return dict(sorted(entry_of_node.items()))


def node_at(tree: Tree, path: str) -> int | None:
    """The node that some branches lead to; None if they leave the tree.

    >>> from hornbeam.tree.tree import Tree
    >>> tree = Tree.from_nested({"column": "x", "<=": 1.5, "yes": "a", "no": "b"})
    >>> node_at(tree, "1"), node_at(tree, ""), node_at(tree, "1/0")
    (2, 0, None)
    """
    node = 0
    for step in filter(None, path.split("/")):
        if not step.isdecimal() or int(step) >= tree.n_children[node] or tree.first_child[node] < 0:
            return None
        node = int(tree.first_child[node]) + int(step)
    return node


def by_path(
    entries: Mapping[int, Mapping[str, Any]], first_child: Ints, n_children: Ints
) -> dict[str, dict[str, Any]]:
    """The same under the branches that lead to the nodes; what is empty is left out."""
    if not any(entries.values()):
        return {}
    nodes = sorted(node for node, entry in entries.items() if entry)
    path = paths(first_child.tolist(), n_children.tolist(), nodes)
    return {path[k]: dict(entries[node]) for k, node in enumerate(nodes)}


def with_entries(meta: Mapping[str, Any], key: str, entries: Mapping[str, Any]) -> dict[str, Any]:
    """The meta of a tree with these entries, and without the key if there are none."""
    rest = {name: value for name, value in meta.items() if name != key}
    return rest | ({key: dict(entries)} if entries else {})


def move_annotations(tree: Tree, number: Longs, first_child: Ints, n_children: Ints) -> dict[str, Any]:
    """The tree's meta where nodes have other numbers (-1: the node is gone) and other children.

    What is known of a test goes when the node is no test any more.
    """
    meta = with_entries(tree.meta, CERTIFICATE, {})  # what was proven is not proven of a part
    for key in (FACTS, KEY):
        entry_of_node = {}
        for node, entry in by_node(tree, key).items():
            new = int(number[node])
            if new >= 0:
                entry_of_node[new] = entry if first_child[new] >= 0 else _of_leaf(entry, key)
        meta = with_entries(meta, key, by_path(entry_of_node, first_child, n_children))
    return with_ids(meta, tree, number, len(first_child))


def with_ids(meta: Mapping[str, Any], tree: Tree, number: Longs, n: int) -> dict[str, Any]:
    """The meta with the identities of a tree's nodes under their new numbers; -1 for a new node.

    >>> import numpy as np
    >>> from hornbeam.tree.tree import Tree
    >>> with_ids({}, Tree.from_nested("a").replace(meta={"ids": [7]}), np.array([1]), 3)
    {'ids': [-1, 7, -1]}
    """
    if IDS not in tree.meta:
        return dict(meta)
    ids = [-1] * n
    for identity, new in zip(tree.meta[IDS], number.tolist(), strict=False):
        if new >= 0:
            ids[new] = identity
    return {**meta, IDS: ids}


def _of_leaf(entry: Mapping[str, Any], key: str) -> dict[str, Any]:
    """What stays of an entry when its node becomes a leaf."""
    return {} if key == FACTS else {name: value for name, value in entry.items() if name != "forced"}


def forced_text(forced: Mapping[str, Any]) -> str:
    """A split that was chosen by hand, in words.

    >>> forced_text({"rank": 2, "of": 7})
    'chosen by hand, rank 2 of 7'
    """
    return f"chosen by hand, rank {forced.get('rank', '?')} of {forced.get('of', '?')}"


def partial_tree(tree: Tree) -> Tree:
    """The tree, which says that its growth was stopped."""
    return tree.replace(meta={**tree.meta, PARTIAL: True})


def is_partial(tree: Tree) -> bool:
    """Whether the growth of a tree was stopped before it was finished."""
    return bool(tree.meta.get(PARTIAL))
