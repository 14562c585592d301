"""The trees drawn in the lectures, written by hand and counted on their tables.

One idea: a tree is its tests; labels and counts come from refitting it on the table it was drawn for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from hornbeam._base.parameters import did_you_mean
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.teaching.datasets.dataset import load
from hornbeam.tree.tree import Tree


class _Drawn(NamedTuple):
    table: str
    nested: Mapping[str, Any]


def _pt(leaf: Any) -> Mapping[str, Any]:
    x3 = {"column": "x3", "branches": {0: leaf, 1: leaf}}
    x2 = {"column": "x2", "branches": {0: leaf, 1: x3}}
    return {"column": "x1", "branches": {0: x2, 1: {"column": "x4", "branches": {0: leaf, 1: leaf}}}}


_TREES: Mapping[str, _Drawn] = {
    "game": _Drawn(
        "robots",
        {
            "column": "neck",
            "equals": "tie",
            "yes": {"column": "smile", "equals": "yes", "yes": "ally", "no": "enemy"},
            "no": {"column": "body", "equals": "triangle", "yes": "ally", "no": "enemy"},
        },
    ),
    "smallest": _Drawn(
        "robots",
        {
            "column": "body",
            "equals": "square",
            "yes": "enemy",
            "no": {"column": "neck", "equals": "bow", "yes": "enemy", "no": "ally"},
        },
    ),
    "tax": _Drawn(
        "tax",
        {
            "column": "Refund",
            "branches": {
                "yes": "no",
                "no": {
                    "column": "MarSt",
                    "branches": {
                        "Married": "no",
                        ("Single", "Divorced"): {"column": "TaxInc", "<=": 80, "yes": "no", "no": "yes"},
                    },
                },
            },
        },
    ),
    "pt": _Drawn("pt_S1", _pt(0)),
}


def tree_names() -> list[str]:
    """The names of the bundled trees.

    >>> tree_names()
    ['game', 'smallest', 'tax', 'pt']
    """
    return list(_TREES)


def load_tree(name: str) -> Tree:
    """A tree drawn in a lecture, with the counts of the table it was drawn for.

    Parameters
    ----------
    name : {"game", "smallest", "tax", "pt"}
        The tree of Pošík's slide 5 and the smallest one of slide 10, both on `robots`; that of Póczos' slide
        11 on `tax`; the one that stands for figure 8.6 of the notes, on `pt_S1`.

    Examples
    --------
    >>> load_tree("smallest").text()
    'body=square[yes: enemy(0:3) | no: neck=bow[yes: enemy(0:1) | no: ally(4:0)]]'
    >>> load_tree("pt").text()
    'x1[0: x2[0: 0(20:2) | 1: x3[0: 1(3:6) | 1: 0(5:4)]] | 1: x4[0: 1(2:15) | 1: 0(4:3)]]'
    """
    if not isinstance(name, str) or name not in _TREES:
        hint = did_you_mean(str(name), _TREES)
        raise ValueError(f"there is no bundled tree {name!r}{hint}: the trees are {', '.join(_TREES)}")
    drawn = _TREES[name]
    data = load(drawn.table)
    table = Table.learn(data.X, data.categorical)
    target = Target.classes_of(data.y, counts=data.counts)
    return Tree.from_nested(drawn.nested, table, target.classes).refit(table, target)
