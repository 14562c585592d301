"""A report as one HTML page that needs nothing else, and a tree in a notebook.

The modules of the viewer, its style and a document go into one file. The modules keep to two forms,
`import {a, b as c} from './x.js';` and `export function`, `const` or `class`, so that putting them into one
script is a matter of lines: each module becomes a function that returns what it exports, called in the order
of dependence. Anything else is refused.

Where no script runs, on paper and in e-mail, the tree is shown as an indented list. A notebook shows the page
in a sandboxed frame that holds it in the attribute `srcdoc`, so nothing of the notebook meets anything of the
page; where frames are taken away, the list stands after it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

from hornbeam.display.report.document import document_of
from hornbeam.display.report.node_facts import NodeFacts
from hornbeam.reading import show
from hornbeam.tree.arrays import LEAF
from hornbeam.tree.expressions.functions import Function
from hornbeam.tree.tree import Tree

ENTRY = "main.js"
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"

Reader = Callable[[str], str]

_IMPORT = re.compile(
    r"import \{ ?([\w$]+(?: as [\w$]+)?(?:, [\w$]+(?: as [\w$]+)?)*) ?\} from '(\.{1,2}/[\w./-]+\.js)';"
)
_EXPORT = re.compile(r"export ((?:async )?function\*?|const|class) ([\w$]+)")
_INLINE = re.compile(r"/\*.*?\*/")
_FORBIDDEN = (
    "innerHTML",
    "outerHTML",
    "insertAdjacentHTML",
    "document.write",
    "import(",
    "import.meta",
    "eval(",
)
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
        f"<title>{title}</title>\n<style>\n{read_module('style.css')}</style>\n</head>\n"
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
def read_module(path: str) -> str:
    """Return the text of a file of the viewer, by its path in the folder `web`."""
    return (files("hornbeam") / "display" / "web").joinpath(*path.split("/")).read_text(encoding="utf-8")


@cache
def _viewer() -> str:
    return joined()


def joined(modules: Mapping[str, str] | Reader = read_module, entry: str = ENTRY) -> str:
    r"""Return the modules that `entry` needs as one script, each after those it imports.

    >>> modules = {"a.js": "export const one = 1;\n", "main.js": "import {one} from './a.js';\nshow(one);\n"}
    >>> print(joined(modules))
    (() => {
    'use strict';
    const module_0 = (() => {
    const one = 1;
    return {one};
    })();
    const module_1 = (() => {
    const {one} = module_0;
    show(one);
    return {};
    })();
    })();
    <BLANKLINE>
    """
    read: Reader = modules.__getitem__ if isinstance(modules, Mapping) else modules
    places: dict[str, int] = {}
    pieces = ["(() => {", "'use strict';"]
    above: list[str] = []

    def visit(path: str) -> int:
        if path in above:
            raise ValueError(f"modules import each other in a circle: {' -> '.join([*above, path])}")
        if path not in places:
            above.append(path)
            body = _wrapped(path, read(path), visit)
            above.pop()
            places[path] = len(places)
            pieces.extend([f"const module_{places[path]} = (() => {{", *body, "})();"])
        return places[path]

    visit(entry)
    return "\n".join([*pieces, "})();", ""])


def _wrapped(path: str, text: str, visit: Callable[[str], int]) -> list[str]:
    """The lines of a module as the body of a function that returns its exports."""
    lines, exported = [], []
    for number, line in _code_lines(text):
        where = f"{path}, line {number}"
        _refuse_forbidden(where, line)
        imports, exports = _IMPORT.fullmatch(line), _EXPORT.match(line)
        if imports:
            names = ", ".join(name.replace(" as ", ": ") for name in imports[1].split(", "))
            lines.append(f"const {{{names}}} = module_{visit(_resolve(path, imports[2]))};")
        elif line.startswith(("import", "export")):
            if exports is None:
                raise ValueError(f"{where}: {line!r} is neither of the two forms of import and export")
            exported.append(exports[2])
            lines.append(line.removeprefix("export "))
        else:
            lines.append(line)
    return [*lines, f"return {{{', '.join(exported)}}};"]


def _code_lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines of a module with their numbers, without blank ones and comments on lines of their own."""
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        bare = line.strip()
        if not inside and (bare.startswith("//") or not bare):
            continue
        if inside or (bare.startswith("/**") and bare.find("*/") in (-1, len(bare) - 2)):
            inside = "*/" not in bare
            continue
        yield number, line


def _refuse_forbidden(where: str, line: str) -> None:
    bare = _INLINE.sub("", line)
    for word in _FORBIDDEN:
        if word in bare:
            raise ValueError(f"{where}: {word!r} is not used in the viewer")
    if re.search(r"</script|<!--", line, re.IGNORECASE):
        raise ValueError(f"{where}: would end the script of a page: write '<' + '/script'")


def _resolve(path: str, imported: str) -> str:
    """The path of a module imported from another one."""
    parts = path.split("/")[:-1]
    for part in imported.split("/"):
        if part == "..":
            if not parts:
                raise ValueError(f"{path} imports {imported!r} from outside the folder")
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


def static_form(tree: Tree) -> str:
    """Return the tree as nested lists, for where no script runs.

    >>> print(static_form(Tree.from_nested({"column": "x", "<=": 1, "yes": "a", "no": "b"})))
    <ul class="static"><li>x?<ul><li>≤ 1: a</li><li>&gt; 1: b</li></ul></li></ul>
    """
    nodes = NodeFacts(tree)
    listed = _listed_nodes(tree)
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


def _listed_nodes(tree: Tree) -> set[int]:
    """The nodes listed: families of siblings, those of most rows first."""
    if len(tree) <= _MOST_LISTED:
        return set(range(len(tree)))
    listed, front = {0}, [0]
    while front and len(listed) < _MOST_LISTED:
        front.sort(key=lambda node: (int(tree.n_rows[node]), -node))
        node = front.pop()
        listed.update(tree.children(node))
        front.extend(child for child in tree.children(node) if tree.kind[child] != LEAF)
    return listed


def mimebundle(tree: Tree) -> dict[str, str]:
    """Return what a notebook shows for a tree: text, and the viewer without anything that needs rows.

    >>> tree = Tree.from_nested({"column": "x", "<=": 1, "yes": "a", "no": "b"})
    >>> sorted(mimebundle(tree)), mimebundle(tree)["text/html"].startswith("<iframe sandbox")
    (['text/html', 'text/plain'], True)
    """
    text = show(tree, max_depth=_SHOWN_DEPTH)
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
        f' style="width:100%;height:{height}px;border:1px solid #8884;border-radius:6px"></iframe>'
        "<style>.hornbeam-static{display:none}</style>"
        f'<div class="hornbeam-static">{static}</div>'
    )
