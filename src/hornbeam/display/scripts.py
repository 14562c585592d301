"""The modules of JavaScript in the package as one script, and what it needs to predict.

The modules keep to two forms, `import {a, b as c} from './x.js';` and `export function`, `const` or `class`,
so that putting them into one script is a matter of lines: each module becomes a function that returns what it
exports, called in the order of dependence. Anything else is refused. The page of a report and the scripts of
`export("javascript")` are made so, and both predict with `web/predict.js`. It reads the document of a tree,
which has the branches to follow; what leaves answer, alone and together, depends on priors, costs and
smoothing, and is computed here once, for all nodes: a page also shows the tree pruned.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from hornbeam.tree.answer_rule import joint_decision
from hornbeam.tree.arrays import EXPRESSION
from hornbeam.tree.dicts import array_to_list
from hornbeam.tree.expressions.formulas import FormulaPart
from hornbeam.tree.expressions.language import formula_of
from hornbeam.tree.routing import branch_shares
from hornbeam.tree.tree import Tree

Reader = Callable[[str], str]

_IMPORT = re.compile(
    r"import \{ ?([\w$]+(?: as [\w$]+)?(?:, [\w$]+(?: as [\w$]+)?)*) ?\} from '(\.{1,2}/[\w./-]+\.js)';"
)
_EXPORT = re.compile(r"export ((?:async )?function\*?|const|class) ([\w$]+)")


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
        imports, exports = _IMPORT.fullmatch(line), _EXPORT.match(line)
        if imports:
            names = ", ".join(name.replace(" as ", ": ") for name in imports[1].split(", "))
            lines.append(f"const {{{names}}} = module_{visit(_module_path(path, imports[2]))};")
        elif line.startswith(("import", "export")):
            if exports is None:
                raise ValueError(f"{where}: {line!r} is neither of the two forms of import and export")
            exported.append(exports[2])
            lines.append(line.removeprefix("export "))
        else:
            lines.append(line)
    return [*lines, f"return {{{', '.join(exported)}}};"]


def _module_path(path: str, imported: str) -> str:
    """The path of a module imported from another one."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), imported))


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


# --- what a script needs to predict -------------------------------------------------------------------------


def node_answers(tree: Tree) -> dict[str, Any]:
    """Return the answers of every node, how several leaves are weighed, and the formulas of expressions.

    >>> tree = Tree.from_nested({"column": "x", "<=": 1.5, "yes": {"counts": {"a": 3}},
    ...                          "no": {"counts": {"b": 1}}})
    >>> node_answers(tree)["share"], node_answers(tree)["decision"]
    ([1.0, 0.75, 0.25], 'heaviest')
    """
    facts: dict[str, Any] = {
        "alone": array_to_list(tree.answers()),
        "weight": array_to_list(tree.weight),
        "share": array_to_list(branch_shares(tree)),
        "formulas": {
            str(node): formula_to_list(formula_of(tree, node))
            for node in np.flatnonzero(tree.kind == EXPRESSION).tolist()
        },
    }
    if tree.classes is not None:
        facts["decision"], costs, costs_at_nodes = joint_decision(tree)
        if costs_at_nodes is not None:
            facts["each"] = array_to_list(costs_at_nodes)
        if costs is not None:
            facts["costs"] = array_to_list(costs)
    return facts


def formula_to_list(formula: FormulaPart) -> list[Any]:
    """Return a formula as nested lists, the operator first; codes of categories become a table of 0 and 1.

    >>> tree = Tree.from_nested({"expression": "x + 1 > z", "yes": "a", "no": "b"})
    >>> formula_to_list(formula_of(tree, 0))
    ['Gt', ['Add', ['column', 0], ['number', 1.0]], ['column', 1]]
    """
    value = formula.value
    if formula.kind == "among":
        value = [value[0], sorted(value[1])]
    elif formula.kind == "alike":
        value = [value[0], value[1], list(value[2])]
    parts = [value] if value is not None else map(formula_to_list, formula.parts)
    return [formula.kind, *parts]
