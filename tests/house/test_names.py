"""Names: a class has one home, a file name occurs once, and no result is called `found`."""

import ast
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "hornbeam"
CPP_COMMENT_OR_TEXT = re.compile(r'"(?:\\.|[^"\\])*"|//.*')


@cache
def modules():
    """The path of each module, and all nodes of its syntax tree."""
    paths = sorted(PACKAGE.rglob("*.py"))
    return [
        (path.relative_to(PACKAGE), [*ast.walk(ast.parse(path.read_text(encoding="utf-8")))])
        for path in paths
    ]


def identifiers(nodes):
    for node in nodes:
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.arg | ast.keyword):
            yield node.arg
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name


def test_a_class_name_occurs_once_in_the_package():
    homes = defaultdict(list)
    for path, nodes in modules():
        for node in nodes:
            if isinstance(node, ast.ClassDef):
                homes[node.name].append(str(path))
    assert {name: where for name, where in homes.items() if len(where) > 1} == {}


def test_nothing_is_called_found():
    assert [
        str(path) for path, nodes in modules() if {"found", "_found", "Found"} & {*identifiers(nodes)}
    ] == []


def test_nothing_in_the_core_is_called_found():
    called = []
    for path in sorted((ROOT / "cpp").rglob("*.?pp")):
        code = CPP_COMMENT_OR_TEXT.sub("", path.read_text(encoding="utf-8"))
        if re.search(r"\b_?[fF]ound_?\b", code):
            called.append(str(path.relative_to(ROOT)))
    assert called == []


def test_nothing_in_the_pages_is_called_found():
    declared = re.compile(r"\b(?:const|let|function)\s+found\b|[({,:]\s*found\s*[,)}=]")
    pages = sorted(PACKAGE.rglob("*.js"))
    assert [str(path.relative_to(ROOT)) for path in pages if declared.search(path.read_text("utf-8"))] == []
    assert pages


def test_no_file_is_a_giant():
    folders = ("src", "tests", "benchmarks", "examples", "docs")
    files = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]
    files += sorted((ROOT / "cpp").rglob("*.?pp"))
    lengths = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8").count("\n") for path in files}
    assert {name: length for name, length in lengths.items() if length > 349} == {}
    assert len(lengths) > 800
