"""The one writer of files: a file is replaced by a complete new one, or stays as it was.

One idea: the new content goes to a temporary file in the folder of the target, is forced to the disk, and
takes the target's name in one step of the operating system. Whoever reads the name, also after a crash, a
full disk or Ctrl-C, finds the old file or the new one, whole.

The new file has the permissions of the one it replaces. A symbolic link stays, and what it points to is
replaced; a second hard link keeps the old content. What is no regular file (a pipe, a terminal, /dev/null,
/dev/stdout) is written directly; `is_stream` tells such paths, whose bytes can be read only once. Every write
goes through `os`, so that tests can let each call fail in turn.
"""

from __future__ import annotations

import errno
import io
import mmap
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from hornbeam._base.parameters import as_path

TEMPORARY = ".hornbeam-"  # how the names of temporary files begin; only a killed process leaves one behind
_BINARY: int = getattr(os, "O_BINARY", 0)  # Windows would change line ends
_BUFFER = 1 << 16
_LINKS = 40  # as many as Linux follows
_DESCRIPTORS = ("/proc/", "/dev/fd")  # links there lead to what a process has opened, not to a name
_CANNOT_SYNC = {errno.EINVAL, errno.ENOTSUP, errno.ENOSYS}  # some network folders and devices


@contextmanager
def atomic_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A binary file whose content replaces the file at `path` when the block ends without an error.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with atomic_file(Path(folder) / "a.txt") as file:
    ...         _ = file.write(b"whole")
    ...     (Path(folder) / "a.txt").read_text()
    'whole'
    """
    with atomic_files(path) as (file,):
        yield file


@contextmanager
def atomic_files(*paths: str | os.PathLike[str]) -> Iterator[list[BinaryIO]]:
    """The same for files that belong together: all are complete on the disk before the first is replaced.

    Their names are then changed one after the other, in the order given; no system changes two at once.
    """
    with ExitStack() as stack:
        outputs = [stack.enter_context(_Output(path)) for path in paths]
        yield [output.file for output in outputs]
        for output in outputs:
            output.complete()
        for output in outputs:
            output.replace()
        for folder in dict.fromkeys(output.folder for output in outputs if output.temporary is not None):
            _sync_folder(folder)


def write_atomically(path: str | os.PathLike[str], data: bytes | str) -> Path:
    """Replace the file at `path` by one that holds `data`; text is written in UTF-8."""
    content = data.encode("utf-8") if isinstance(data, str) else data
    with atomic_file(path) as file:
        file.write(content)
    return Path(path)


@contextmanager
def scratch_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A new file that nobody else reads and nobody needs after a crash: a cache, in a folder of its own.

    It is written where it stays and not forced to the disk; if the block fails, it goes.
    """
    target = Path(path)
    with _naming(target):
        descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o600)
    try:
        with io.BufferedWriter(_File(descriptor, target), _BUFFER) as file:
            yield file
    except BaseException:
        with suppress(OSError):
            os.unlink(target)
        raise


def scratch_memory(path: str | os.PathLike[str]) -> mmap.mmap:
    """A scratch file as memory that may be changed in place; the file itself is no longer open."""
    with Path(path).open("r+b") as file:
        return mmap.mmap(file.fileno(), 0)


class _File(io.FileIO):
    """A file whose errors name the target, never the temporary file."""

    def __init__(self, descriptor: int, target: Path) -> None:
        super().__init__(descriptor, "wb")
        self.target = target

    def write(self, data: Any) -> int:
        with _naming(self.target):
            return os.write(self.fileno(), data)


