"""The modules of JavaScript in the package as one script.

The modules keep to two forms, `import {a, b as c} from './x.js';` and `export function`, `const` or `class`,
so that putting them into one script is a matter of lines: each module becomes a function that returns what it
exports, called in the order of dependence. Anything else is refused. The page of a report and the scripts of
`export("javascript")` are made so, and both predict with `web/predict.js`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files

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


@cache
def read_module(path: str) -> str:
    """Return the text of a file of the viewer, by its path in the folder `web`."""
    return (files("hornbeam") / "display" / "web").joinpath(*path.split("/")).read_text(encoding="utf-8")


def join_modules(read: Reader, entry: str) -> str:
    r"""Return the modules that `entry` needs as one script, each after those it imports.

    >>> modules = {"a.js": "export const one = 1;\n", "main.js": "import {one} from './a.js';\nshow(one);\n"}
    >>> print(join_modules(modules.__getitem__, "main.js"))
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


def module_lines(name: str, path: str, text: str) -> list[str]:
    r"""Return a module that imports nothing as the lines of a constant, an object of its exports.

    >>> print("\n".join(module_lines("numbers", "a.js", "export const one = 1;\n")))
    const numbers = (() => {
    const one = 1;
    return {one};
    })();
    """

    def visit(imported: str) -> int:
        raise ValueError(f"{path} imports {imported}, but must stand alone")

    return [f"const {name} = (() => {{", *_wrapped(path, text, visit), "})();"]


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
