"""The direction of dependence: the contracts of import-linter in pyproject.toml hold."""

import ast
import re
from pathlib import Path

from importlinter.cli import EXIT_STATUS_SUCCESS, lint_imports

ROOT = Path(__file__).parents[2]


def test_no_module_imports_against_the_direction_of_dependence(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    status = lint_imports(config_filename="pyproject.toml", no_cache=True)
    assert status == EXIT_STATUS_SUCCESS, capsys.readouterr().out


def imported_by_text(tree: ast.AST) -> list[str]:
    """What a file imports by a text: the constant beginning of each argument of `import_module`."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "import_module":
            first = node.args[0].values[0] if isinstance(node.args[0], ast.JoinedStr) else node.args[0]
            found.append(str(first.value) if isinstance(first, ast.Constant) else "")
    return found


def imported_through_the_package(tree: ast.AST) -> list[str]:
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "hornbeam":
            found += [alias.name for alias in node.names]
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names if alias.name == "hornbeam"]
    return found


def test_no_room_evades_the_contract():
    """By a text a module imports its own folder only; through the package it imports the compiled core only.

    The package itself may reach everything, and so may the command line, which stands above all rooms.
    """
    evading = []
    for path in sorted((ROOT / "src" / "hornbeam").rglob("*.py")):
        inside = path.relative_to(ROOT / "src")
        if inside.parts[1] in ("__init__.py", "__main__.py", "cli"):
            continue
        own = ".".join(inside.parent.parts) + "."
        tree = ast.parse(path.read_text(encoding="utf-8"))
        evading += [f"{inside} imports {name}" for name in imported_by_text(tree) if not name.startswith(own)]
        evading += [
            f"{inside} imports {name}" for name in imported_through_the_package(tree) if name != "_core"
        ]
    assert evading == []


def test_no_two_headers_of_the_core_define_types_of_one_name() -> None:
    """Two types of one name in one namespace are undefined behaviour that no compiler reports."""
    defined = re.compile(r"^(?:struct|class|enum class) (\w+)(?: :[^:].*)? \{", re.MULTILINE)
    homes: dict[str, list[str]] = {}
    for header in sorted((ROOT / "cpp" / "hornbeam").rglob("*.hpp")):
        for name in defined.findall(header.read_text(encoding="utf-8")):
            homes.setdefault(name, []).append(header.name)
    assert len(homes) > 50
    assert {name: files for name, files in homes.items() if len(files) > 1} == {}
