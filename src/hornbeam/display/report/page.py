"""A report as one HTML page that needs nothing else, and a tree in a notebook.

The modules of the viewer, its style and a document go into one file.

Where no script runs, on paper and in e-mail, the tree is shown as an indented list. A notebook shows the page
in a sandboxed frame that holds it in the attribute `srcdoc`, so nothing of the notebook meets anything of the
page; where frames are taken away, the list stands after it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from html import escape
from typing import Any

from hornbeam.display.drawing.tree_picture import shown_nodes
from hornbeam.display.report.document import document_of
from hornbeam.display.report.node_facts import NodeFacts
from hornbeam.display.scripts import join_modules, read_module
from hornbeam.reading.show import show
from hornbeam.tree.arrays import LEAF
from hornbeam.tree.expressions.language import Function
from hornbeam.tree.tree import Tree

ENTRY = "main.js"
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"

_MOST_LISTED = 400  # nodes in the static form; what is below is only counted
_LARGEST_VIEWED = 1500  # nodes of a tree that is shown by the viewer; larger ones are listed in part
_SHOWN_DEPTH = 6


def page_of(document: Mapping[str, Any], static: str, *, mode: str = "report") -> str:
    """Return one HTML page with the document, its static form, and the viewer.

    >>> page = page_of({"title": "</script>"}, "<p>a tree</p>")
    >>> "<p>a tree</p>" in page, "</script>" in page.split("application/json")[1].split("<script>")[0][10:40]
    (True, False)
    """
    title = escape(str(document.get("title", "Decision tree")))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>\n{_style()}\n</style>\n</head>\n"
        f'<body data-mode="{mode}">\n<div id="hornbeam"><main><h1>{title}</h1>{static}</main></div>\n'
        f'<script type="application/json" id="hornbeam-document">{data(document)}</script>\n'
        f"<script>\n{_viewer()}</script>\n</body>\n</html>\n"
    )


def data(document: Mapping[str, Any]) -> str:
    r"""Return a document as JSON that no HTML reader takes for the end of a script.

    >>> data({"a": "</script><!--"})
    '{"a":"\\u003c/script>\\u003c!--"}'
    """
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


@cache
def _style() -> str:
    """The style sheet without comments and indentation, which a page does not need."""
    rules = re.sub(r"/\*.*?\*/", "", read_module("style.css"), flags=re.DOTALL)
    lines = [
        line.strip().replace("; ", ";").replace(" { ", "{").replace(" }", "}") for line in rules.splitlines()
    ]
    return "\n".join(line for line in lines if line)


@cache
def _viewer() -> str:
    """The modules without indentation and the types in comments; no text of theirs spans lines."""
    script = re.sub(r"^ +", "", join_modules(read_module, ENTRY), flags=re.MULTILINE)
    return re.sub(r"/\*\* @type \{[^*]*\} \*/ ?", "", script)


def static_form(tree: Tree) -> str:
    """Return the tree as nested lists, for where no script runs.

    >>> print(static_form(Tree.from_nested({"column": "x", "<=": 1, "yes": "a", "no": "b"})))
    <ul class="static"><li>x?<ul><li>≤ 1: a</li><li>&gt; 1: b</li></ul></li></ul>
    """
    nodes = NodeFacts(tree)
    listed = set(shown_nodes(tree, _MOST_LISTED).nodes)
    pieces: list[str] = []
    previous = -1
    for node, depth in tree.walk():
        if node not in listed:
            continue
        if depth > previous:
            pieces.append("<ul>" if depth else '<ul class="static">')
        else:
            pieces.append("</li>" + "</ul></li>" * (previous - depth))
        pieces.append(f"<li>{escape(_line(tree, nodes.of(node), node, listed))}")
        previous = depth
    return "".join([*pieces, "</li></ul>" * (previous + 1)])


def _line(tree: Tree, facts: Mapping[str, Any], node: int, listed: set[int]) -> str:
    branch = f"{facts['branch']}: " if node else ""
    count = "" if tree.uncounted else f" (n={int(tree.n_rows[node]):,})"
    if tree.kind[node] == LEAF:
        return f"{branch}{facts['verdict']}{count}"
    below = "" if tree.children(node)[0] in listed else " …"
    verdict = "" if tree.uncounted else f" {facts['verdict']}"
    return f"{branch}{facts['question']}?{verdict}{count}{below}"


def mimebundle(tree: Tree) -> dict[str, str]:
    """Return what a notebook shows for a tree: text, and the viewer without anything that needs rows.

    >>> tree = Tree.from_nested({"column": "x", "<=": 1, "yes": "a", "no": "b"})
    >>> sorted(mimebundle(tree)), mimebundle(tree)["text/html"].startswith("<iframe sandbox")
    (['text/html', 'text/plain'], True)
    """
    text = show(tree, max_depth=_SHOWN_DEPTH)
    if tree.outputs:
        return {"text/plain": text, "text/html": f"<pre>{escape(text)}</pre>"}
    static = static_form(tree)
    if len(tree) > _LARGEST_VIEWED or any(isinstance(test, Function) for test in tree.expressions.values()):
        return {"text/plain": text, "text/html": static}
    made_by = [["made by", "Hornbeam"]]
    document = document_of(tree, None, title="Decision tree", target="outcome", provenance=made_by)
    return {"text/plain": text, "text/html": framed(page_of(document, static, mode="notebook"), static, 560)}


def framed(page: str, static: str, height: int) -> str:
    """Return a page in a sandboxed frame, and its static form.

    Viewers that take frames away (untrusted notebooks, GitHub, e-mail) take the style away as well, which
    hides the static form elsewhere.
    """
    return (
        f'<iframe sandbox="allow-scripts" srcdoc="{escape(page)}" title="Decision tree"'
        f' style="box-sizing:border-box;width:100%;height:{height}px;border:1px solid #8884'
        ';border-radius:6px"></iframe>'
        "<style>.hornbeam-static{display:none}</style>"
        f'<div class="hornbeam-static">{static}</div>'
    )
