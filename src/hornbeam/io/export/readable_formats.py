"""Formats that people read or other tools draw: JSON, Markdown, DOT and SVG."""

from __future__ import annotations

import re
from json import dumps

from hornbeam.data.formatting import visible
from hornbeam.display.drawing import draw
from hornbeam.reading.conditions import condition_texts
from hornbeam.reading.rules import rules
from hornbeam.tree import words
from hornbeam.tree.arrays import LEAF
from hornbeam.tree.equation_words import equation_in_bounds
from hornbeam.tree.tree import Tree
from hornbeam.tree.words import UNICODE, branch_text, question_text

_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~&$^:=])")


def json(tree: Tree) -> str:
    """The text of the tree's file, as `hb.save` writes it; `Tree.from_dict(json.loads(text))` reads it.

    >>> json(Tree.from_nested({"column": "x", "<=": 1, "yes": "a", "no": "b"}))[:42]
    '{"format": "hornbeam-tree", "version": 2, '
    """
    return dumps(tree.to_dict(), ensure_ascii=False, allow_nan=False)


def markdown(tree: Tree) -> str:
    """A table with a row for each rule: condition, answer, rows, and confidence or spread.

    >>> tree = Tree.from_nested({"column": "city", "equals": "Brno", "yes": {"counts": {"a": 3}},
    ...                          "no": {"counts": {"a": 1, "b": 3}}})
    >>> print(markdown(tree).splitlines()[0])
    | if | then | rows | confidence |
    """
    last = "confidence" if tree.classes is not None else "standard deviation"
    lines = [f"| if | then | rows | {last} |", "|---|---|--:|--:|"]
    listed = rules(tree)
    for rule in listed:
        when = " and ".join(condition_texts(rule.conditions)) or "always"
        then = (
            visible(str(rule.label)) if rule.value is None else _markdown_answer(tree, rule.leaf, rule.value)
        )
        sure = ""
        if rule.confidence is not None:
            sure = words.percent(rule.confidence)
        elif rule.spread is not None and rule.equation is None:
            sure = words.amount(rule.spread)
        lines.append(f"| {_markdown_cell(when)} | {_markdown_cell(then)} | {rule.support} | {sure} |")
    lines += [line for note in listed.notes for line in ("", _markdown_cell(note))]
    return "\n".join(lines) + "\n"


def _markdown_answer(tree: Tree, leaf: int, value: float) -> str:
    """The number a leaf answers, or its equation and what it is kept between."""
    return equation_in_bounds(tree, leaf) if leaf in tree.leaf_models else words.amount(value)


def _markdown_cell(text: str) -> str:
    """Text in a cell: on one line, with every sign that means something escaped."""
    return _SPECIAL.sub(r"\\\1", text) or " "


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
            lines.append(f"  n{node} [label={_dot_string(f'{question_text(tree, node)}?')}];")
            continue
        said = _dot_label(tree, node)
        lines.append(f'  n{node} [label={_dot_string(said)}, style="rounded,filled"];')
    for node in range(1, len(tree)):
        parent = int(tree.parent[node])
        branch = node - int(tree.first_child[parent])
        text = branch_text(tree, parent, branch, UNICODE)
        gaps = tree.missing[parent] == branch and tree.policy["missing"] != "all-paths"
        if gaps and not text.endswith("is missing"):
            text += f" {UNICODE.missing}"
        lines.append(f"  n{parent} -> n{node} [label={_dot_string(text)}];")
    return "digraph tree {\n" + "\n".join(lines) + "\n}\n"


def _dot_label(tree: Tree, leaf: int) -> str:
    """What a leaf answers, how surely, and from how many rows."""
    answer = tree.answers()[leaf]
    if leaf in tree.leaf_models:
        text = equation_in_bounds(tree, leaf)
    elif tree.classes is None:
        text = words.amount(float(answer))
    else:
        text = str(tree.classes[int(tree.label[leaf])])
        if not tree.uncounted:
            text += f"\n{words.answer_share(tree, leaf, answer)}"
    return text if tree.uncounted else f"{text}\nn={int(tree.n_rows[leaf])}"


def _dot_string(text: str) -> str:
    r"""A string of DOT: only the double quote and the backslash end or escape anything in it."""
    safe = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + safe.replace("\r", " ").replace("\n", "\\n").replace("\x00", " ") + '"'


def svg(
    tree: Tree,
    kind: str = "tree",
    orientation: str | None = None,
    theme: str = "auto",
    max_nodes: int | None = 60,
    title: str | None = None,
) -> str:
    """A picture as text; `hb.draw` can show rows on its cards as well.

    >>> tree = Tree.from_nested({"column": "width", "<=": 0.8, "yes": "a", "no": "b"})
    >>> svg(tree).count("<text") > 4
    True
    """
    picture = draw(tree, kind=kind, orientation=orientation, theme=theme, max_nodes=max_nodes, title=title)
    return picture.svg
