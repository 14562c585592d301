"""The direction of dependence: the contracts of import-linter in pyproject.toml hold."""

from pathlib import Path

from importlinter.cli import EXIT_STATUS_SUCCESS, lint_imports


def test_no_module_imports_against_the_direction_of_dependence(monkeypatch, capsys):
    monkeypatch.chdir(Path(__file__).parents[1])
    status = lint_imports(config_filename="pyproject.toml", no_cache=True)
    assert status == EXIT_STATUS_SUCCESS, capsys.readouterr().out
