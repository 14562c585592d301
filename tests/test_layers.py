"""The direction of dependence: the contracts of import-linter in pyproject.toml hold."""

import re
from pathlib import Path

from importlinter.cli import EXIT_STATUS_SUCCESS, lint_imports

ROOT = Path(__file__).parents[1]


def test_no_module_imports_against_the_direction_of_dependence(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    status = lint_imports(config_filename="pyproject.toml", no_cache=True)
    assert status == EXIT_STATUS_SUCCESS, capsys.readouterr().out


def test_no_two_headers_of_the_core_define_types_of_one_name() -> None:
    """Two types of one name in one namespace are undefined behaviour that no compiler reports."""
    defined = re.compile(r"^(?:struct|class|enum class) (\w+)(?: :[^:].*)? \{", re.MULTILINE)
    homes: dict[str, list[str]] = {}
    for header in sorted((ROOT / "cpp" / "hornbeam").rglob("*.hpp")):
        for name in defined.findall(header.read_text(encoding="utf-8")):
            homes.setdefault(name, []).append(header.name)
    assert len(homes) > 50
    assert {name: files for name, files in homes.items() if len(files) > 1} == {}
