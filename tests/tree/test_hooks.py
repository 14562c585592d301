"""The hooks of the tree room: what a Tree needs from rooms above it is imported when it is used."""

import subprocess
import sys

import pytest

import hornbeam as hb
from hornbeam.tree.hooks import HOOKS, Hooks, open_model

TREE = hb.Tree.from_nested({"column": "width", "<=": 0.8, "yes": "small", "no": "large"})


@pytest.mark.parametrize("name", sorted(Hooks.__annotations__))
def test_importing_the_package_fills_every_hook(name):
    assert callable(getattr(HOOKS, name))


def test_the_text_of_a_tree_is_what_show_gives():
    assert str(TREE) == hb.show(TREE)


def test_a_notebook_gets_a_page_and_the_text():
    shown = TREE._repr_mimebundle_()
    assert shown["text/plain"] == hb.show(TREE)
    assert shown["text/html"].startswith("<iframe")


def test_a_path_stands_for_the_model_in_the_file(tmp_path):
    path = tmp_path / "width.tree.json"
    hb.save(TREE, path)
    assert open_model(path) == TREE
    assert hb.show(str(path)) == hb.show(TREE)


def test_a_tree_prints_itself_where_only_its_own_module_was_imported():
    code = (
        "import sys; from hornbeam.tree.tree import Tree;"
        " print('hornbeam.reading' in sys.modules);"
        " print(Tree.from_nested({'column': 'x', '<=': 1, 'yes': 'a', 'no': 'b'}))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    before, *lines = run.stdout.splitlines()
    assert before == "False"
    assert any("x" in line for line in lines)
