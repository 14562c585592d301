"""Everything the package writes, with the calls to the operating system counted or failing one by one."""

import contextlib
import errno
import io
import os
import stat
from functools import cache, partial

import hornbeam as hb
from hornbeam._base import atomic
from hornbeam.cli import main

OLD = b"what was there before"
TABLE = {"size": [1.5, 2.0, None, 4.0] * 4, "kind": ["a", "b", "a", "c"] * 4}


class DiskCalls:
    """`os` as `hornbeam._base.atomic` sees it: it notes the calls that change files, and one of them goes
    wrong."""

    NAMES = ("open", "chmod", "write", "fsync", "replace")

    def __init__(self, at=None, fault=None, refuse=None):
        self.at, self.fault, self.refuse = at, fault, refuse
        self.calls = []

    def __getattr__(self, name):
        return partial(self._call, name) if name in self.NAMES else getattr(os, name)

    def _call(self, name, *arguments):
        self.calls.append(name)
        if len(self.calls) - 1 == self.at:
            self.fault()
        if self.refuse is not None and self.refuse(name, arguments):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(arguments[0]))
        if name == "write" and self.calls.count("write") < 3:  # the system may write less than it is given
            return os.write(arguments[0], arguments[1][: 1 + len(arguments[1]) // 2])
        return getattr(os, name)(*arguments)


def failing(number):
    def fail():
        raise OSError(number, os.strerror(number))

    return fail


@cache
def model():
    return hb.TreeClassifier().fit({"size": [1.0, 2.0, 3.0, 4.0]}, ["small", "small", "large", "large"])


@cache
def report():
    return hb.report(model(), {"size": [1.0, 2.0, 3.0, 4.0]}, ["small", "small", "large", "large"])


@cache
def picture():
    return hb.draw(model())


class CommandFailed(Exception):  # noqa: N818 (what it says is tested)
    """How a command that ended with an error says so."""


def command(*arguments):
    """Run a command; what it says of a failure is the text of an exception."""
    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
        code = main([*map(str, arguments), "--quiet"])
    if code != 0:
        raise CommandFailed(said.getvalue().removeprefix("error: ").removesuffix("\n"))


def predict(path):
    inputs = path.parent.parent
    command("predict", inputs / "m.tree.json", inputs / "sizes.csv", "--batch", 5, "-o", path)


def export(path):
    command("export", path.parent.parent / "m.tree.json", "python", "-o", path)


def draw(path):
    command("draw", path.parent.parent / "m.tree.json", "-o", path)


def table(path):
    hb.write_table(TABLE, path)


WRITERS = {
    "m.tree.json": lambda path: hb.save(model(), path),
    "m.html": lambda path: report().to_html(path),
    "m.facts.json": lambda path: report().to_json(path),
    "m.svg": lambda path: picture().save(path),
    "m.png": lambda path: picture().save(path),
    "m.pdf": lambda path: picture().save(path),
    "m.drawn.svg": draw,
    "m.py": export,
    "t.names": table,
    "t.csv": table,
    "t.parquet": table,
    "t.feather": table,
    "t.arff": table,
    "t.jsonl": table,
    "t.xlsx": table,
    "rows.csv": predict,
    "rows.json": predict,
    "rows.parquet": predict,
    "rows.feather": predict,
    "rows.xlsx": predict,
}


def prepared(tmp_path):
    """An empty folder, so that whatever is in it later was written; what commands read is beside it."""
    hb.save(model(), tmp_path / "m.tree.json")
    (tmp_path / "sizes.csv").write_text("size\n" + "1\n3\n" * 8)
    (tmp_path / "written").mkdir()
    return tmp_path / "written"


def targets(path):
    return [path, path.with_suffix(".data")] if path.suffix == ".names" else [path]


def write_old(path):
    for target in targets(path):
        target.write_bytes(OLD)
        target.chmod(0o664)


def attempt(name, folder, monkeypatch, calls):
    """Write over old files with these calls: what was said of a failure, and what the files hold then."""
    path, said = folder / name, None
    write_old(path)
    with monkeypatch.context() as patched:
        patched.setattr(atomic, "os", calls)
        try:
            WRITERS[name](path)
        except (OSError, ValueError, CommandFailed) as error:
            said = str(error)
    assert sorted(folder.iterdir()) == sorted(targets(path)), "a temporary file is left"
    assert all(stat.S_IMODE(target.stat().st_mode) == 0o664 for target in targets(path))
    return said, [content_of(target) for target in targets(path)]


def content_of(path):
    """The bytes, of a workbook the cells: it holds the time of its making."""
    content = path.read_bytes()
    return content if path.suffix != ".xlsx" or content == OLD else hb.read_table(path).data.to_pydict()
