"""Every help page begins with three examples, and they work as printed."""

import importlib.util
import shlex

import click
import pytest
from tests.cli.program import command, environment, has_shell

import hornbeam as hb
from hornbeam.cli.app import COMMANDS, ROWS, SETTINGS, app
from hornbeam.studio.project import save_project
from hornbeam.studio.session import Session

PAGES = list(COMMANDS)


def page(*names):
    """The command of a page and its text."""
    found, ctx = app, click.Context(app, info_name="hornbeam", **SETTINGS)
    for name in names:
        found = found.get_command(ctx, name)
        ctx = click.Context(found, info_name=name, parent=ctx)
    return found, found.get_help(ctx)


def calculators():
    theory, _ = page("theory")
    return theory.list_commands(click.Context(theory, **SETTINGS))


@pytest.fixture
def studio_files(here, monkeypatch):
    """A project and a table for the examples that name them; a studio that ends when it could be reached."""
    save_project(Session.open("demo:tennis"), here.folder / "tennis.studio.json")
    hb.write_table(hb.read_table("demo:tennis").data, here.folder / "new.csv")
    monkeypatch.setattr("webbrowser.open", lambda url: None)
    if importlib.util.find_spec("uvicorn") is not None:
        from hornbeam.studio.server import StudioServer

        monkeypatch.setattr(StudioServer, "run", lambda self: self._socket.close())


@pytest.mark.parametrize("name", PAGES)
def test_the_examples_of_a_page_come_first_and_work_in_this_process(here, studio_files, name):
    if name == "studio" and importlib.util.find_spec("uvicorn") is None:
        pytest.skip("the extra studio is not installed")
    found, text = page(name)
    lines = text.splitlines()
    assert lines[0] == "Examples:"
    assert [line.strip() for line in lines[1:4]] == list(found.examples)
    assert len(found.examples) == 3
    for example in found.examples:
        words = shlex.split(example)
        assert words[0] == "hornbeam"
        done = here(*words[1:])
        assert done.code == 0, f"{example}: {done.err}"
        assert done.out or "-o" in words, example


@pytest.mark.parametrize("name", calculators())
def test_the_examples_of_a_calculator_work(here, name):
    found, text = page("theory", name)
    assert text.startswith("Examples:")
    assert len(found.examples) == 3
    for example in found.examples:
        done = here(*shlex.split(example)[1:])
        assert done.code == 0, f"{example}: {done.err}"
        assert done.out


@pytest.mark.slow
@pytest.mark.skipif(not has_shell(), reason="there is no bash to paste the examples into")
@pytest.mark.parametrize("name", ["explain"])
def test_examples_can_be_pasted_into_a_shell(tmp_path, name):
    import subprocess

    found, _ = page(name)
    script = "set -e\nhornbeam() { " + shlex.join(command()) + ' "$@"; }\n' + "\n".join(found.examples)
    done = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, env=environment(), capture_output=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr.decode()


def test_the_first_page_lists_every_command_and_imports_none(here):
    done = here("--help")
    assert done.code == 0
    assert len(done.out.splitlines()) <= 23  # a screen of 24 lines, with the prompt
    rows = dict(line.strip().split("  ", 1) for line in done.out.splitlines() if line.startswith("  "))
    assert sorted(name for names in rows for name in names.split(", ")) == sorted(COMMANDS)
    assert all(ROWS.get(names, COMMANDS.get(names)) == words.strip() for names, words in rows.items())


@pytest.mark.parametrize("name", PAGES)
def test_every_page_says_the_options_all_commands_have(name):
    found, text = page(name)
    if name == "theory":
        found, text = page(name, "work")
    for option in ("--color", "--quiet", "--verbose", "--debug", "--format", "--help"):
        assert option in text, f"{name} lacks {option}"
    for param in found.params:
        if isinstance(param, click.Option) and param.name != "help":
            assert param.help or name == "theory", f"{name}: {param.name} has no help"