class _Output:
    """One target on its way: opened, complete, replaced; whatever fails, the temporary file goes."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.target, in_place = _follow_links(as_path(path))
        self.folder = self.target.parent
        self.old = _status(self.target)
        if self.old is not None and stat.S_ISDIR(self.old.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(self.target))
        in_place = in_place or (self.old is not None and not stat.S_ISREG(self.old.st_mode))
        if self.old is not None and not in_place:
            # A rename needs no permission for the file itself, but a write-protected file is meant to stay.
            os.close(os.open(self.target, os.O_WRONLY | _BINARY))
        # The name is known before the file exists, so that an interrupt at any moment can remove it.
        self.temporary = None if in_place else self.folder / f"{TEMPORARY}{secrets.token_hex(8)}.tmp"

    def __enter__(self) -> _Output:
        try:
            raw = _File(self._open(), self.target)
            self.file = io.BufferedWriter(raw, _BUFFER)
            self._take_permissions()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if hasattr(self, "file"):
            with suppress(OSError):  # the error that led here is the one to be told
                self.file.close()
        if self.temporary is not None:
            with suppress(OSError):
                os.unlink(self.temporary)

    def complete(self) -> None:
        """Force all content to the disk and close the file."""
        with _naming(self.target):
            self.file.flush()
            if self.temporary is not None:
                _sync(self.file.fileno())
            self.file.close()

    def replace(self) -> None:
        """Give the new file the name of the old one."""
        if self.temporary is not None:
            with _naming(self.target):
                os.replace(self.temporary, self.target)

    def _open(self) -> int:
        if self.temporary is None:
            return os.open(self.target, os.O_WRONLY | os.O_TRUNC | _BINARY)
        # A file that replaces another belongs to nobody else until it has the other's permissions; a new one
        # has the usual permissions, which the system takes from the umask.
        mode = 0o666 if self.old is None else stat.S_IMODE(self.old.st_mode) & 0o700
        try:
            with _naming(self.target):
                return os.open(self.temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, mode)
        except PermissionError:
            if self.old is None:
                raise
            refusal = PermissionError(
                f"no new file can be made in the folder of {self.target.name!r}, and a file is never changed"
                " in place: make the folder writable or write elsewhere"
            )
            refusal.errno = errno.EACCES
            raise refusal from None

    def _take_permissions(self) -> None:
        """Owner, group, access list and mode of the old file, as far as this user may give them."""
        if self.old is None or self.temporary is None:
            return
        new = os.stat(self.temporary)
        if hasattr(os, "chown") and (new.st_uid, new.st_gid) != (self.old.st_uid, self.old.st_gid):
            try:
                os.chown(self.temporary, self.old.st_uid, self.old.st_gid)
            except OSError:
                with suppress(OSError):
                    os.chown(self.temporary, -1, self.old.st_gid)
        if hasattr(os, "getxattr"):
            with suppress(OSError):  # without the list, the mode of such a file would give its group too much
                access = os.getxattr(self.target, "system.posix_acl_access")
                os.setxattr(self.temporary, "system.posix_acl_access", access)
        mode = stat.S_IMODE(self.old.st_mode)
        if stat.S_IMODE(os.stat(self.temporary).st_mode) != mode:
            with _naming(self.target):
                os.chmod(self.temporary, mode)


def _follow_links(path: Path) -> tuple[Path, bool]:
    """What the links of a path lead to, and whether that is something opened by a process: /dev/stdout."""
    target = path
    for _ in range(_LINKS):
        if os.path.realpath(target.parent).startswith(_DESCRIPTORS):
            return path, True
        if not os.path.islink(target):
            return target, False
        target = target.parent / os.readlink(target)
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), os.fspath(path))


def _status(target: Path) -> os.stat_result | None:
    try:
        return os.stat(target)
    except FileNotFoundError:
        return None


@contextmanager
def _naming(target: Path) -> Iterator[None]:
    """Errors of the operating system with the name of the target."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, os.fspath(target)) from None


def _sync(descriptor: int) -> None:
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _CANNOT_SYNC:
            raise


def _sync_folder(folder: Path) -> None:
    """Force the new name to the disk, where a folder can be opened at all: not so on Windows."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        with _naming(folder):
            _sync(descriptor)
    finally:
        os.close(descriptor)


def is_stream(path: Path) -> bool:
    """Whether a path names something that can be read only once: a pipe, a terminal, another device.

    >>> is_stream(Path("/dev/null")), is_stream(Path("there is no such file"))
    (True, False)
    """
    try:
        kind = path.stat().st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(kind) or stat.S_ISDIR(kind))


def shown_name(path: Path) -> str:
    """What a file is called in a sentence: its name; a number of the system's with its folder.

    >>> shown_name(Path("tables/a.csv")), shown_name(Path("/dev/fd/63"))
    ('a.csv', '/dev/fd/63')
    """
    return str(path) if path.parts[1:2] in (("dev",), ("proc",)) else path.name
