"""DOT: the language of Graphviz, which draws the tree."""

from __future__ import annotations

from hornbeam.tree import words
from hornbeam.tree.arrays import LEAF
from hornbeam.tree.tree import Tree
from hornbeam.tree.words import UNICODE, bounds_text, branch_text, question_text


def dot(tree: Tree) -> str:
    """A directed graph: boxes are tests and leaves, edges say which branch is taken.

    An edge that gaps follow too is marked with the sign for missing values. Draw it with
    `dot -Tsvg tree.dot -o tree.svg`.

    >>> print(dot(Tree.from_nested({"column": "width", "<=": 0.8, "yes": "a", "no": "b"})))
    digraph tree {
      node [shape=box, style=rounded, fontname="sans-serif"];
      edge [fontname="sans-serif"];
      n0 [label="width?"];
      n1 [label="a", style="rounded,filled"];
      n2 [label="b", style="rounded,filled"];
      n0 -> n1 [label="≤ 0.8"];
      n0 -> n2 [label="> 0.8"];
    }
    <BLANKLINE>
    """
    lines = ['  node [shape=box, style=rounded, fontname="sans-serif"];', '  edge [fontname="sans-serif"];']
    for node in range(len(tree)):
        if tree.kind[node] != LEAF:
            lines.append(f"  n{node} [label={_quoted(f'{question_text(tree, node)}?')}];")
            continue
        said = _said(tree, node)
        lines.append(f'  n{node} [label={_quoted(said)}, style="rounded,filled"];')
    for node in range(1, len(tree)):
        parent = int(tree.parent[node])
        branch = node - int(tree.first_child[parent])
        text = branch_text(tree, parent, branch, UNICODE)
        gaps = tree.missing[parent] == branch and tree.policy["missing"] != "all-paths"
        if gaps and not text.endswith("is missing"):
            text += f" {UNICODE.missing}"
        lines.append(f"  n{parent} -> n{node} [label={_quoted(text)}];")
    return "digraph tree {\n" + "\n".join(lines) + "\n}\n"


def _said(tree: Tree, leaf: int) -> str:
    """What a leaf answers, how surely, and from how many rows."""
    found = tree.answers()[leaf]
    if leaf in tree.leaf_models:
        model = tree.leaf_models[leaf]
        text = words.equation(tree, leaf, words.amount) + bounds_text(model["low"], model["high"])
    elif tree.classes is None:
        text = words.amount(float(found))
    else:
        text = str(tree.classes[int(tree.label[leaf])])
        if not tree.uncounted:
            text += f"\n{words.percent(float(found[int(tree.label[leaf])]))}"
    return text if tree.uncounted else f"{text}\nn={int(tree.n_rows[leaf])}"


def _quoted(text: str) -> str:
    r"""A string of DOT: only the double quote and the backslash end or escape anything in it."""
    safe = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + safe.replace("\r", " ").replace("\n", "\\n").replace("\x00", " ") + '"'
