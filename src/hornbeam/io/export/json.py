"""JSON: the format of `*.tree.json`, for any language that reads JSON."""

from __future__ import annotations

from json import dumps

from hornbeam.tree.tree import Tree


def json(tree: Tree) -> str:
    """The text of the tree's file, as `hb.save` writes it; `Tree.from_dict(json.loads(text))` reads it.

    >>> json(Tree.from_nested({"column": "x", "<=": 1, "yes": "a", "no": "b"}))[:42]
    '{"format": "hornbeam-tree", "version": 1, '
    """
    return dumps(tree.to_dict(), ensure_ascii=False, allow_nan=False)
