"""Every name that documents, examples and docstrings mention can be reached in a new process."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
NAME = re.compile(r"(?<![\w./@-])(hb|hornbeam)\.([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)")
FILES = re.compile(r"\.(html|svg|json|cpp|hpp|py|pyi|toml|md|js)$")

# Follows each name from the package until something that is no module is reached.
RESOLVE = """
import sys
from importlib import import_module
from types import ModuleType

import hornbeam

for line in sys.stdin.read().splitlines():
    prefix, dotted = line.split(".", 1)
    if prefix == "hb" and dotted.split(".")[0] not in {*hornbeam.__all__, "__file__"}:
        print(line)
        continue
    thing = hornbeam
    for part in dotted.split("."):
        if not isinstance(thing, ModuleType):
            break
        try:
            thing = getattr(thing, part)
        except AttributeError:
            try:
                thing = import_module(f"{thing.__name__}.{part}")
            except ImportError:
                print(line)
                break
"""


def mentioned() -> dict[str, str]:
    """The names, and a file where each stands."""
    folders = ("docs", "examples", "benchmarks", "src/hornbeam")
    paths = [ROOT / "README.md", ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md"]
    paths += [path for folder in folders for path in sorted((ROOT / folder).rglob("*"))]
    return {
        match.group(): path.relative_to(ROOT).as_posix()
        for path in paths
        if path.suffix in (".md", ".py") and path.name != "upgrade-from-0.1.md"  # names what is gone
        for match in NAME.finditer(path.read_text(encoding="utf-8"))
        if not FILES.search(match.group())
    }


def test_every_name_in_documents_and_docstrings_can_be_reached():
    names = mentioned()
    assert {"hb.teaching.builddt", "hb.TreeClassifier", "hornbeam.parts"} <= {*names}
    run = subprocess.run(
        [sys.executable, "-c", RESOLVE], input="\n".join(names), capture_output=True, text=True, check=True
    )
    assert {name: names[name] for name in run.stdout.split()} == {}
