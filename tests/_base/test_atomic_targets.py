"""What a file that is replaced keeps, and what is written directly: permissions, links, pipes, devices."""

import os
import stat
import struct
import threading
from pathlib import Path

import pytest
from tests.support.disk_calls import OLD, CommandFailed, command, model, prepared

import hornbeam as hb
from hornbeam._base.atomic import atomic_file, write_atomically

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions, links and signals")


@pytest.fixture
def folder(tmp_path):
    return prepared(tmp_path)


def test_errors_name_the_target_as_it_was_given(folder, monkeypatch):
    monkeypatch.chdir(folder)
    with pytest.raises(FileNotFoundError, match=r"No such file or directory: 'nowhere/m\.json'$"):
        hb.save(model(), "nowhere/m.json")
    (folder / "taken").mkdir()
    with pytest.raises(IsADirectoryError, match=r"Is a directory: 'taken'$"):
        hb.save(model(), "taken")
    with pytest.raises(CommandFailed, match=r"^'taken' is a folder, not a file$"):
        command("export", "../m.tree.json", "c", "-o", "taken")


def test_a_new_file_has_the_permissions_of_the_umask_and_an_old_one_keeps_its_own(folder):
    path = folder / "m.tree.json"
    usual = os.umask(0o027)
    try:
        hb.save(model(), path)
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        for mode in (0o600, 0o666, 0o755):
            path.chmod(mode)
            hb.save(model(), path)
            assert stat.S_IMODE(path.stat().st_mode) == mode
    finally:
        os.umask(usual)


def test_a_private_file_is_private_while_it_is_written(folder):
    path = folder / "secret.csv"
    path.touch(mode=0o600)
    with atomic_file(path) as file:
        file.write(b"secret")
        (temporary,) = (one for one in folder.iterdir() if one != path)
        assert stat.S_IMODE(temporary.stat().st_mode) == 0o600


@pytest.mark.skipif(getattr(os, "geteuid", int)() != 0, reason="only root may give files away")
def test_the_owner_of_a_file_is_kept(folder):
    path = hb.save(model(), folder / "m.tree.json")
    os.chown(path, 12345, 54321)
    hb.save(model(), path)
    assert (path.stat().st_uid, path.stat().st_gid) == (12345, 54321)


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="Linux only")
def test_an_access_list_is_kept(folder):
    path = hb.save(model(), folder / "m.tree.json")
    nobody = 0xFFFFFFFF
    entries = [(1, 6, nobody), (2, 4, 12345), (4, 0, nobody), (16, 4, nobody), (32, 0, nobody)]
    access = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)
    try:
        os.setxattr(path, "system.posix_acl_access", access)
    except OSError:
        pytest.skip("this disk keeps no access lists")
    hb.save(model(), path)
    assert os.getxattr(path, "system.posix_acl_access") == access


@pytest.mark.parametrize("exists", [True, False])
def test_a_link_stays_and_what_it_points_to_is_written(folder, exists):
    (folder / "store").mkdir()
    real, link, second = folder / "store" / "m.json", folder / "m.json", folder / "again.json"
    link.symlink_to(Path("store") / "m.json")
    second.symlink_to(link)
    if exists:
        real.write_bytes(OLD)
    hb.save(model(), second)
    assert second.readlink() == link
    assert link.readlink() == Path("store") / "m.json"
    assert not real.is_symlink()
    assert hb.load(real).tree_ == model().tree_
    assert {one.name for one in folder.rglob("*")} == {"store", "m.json", "again.json"}


def test_links_in_a_circle_are_refused(folder):
    (folder / "a").symlink_to("b")
    (folder / "b").symlink_to("a")
    with pytest.raises(OSError, match="Too many levels of symbolic links"):
        hb.save(model(), folder / "a")


def test_a_pipe_and_an_open_file_are_written_directly(folder):
    pipe, received = folder / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: received.append(pipe.read_bytes()))
    reader.start()
    write_atomically(pipe, "whole")
    reader.join()
    assert received == [b"whole"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    with (folder / "redirected").open("wb") as file:
        write_atomically(f"/dev/fd/{file.fileno()}", "whole")
        assert os.fstat(file.fileno()).st_size == 5  # that very file, which a shell may have opened
    write_atomically(os.devnull, "whole")
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)
