"""The package as a whole: one version, types shipped, every module importable, no path of a machine."""

import importlib
import importlib.util
import os
import pkgutil
import re
import subprocess
import sys
import tomllib
from importlib import resources
from pathlib import Path

import pytest

import hornbeam
from hornbeam import _core

ROOT = Path(__file__).parents[2]
MADE_HERE = re.compile(r"\.venv.*|build|dist|__pycache__|\.git|\.hypothesis|\..*_cache")
MACHINE_PATH = re.compile(r"(?<![\w.)}~-])/(?:home|Users|root|work|mnt|srv)/\w|[A-Z]:\\Users\\")
SERVING = ("api", "security", "server", "teach_api")  # modules of the studio that need its extra
LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)[^)]*\)")


def project_files() -> list[Path]:
    """Every text file of the project, without what is made by building and testing."""
    found = []
    for folder, subfolders, names in os.walk(ROOT):
        subfolders[:] = [name for name in subfolders if not MADE_HERE.fullmatch(name)]
        found += [Path(folder, name) for name in names if not name.endswith((".so", ".pyc", ".png", ".git"))]
    return found


def public_modules() -> list[str]:
    walked = pkgutil.walk_packages(hornbeam.__path__, prefix="hornbeam.")
    return [info.name for info in walked]


def test_the_version_is_the_same_everywhere():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert hornbeam.__version__ == project["version"]
    assert _core.version() == project["version"]
    assert f"\nversion: {project['version']}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"## [{project['version']}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_lower_bounds_are_the_versions_tested_as_oldest():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pinned = (ROOT / "requirements" / "oldest.txt").read_text(encoding="utf-8").splitlines()
    for requirement in project["dependencies"]:
        assert requirement.replace(">=", "==") in pinned


def test_types_are_shipped():
    package = resources.files("hornbeam")
    assert package.joinpath("py.typed").is_file()
    assert package.joinpath("_core.pyi").is_file()


def importable_modules():
    """The public modules; without those that serve the studio where what they serve with is not installed."""
    names = public_modules()
    if importlib.util.find_spec("starlette") is not None and importlib.util.find_spec("uvicorn") is not None:
        return names
    return [name for name in names if name.split(".")[1:] not in (["studio", each] for each in SERVING)]


def test_every_module_imports():
    names = importable_modules()
    assert names
    for name in names:
        importlib.import_module(name)


def test_every_public_name_exists():
    for name in ["hornbeam", *importable_modules()]:
        module = importlib.import_module(name)
        for public in getattr(module, "__all__", ()):
            assert hasattr(module, public), f"{name}.__all__ names {public}, which is not there"


def test_no_file_holds_a_path_of_a_machine():
    for path in project_files():
        found = MACHINE_PATH.search(path.read_text(encoding="utf-8", errors="replace"))
        assert not found, f"{path.relative_to(ROOT)} holds {found.group()!r}"


@pytest.mark.parametrize("text", ["see /{}/someone", "open('/{}/data.csv')"])
def test_a_path_of_a_machine_is_recognised(text):
    assert MACHINE_PATH.search(text.format("home"))
    assert not MACHINE_PATH.search(text.format("usr"))


def test_links_between_the_documents_lead_to_files_of_the_project():
    for path in project_files():
        if path.suffix != ".md":
            continue
        for target in LINK.findall(path.read_text(encoding="utf-8")):
            reached = (path.parent / target).resolve()
            assert reached.is_relative_to(ROOT), (
                f"{path.relative_to(ROOT)} links outside the project: {target}"
            )
            assert reached.exists(), f"{path.relative_to(ROOT)} links to nothing: {target}"


@pytest.mark.parametrize("package", [hornbeam, hornbeam.teaching])
def test_the_types_of_the_public_names_are_those_of_the_names_imported_when_used(package):
    stub = Path(package.__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    imports = re.findall(r"^from hornbeam\.?([\w.]*) import (\w+) as \2$", stub, re.M)
    homes = {name: home for home, name in imports}
    assert {name: homes[name] for name in package._HOMES} == package._HOMES
    assert {name: f"{homes[name]}.{name}".strip(".") for name in package._MODULES} == package._MODULES
    assert {*package.__all__} - {"__version__"} == {*homes}


def test_importing_the_package_does_not_wait_for_what_learning_needs():
    code = "import sys, hornbeam; hornbeam.__version__; print(*{'numpy', 'sklearn'} & {*sys.modules})"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == []


def test_a_name_the_package_does_not_have_is_an_attribute_error():
    with pytest.raises(AttributeError, match="has no attribute 'treee'"):
        _ = hornbeam.treee
