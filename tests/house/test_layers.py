"""The direction of dependence: the contracts of import-linter in pyproject.toml hold."""

import ast
import re
import tomllib
from importlib import import_module
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
    What `lazy_names` imports for other packages is in their tables, which the next test reads.
    """
    evading = []
    for path in sorted((ROOT / "src" / "hornbeam").rglob("*.py")):
        inside = path.relative_to(ROOT / "src")
        if inside.parts[1] in ("__init__.py", "__main__.py", "cli") or path.stem == "lazy_names":
            continue
        own = ".".join(inside.parent.parts) + "."
        tree = ast.parse(path.read_text(encoding="utf-8"))
        evading += [f"{inside} imports {name}" for name in imported_by_text(tree) if not name.startswith(own)]
        evading += [
            f"{inside} imports {name}" for name in imported_through_the_package(tree) if name != "_core"
        ]
    assert evading == []


def test_names_imported_when_used_come_from_the_same_room_or_one_below():
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = config["tool"]["importlinter"]["contracts"][0]["layers"]
    height = {room: -k for k, layer in enumerate(layers) for room in layer.split(" | ")}
    lazy = [
        path.parent
        for path in (ROOT / "src" / "hornbeam").rglob("*/__init__.py")
        if "import_when_used(__name__" in path.read_text(encoding="utf-8")
    ]
    assert {"display", "teaching"} <= {folder.name for folder in lazy}
    for folder in lazy:
        package = import_module(".".join(folder.relative_to(ROOT / "src").parts))
        things = [getattr(package, name) for name in package.__all__]
        homes = [getattr(thing, "__module__", None) or thing.__name__ for thing in things]
        rooms = {home.split(".")[1] for home in homes}
        assert max(height[room] for room in rooms) <= height[package.__name__.split(".")[1]], package


def test_no_two_headers_of_the_core_define_types_of_one_name() -> None:
    """Two types of one name in one namespace are undefined behaviour that no compiler reports."""
    defined = re.compile(r"^(?:struct|class|enum class) (\w+)(?: :[^:].*)? \{", re.MULTILINE)
    homes: dict[str, list[str]] = {}
    for header in sorted((ROOT / "cpp" / "hornbeam").rglob("*.hpp")):
        for name in defined.findall(header.read_text(encoding="utf-8")):
            homes.setdefault(name, []).append(header.name)
    assert len(homes) > 50
    assert {name: files for name, files in homes.items() if len(files) > 1} == {}
