"""The static form of a tree: HTML that shows it where no script runs, on paper and in e-mail.

One idea: an indented list says everything a picture of a tree does, in any browser, to any reader.
"""

from __future__ import annotations

from html import escape

from hornbeam.display.report.node_facts import Nodes
from hornbeam.tree.arrays import LEAF
from hornbeam.tree.tree import Tree

_MOST = 400  # nodes listed; what is below is only counted


def static_form(tree: Tree) -> str:
    """The tree as nested lists.

    >>> print(static_form(Tree.from_nested({"column": "x", "<=": 1, "yes": "a", "no": "b"})))
    <ul class="static"><li>x?<ul><li>≤ 1: a</li><li>&gt; 1: b</li></ul></li></ul>
    """
    nodes = Nodes(tree, None, None, None)
    shown = _shown(tree)
    pieces: list[str] = []
    previous = -1
    for node, depth in tree.walk():
        if node not in shown:
            continue
        if depth > previous:
            pieces.append("<ul>" if depth else '<ul class="static">')
        else:
            pieces.append("</li>" + "</ul></li>" * (previous - depth))
        pieces.append(f"<li>{escape(_line(tree, nodes, node, shown))}")
        previous = depth
    return "".join([*pieces, "</li></ul>" * (previous + 1)])


def _line(tree: Tree, nodes: Nodes, node: int, shown: set[int]) -> str:
    facts = nodes.of(node)
    way = f"{facts['branch']}: " if node else ""
    count = "" if tree.uncounted else f" (n={int(tree.n_rows[node]):,})"
    if tree.kind[node] == LEAF:
        return f"{way}{facts['verdict']}{count}"
    below = "" if tree.children(node)[0] in shown else " …"
    says = "" if tree.uncounted else f" {facts['verdict']}"
    return f"{way}{facts['question']}?{says}{count}{below}"


def _shown(tree: Tree) -> set[int]:
    """The nodes listed: families of siblings, those of most rows first."""
    if len(tree) <= _MOST:
        return set(range(len(tree)))
    shown, front = {0}, [0]
    while front and len(shown) < _MOST:
        front.sort(key=lambda node: (int(tree.n_rows[node]), -node))
        node = front.pop()
        shown.update(tree.children(node))
        front.extend(child for child in tree.children(node) if tree.kind[child] != LEAF)
    return shown
