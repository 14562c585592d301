"""`hornbeam doctor`: what a bug report needs to say."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator
from importlib import metadata, util
from typing import Any

from hornbeam.cli.exit_codes import DONE, FAILED
from hornbeam.cli.options import make_command
from hornbeam.cli.tables import Answer, Header, print_answer
from hornbeam.cli.terminal import Messages, charset_of, wants_colour

NEEDED = ("numpy", "scipy", "scikit-learn", "narwhals", "pyarrow", "click")
# What an optional package is for; the key is its name in the package index.
EXTRAS = {
    "pandas": "data frames in and out",
    "polars": "data frames in and out",
    "matplotlib": "plots",
    "openpyxl": "Excel files",
    "starlette": "the studio",
    "uvicorn": "the studio",
    "onnx": "export to ONNX",
    "onnxruntime": "running exported ONNX",
    "shap": "comparison of attributions",
    "duckdb": "running exported SQL",
}


@make_command(
    "doctor", "hornbeam doctor", "hornbeam doctor --format json", "hornbeam doctor --format markdown"
)
def doctor_command(messages: Messages, form: str) -> int:
    """Versions, extras, processor and threads, to paste into a bug report.

    The exit code is 1 if something Hornbeam needs is missing.
    """
    data = _findings()
    headers = (Header("what", style="strong"), Header("version"), Header("note", style="dim"))
    rows = [dict(zip(("what", "version", "note"), row, strict=True)) for row in _rows(data)]
    print_answer(Answer("doctor/1", data, headers, rows), form)
    broken = [name for name, version in data["packages"].items() if version is None]
    broken += [] if data["core"] else ["the compiled core"]
    if broken:
        messages.warn(f"missing: {', '.join(broken)}; install hornbeam again")
        return FAILED
    messages.info(("✓ ", "good"), "everything needed is there")
    return DONE


def _rows(data: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """What, its version, and a note."""
    yield "hornbeam", data["hornbeam"], f"core {data['core'] or 'missing'}"
    yield "python", data["python"], data["platform"]
    yield "processor", data["instructions"] or "-", data["processor"]
    yield "threads", str(data["threads"]), "used unless --jobs says otherwise"
    yield "terminal", data["encoding"], f"colour {'on' if data['colour'] else 'off'}"
    for name, version in data["packages"].items():
        yield name, version or "missing", "needed"
    for name, version in data["extras"].items():
        yield name, version or "-", EXTRAS[name]


def _findings() -> dict[str, Any]:
    core: str | None
    instructions: str | None
    try:
        from hornbeam import _core

        core, instructions = _core.version(), _core.instructions()
    except ImportError:
        core, instructions = None, None
    return {
        "hornbeam": _version("hornbeam"),
        "core": core,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "processor": _processor(),
        "instructions": instructions,
        "threads": _threads(),
        "encoding": getattr(sys.stdout, "encoding", None) or "unknown",
        "charset": charset_of(sys.stdout),
        "colour": wants_colour(sys.stdout),
        "packages": {name: _version(name) for name in NEEDED},
        "extras": {name: _version(name) if util.find_spec(name) else None for name in EXTRAS},
    }


def _threads() -> int:
    """The threads of a growth: the cores of this process, or the share that its container has of them."""
    try:
        from hornbeam._base.parameters import n_threads
    except ImportError:  # what is missing stands in the table
        return os.cpu_count() or 1
    return n_threads(None)


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:  # noqa: PTH123 (no file of the user)
            for line in file:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
