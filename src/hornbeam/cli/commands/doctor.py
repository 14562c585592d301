"""`hornbeam doctor`: what a bug report needs to say."""

from __future__ import annotations

import os
import platform
import sys
from importlib import metadata, util
from typing import Any

from hornbeam.cli.help_pages import command as make_command
from hornbeam.cli.output import Answer, formatted, give
from hornbeam.cli.terminal import Talk, charset_of, line_of, wants_colour
from hornbeam.cli.text_tables import Head

NEEDED = ("numpy", "scipy", "scikit-learn", "narwhals", "pyarrow", "click", "rich")
# What an optional package is for; the key is its name in the package index.
EXTRAS = {
    "pandas": "data frames in and out",
    "polars": "data frames in and out",
    "matplotlib": "plots",
    "openpyxl": "Excel files",
    "onnx": "export to ONNX",
    "onnxruntime": "running exported ONNX",
    "shap": "comparison of attributions",
    "duckdb": "running exported SQL",
}


@make_command(
    "doctor",
    "hornbeam doctor",
    "hornbeam doctor --format json",
    "hornbeam doctor --format markdown",
)
@formatted
def command(talk: Talk, form: str) -> int:
    """Versions, extras, processor and threads, to paste into a bug report.

    The exit code is 1 if something Hornbeam needs is missing.
    """
    data = _findings()
    rows = [
        {"what": "hornbeam", "version": data["hornbeam"], "note": f"core {data['core'] or 'missing'}"},
        {"what": "python", "version": data["python"], "note": data["platform"]},
        {"what": "processor", "version": data["processor"], "note": _kernels(data)},
        {"what": "threads", "version": str(data["threads"]), "note": "used unless --jobs says otherwise"},
        {
            "what": "terminal",
            "version": data["encoding"],
            "note": f"colour {'on' if data['colour'] else 'off'}",
        },
    ]
    for name, version in data["packages"].items():
        rows.append({"what": name, "version": version or "missing", "note": "needed"})
    for name, version in data["extras"].items():
        rows.append({"what": name, "version": version or "-", "note": EXTRAS[name]})
    heads = (Head("what", style="strong"), Head("version"), Head("note", style="dim"))
    give(Answer("doctor/1", data, heads, rows), form)
    broken = [name for name, version in data["packages"].items() if version is None]
    broken += [] if data["core"] else ["the compiled core"]
    if broken:
        talk.warn(f"missing: {', '.join(broken)}; install hornbeam again")
        return 1
    talk.say(line_of(sys.stderr, ("✓ ", "good"), "everything needed is there"))
    return 0


def _findings() -> dict[str, Any]:
    try:
        from hornbeam import _core

        core, avx2 = _core.version(), _core.uses_avx2()
    except ImportError:
        core, avx2 = None, False
    return {
        "hornbeam": _version("hornbeam"),
        "core": core,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "processor": _processor(),
        "avx2": avx2,
        "threads": _threads(),
        "encoding": getattr(sys.stdout, "encoding", None) or "unknown",
        "charset": charset_of(sys.stdout),
        "colour": wants_colour(sys.stdout),
        "packages": {name: _version(name) for name in NEEDED},
        "extras": {name: _version(name) if util.find_spec(name) else None for name in EXTRAS},
    }


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _threads() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:  # noqa: PTH123 (no file of the user)
            for line in file:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _kernels(data: dict[str, Any]) -> str:
    return "AVX2 kernels" if data["avx2"] else "portable kernels"
