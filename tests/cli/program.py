"""Running the command line: in this process (fast), as a process of its own, and in a pseudo-terminal."""

import io
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from hornbeam.cli import main

MODULE = [sys.executable, "-m", "hornbeam"]
SCRIPT = Path(sys.executable).with_name("hornbeam")
PLAIN = {
    "NO_COLOR": "",
    "FORCE_COLOR": "",
    "COLUMNS": "",
    "PYTHONIOENCODING": "utf-8",
    "TERM": "xterm-256color",
}


class Done(NamedTuple):
    """How a run ended."""

    code: int
    out: str
    err: str


def command() -> list[str]:
    """The installed script where there is one beside this Python, else the module."""
    return [str(SCRIPT)] if SCRIPT.exists() else MODULE


def environment(**extra: str) -> dict[str, str]:
    """The environment of this process without what changes the looks of an answer."""
    rest = {name: value for name, value in os.environ.items() if name not in PLAIN}
    return rest | {name: value for name, value in (PLAIN | extra).items() if value}


def process(*arguments: object, cwd: Path, stdin: bytes = b"", **extra: str) -> Done:
    """Run it as a process of its own."""
    done = subprocess.run(
        [*MODULE, *map(str, arguments)],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        env=environment(**extra),
        timeout=60,
        check=False,
    )
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


class Here:
    """Runs commands in this process, in one folder; made by the fixture `here`."""

    def __init__(self, capsys, monkeypatch, folder: Path) -> None:
        self.capsys, self.monkeypatch, self.folder = capsys, monkeypatch, folder
        monkeypatch.chdir(folder)
        for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
            monkeypatch.delenv(name, raising=False)

    def __call__(self, *arguments: object, stdin: bytes = b"") -> Done:
        self.monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        self.capsys.readouterr()
        code = main([str(one) for one in arguments])
        said = self.capsys.readouterr()
        return Done(code, said.out, said.err)

    def write(self, name: str, data: bytes | str) -> Path:
        """A file in the folder."""
        path = self.folder / name
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return path


def has_shell() -> bool:
    """Whether examples can be run as they are printed."""
    return shutil.which("bash") is not None
