"""Portability: other compilers take the C++ sources, other machines the wheel."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import hornbeam
from hornbeam import _core

ROOT = Path(__file__).parents[2]
CORE = ROOT / "cpp"
# The one header, and the kernels in vectors that it lets g++ and clang++ compile; other compilers skip those.
WITH_BUILTINS = {"hornbeam/portable.hpp", "hornbeam/encode/cuts.cpp", "hornbeam/encode/code_lanes.hpp"}
BUILTIN = re.compile(
    r"__(?:builtin_|attribute__|int128|extension__|restrict|asm)|vector_size|\[\[gnu::|immintrin"
)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("clang++") is None, reason="clang++ is not installed")
def test_clang_compiles_every_source_without_a_warning():
    checked = subprocess.run(["make", "clang-check"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_only_one_header_uses_what_some_compilers_lack():
    sources = [
        path for path in CORE.rglob("*.[ch]pp") if path.relative_to(CORE).as_posix() not in WITH_BUILTINS
    ]
    assert len(sources) > 100
    assert [str(path) for path in sources if BUILTIN.search(path.read_text(encoding="utf-8"))] == []


def instructions_with(portable: str | None) -> str:
    """The kernels that a new process chooses, with HORNBEAM_PORTABLE set to this or not at all."""
    environment = {name: value for name, value in os.environ.items() if name != "HORNBEAM_PORTABLE"}
    code = "from hornbeam import _core; print(_core.instructions())"
    return subprocess.run(
        [sys.executable, "-c", code],
        env=environment | ({} if portable is None else {"HORNBEAM_PORTABLE": portable}),
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()


def test_the_environment_chooses_the_kernels():
    assert instructions_with("1") == "plain"
    assert instructions_with("vectors") in {"SSE2", "NEON", "vectors", "plain"}
    assert instructions_with(None) in {"AVX2", instructions_with("vectors")}


def test_wheels_are_configured_for_every_supported_python():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["tool"]["scikit-build"]["wheel"]["py-api"] == "cp312"
    builds = project["tool"]["cibuildwheel"]["build"]
    assert builds[:2] == ["cp311-*", "cp312-*"]  # the second serves all later versions
    assert re.fullmatch(r"cp3\d+t-\*", builds[2])  # free-threaded


@pytest.mark.skipif("HORNBEAM_TEST_WHEEL" not in os.environ, reason="`make wheel-check` runs it on the wheel")
def test_the_package_comes_from_the_wheel_and_nothing_here_can_compile():
    for program in ("c++", "g++", "gcc", "cc", "clang++", "cmake", "ninja"):
        assert shutil.which(program) is None
    for module in (hornbeam, _core):
        assert Path(str(module.__file__)).is_relative_to(sys.prefix)
