"""Page: the modules of the viewer, its style and a document in one HTML file that asks nobody for anything.

One idea: the modules keep to two forms, `import {a, b as c} from './x.js';` and `export function`, `const` or
`class`, so that putting them into one script is a matter of lines: each module becomes a function that
returns what it exports, called in the order of dependence. Anything else is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

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


def page_of(document: Mapping[str, Any], static: str, *, mode: str = "report") -> str:
    """One HTML page with the document, its static form, and the viewer.

    >>> page = page_of({"title": "</script>"}, "<p>a tree</p>")
    >>> "<p>a tree</p>" in page, "</script>" in page.split("application/json")[1].split("<script>")[0][10:40]
    (True, False)
    """
    title = escape(str(document.get("title", "Decision tree")))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>\n{style()}</style>\n</head>\n"
        f'<body data-mode="{mode}">\n<div id="hornbeam"><main><h1>{title}</h1>{static}</main></div>\n'
        f'<script type="application/json" id="hornbeam-document">{data(document)}</script>\n'
        f"<script>\n{script()}</script>\n</body>\n</html>\n"
    )


def data(document: Mapping[str, Any]) -> str:
    r"""A document as JSON that no HTML reader takes for the end of a script.

    >>> data({"a": "</script><!--"})
    '{"a":"\\u003c/script>\\u003c!--"}'
    """
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


@cache
def style() -> str:
    """The style sheet."""
    return (files("hornbeam") / "display" / "web" / "style.css").read_text(encoding="utf-8")


@cache
def script() -> str:
    """The viewer as one script."""
    return joined()


def read_module(path: str) -> str:
    """The text of a module of the viewer, by its path in the folder `web`."""
    return (files("hornbeam") / "display" / "web").joinpath(*path.split("/")).read_text(encoding="utf-8")


def joined(modules: Mapping[str, str] | Reader = read_module, entry: str = ENTRY) -> str:
    r"""The modules that `entry` needs as one script, each after those it imports.

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
    for number, line in _code(text):
        where = f"{path}, line {number}"
        _refuse(where, line)
        found = _IMPORT.fullmatch(line)
        if found:
            names = ", ".join(name.replace(" as ", ": ") for name in found[1].split(", "))
            lines.append(f"const {{{names}}} = module_{visit(_beside(path, found[2]))};")
        elif line.startswith(("import", "export")):
            given = _EXPORT.match(line)
            if given is None:
                raise ValueError(f"{where}: {line!r} is neither of the two forms of import and export")
            exported.append(given[2])
            lines.append(line.removeprefix("export "))
        else:
            lines.append(line)
    return [*lines, f"return {{{', '.join(exported)}}};"]


def _code(text: str) -> Iterator[tuple[int, str]]:
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


def _refuse(where: str, line: str) -> None:
    bare = _INLINE.sub("", line)
    for word in _FORBIDDEN:
        if word in bare:
            raise ValueError(f"{where}: {word!r} is not used in the viewer")
    if re.search(r"</script|<!--", line, re.IGNORECASE):
        raise ValueError(f"{where}: would end the script of a page: write '<' + '/script'")


def _beside(path: str, wanted: str) -> str:
    """The path of a module imported from another one."""
    parts = path.split("/")[:-1]
    for part in wanted.split("/"):
        if part == "..":
            if not parts:
                raise ValueError(f"{path} imports {wanted!r} from outside the folder")
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)
