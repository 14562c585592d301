"""A tree in a notebook: the page in a frame of its own, and text where pages are not shown.

One idea: the frame is sandboxed and holds its page in the attribute `srcdoc`, so nothing of the notebook
meets anything of the page. What is shown first needs no script; where frames are stripped, a list stands
after it.
"""

from __future__ import annotations

from html import escape

from hornbeam.display.report.document import document_of
from hornbeam.display.report.page import page_of
from hornbeam.display.report.static_page import static_form
from hornbeam.reading import show
from hornbeam.tree.expressions.functions import Function
from hornbeam.tree.tree import Tree

_LARGEST = 1500  # nodes of a tree that is shown by the viewer; larger ones are listed in part
_SHOWN_DEPTH = 6


def mimebundle(tree: Tree) -> dict[str, str]:
    """What a notebook shows for a tree: text, and the viewer without anything that needs rows.

    >>> tree = Tree.from_nested({"column": "x", "<=": 1, "yes": "a", "no": "b"})
    >>> sorted(mimebundle(tree)), mimebundle(tree)["text/html"].startswith("<iframe sandbox")
    (['text/html', 'text/plain'], True)
    """
    text = show(tree, max_depth=_SHOWN_DEPTH)
    static = static_form(tree)
    if len(tree) > _LARGEST or any(isinstance(test, Function) for test in tree.expressions.values()):
        return {"text/plain": text, "text/html": static}
    made_by = [["made by", "Hornbeam"]]
    document = document_of(tree, None, title="Decision tree", target="outcome", provenance=made_by)
    return {"text/plain": text, "text/html": framed(page_of(document, static, mode="notebook"), static, 560)}


def framed(page: str, static: str, height: int) -> str:
    """A page in a sandboxed frame, and its static form.

    Viewers that take frames away (untrusted notebooks, GitHub, e-mail) take the style away as well, which
    hides the static form elsewhere.
    """
    return (
        f'<iframe sandbox="allow-scripts" srcdoc="{escape(page)}" title="Decision tree"'
        f' style="width:100%;height:{height}px;border:1px solid #8884;border-radius:6px"></iframe>'
        "<style>.hornbeam-static{display:none}</style>"
        f'<div class="hornbeam-static">{static}</div>'
    )
