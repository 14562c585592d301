"""Every file is written whole or not at all, whichever call to the operating system fails."""

import ast
import errno
import os
from pathlib import Path

import pytest
from tests.support.disk_calls import (
    OLD,
    TABLE,
    WRITERS,
    CommandFailed,
    DiskCalls,
    attempt,
    command,
    content_of,
    failing,
    model,
    prepared,
    targets,
)

import hornbeam as hb
from hornbeam._base import atomic
from hornbeam.data.files import TableError

SOURCES = Path(hb.__file__).parent
pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions, links and signals")


@pytest.fixture
def folder(tmp_path):
    return prepared(tmp_path)


def held_after(k, calls, new):
    """What the files hold if the k-th call failed: the new content if their renaming came before it."""
    renamed = calls.calls[:k].count("replace")
    return [*new[:renamed], *[OLD] * (len(new) - renamed)]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO])
@pytest.mark.parametrize("name", WRITERS)
def test_whichever_call_fails_the_file_is_the_old_or_the_new_one(name, number, folder, monkeypatch):
    for ending, package in ((".xlsx", "openpyxl"), (".png", "matplotlib"), (".pdf", "matplotlib")):
        if name.endswith(ending):
            pytest.importorskip(package)
    calls = DiskCalls()
    said, new = attempt(name, folder, monkeypatch, calls)
    assert said is None
    assert OLD not in new
    assert calls.calls.count("replace") == len(new)
    assert calls.calls.count("write") >= 3
    for k in range(len(calls.calls)):
        said, content = attempt(name, folder, monkeypatch, DiskCalls(k, failing(number)))
        assert content == held_after(k, calls, new)
        if said is None:  # only that the folder itself cannot be opened is no failure
            assert calls.calls[k:] == ["open", "fsync"]
        else:
            assert "\n" not in said
            assert atomic.TEMPORARY not in said
            assert "the disk" in said or os.strerror(number) in said


def test_content_is_on_the_disk_before_the_name_changes_and_the_name_after(folder, monkeypatch):
    calls = DiskCalls()
    attempt("m.tree.json", folder, monkeypatch, calls)
    assert calls.calls[-5:] == ["write", "fsync", "replace", "open", "fsync"]


def test_both_files_of_c45_are_complete_before_either_is_replaced(folder, monkeypatch):
    calls = DiskCalls()
    attempt("t.names", folder, monkeypatch, calls)
    assert calls.calls[-4:] == ["replace", "replace", "open", "fsync"]
    assert calls.calls[:-4].count("fsync") == 2
    assert calls.calls[-5] == "fsync"


@pytest.mark.parametrize("name", ["m.tree.json", "t.names", "t.parquet"])
def test_an_interrupt_at_any_call_leaves_no_temporary_file(name, folder, monkeypatch):
    def interrupt():
        raise KeyboardInterrupt

    calls = DiskCalls()
    _, new = attempt(name, folder, monkeypatch, calls)
    for k in range(len(calls.calls)):
        with pytest.raises(KeyboardInterrupt):
            attempt(name, folder, monkeypatch, DiskCalls(k, interrupt))
        assert sorted(folder.iterdir()) == sorted(targets(folder / name))
        assert [content_of(target) for target in targets(folder / name)] == held_after(k, calls, new)


def test_an_error_at_closing_leaves_the_old_file(folder, monkeypatch):
    class ClosedBadly(atomic._File):
        def close(self):
            closed = self.closed
            super().close()
            if not closed:
                raise OSError(errno.EDQUOT, os.strerror(errno.EDQUOT))

    monkeypatch.setattr(atomic, "_File", ClosedBadly)
    path = folder / "m.tree.json"
    path.write_bytes(OLD)
    with pytest.raises(OSError, match=r"quota exceeded: .*m\.tree\.json"):
        hb.save(model(), path)
    assert path.read_bytes() == OLD
    assert list(folder.iterdir()) == [path]


def test_a_disk_that_is_really_full_leaves_the_old_file(folder):
    resource = pytest.importorskip("resource", reason="Windows has no limit for the size of a file")
    path = folder / "m.tree.json"
    size = hb.save(model(), path).stat().st_size
    path.write_bytes(OLD)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    for limit in (0, 1, size // 2, size - 1):
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
        try:
            with pytest.raises(OSError, match=r"File too large: .*m\.tree\.json"):
                hb.save(model(), path)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert path.read_bytes() == OLD
        assert list(folder.iterdir()) == [path]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_a_full_device_is_told_in_one_sentence(folder):
    with pytest.raises(OSError, match=r"No space left on device: '/dev/full'"):
        hb.save(model(), "/dev/full")
    with pytest.raises(TableError, match=r"^full cannot be written as csv: No space left on device;"):
        hb.write_table(TABLE, "/dev/full", format="csv")
    with pytest.raises(CommandFailed, match=r"^there is no space on the disk for the file '/dev/full': free"):
        command("export", folder.parent / "m.tree.json", "c", "-o", "/dev/full")


@pytest.mark.parametrize("name", ["m.tree.json", "m.py", "t.csv", "rows.csv"])
def test_where_no_new_file_can_be_made_the_old_one_is_not_overwritten_in_place(name, folder, monkeypatch):
    def refuse(call, arguments):
        return call == "open" and arguments[1] & os.O_CREAT

    said, content = attempt(name, folder, monkeypatch, DiskCalls(refuse=refuse))
    assert content == [OLD]
    assert f"no new file can be made in the folder of '{name}', and a file is never changed in place" in said
    assert "make the folder writable or write elsewhere" in said


def test_a_write_protected_file_is_not_replaced(folder, monkeypatch):
    path = folder / "m.tree.json"

    def refuse(call, arguments):
        return call == "open" and arguments[0] == path

    said, content = attempt("m.tree.json", folder, monkeypatch, DiskCalls(refuse=refuse))
    assert content == [OLD]
    assert said == f"[Errno 13] Permission denied: '{path}'"


def writes_files(call):
    """Whether a call, as Python has parsed it, makes or changes a file by itself."""
    function = call.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    if name in ("open", "OSFile", "GzipFile", "ZipFile"):
        given = [*call.args, *(keyword.value for keyword in call.keywords)]
        texts = [one.value for one in given if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        modes = [set(text) for text in texts if set(text) <= set("rwxabt+")]
        return any(mode & set("wxa+") for mode in modes) or "O_WRONLY" in ast.unparse(call)
    if name == "savefig":
        return ast.unparse(call.args[0]) != "file"
    if isinstance(function, ast.Attribute) and name in ("write_text", "write_bytes"):
        return True
    return (name in ("replace", "rename", "unlink") and ast.unparse(function).startswith("os.")) or name in (
        "mkstemp", "NamedTemporaryFile", "tofile", "savez", "to_csv", "to_parquet", "copyfile", "memory_map",
    )  # fmt: skip


def test_nothing_else_in_the_package_writes_files():
    direct = [
        f"{path.relative_to(SOURCES)}: {ast.unparse(node)}"
        for path in sorted(SOURCES.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and writes_files(node)
    ]
    allowed = (
        "_base/atomic.py: ",
        "cli/app.py: os.open(os.devnull, os.O_WRONLY)",
        "cli/app.py: formatter.write_text",
    )
    assert any(one.startswith("_base/atomic.py: os.replace") for one in direct)
    assert [one for one in direct if not one.startswith(allowed)] == []
