"""The checksum of a saved file: a digit that changed on a disk, in a mail or by hand is noticed on loading.

One idea: the file is hashed as it would be without the one line that holds the checksum, so nothing is
parsed or written twice, and any tool can do the same:

    sed '/^ "checksum"/d' model.tree.json | sha256sum

Line ends of Windows count as those of other systems, since programs that move text files change them.
"""

from __future__ import annotations

import hashlib
from typing import Any

ENTRY = "checksum"
_METHOD = "sha256"
_HEAD = 3  # the bracket, the format and the version stand before it


def with_checksum(data: bytes) -> bytes:
    r"""The bytes of a new file with the line of its checksum, as its fourth.

    >>> with_checksum(b'{\n "format": "a",\n "version": 1,\n "b": 2\n}\n').splitlines()[3][:20]
    b' "checksum": "sha256'
    """
    place = 0
    for _ in range(_HEAD):
        place = data.index(b"\n", place) + 1
    line = _line(f"{_METHOD}:{hashlib.sha256(data).hexdigest()}")
    return b"".join((data[:place], line, data[place:]))


def check_checksum(data: bytes, document: dict[str, Any], *, edited: bool) -> None:
    """Take the checksum out of a document; refuse a file that does not match it, unless it may be edited.

    A file without one, as release 0.1 wrote them, is accepted.
    """
    if ENTRY not in document:
        return
    checksum = document.pop(ENTRY)
    if edited or (isinstance(checksum, str) and _matches(data, checksum)):
        return
    raise ValueError(
        "its content does not match its checksum, so it was changed or damaged after saving: take another"
        " copy, or accept a file that you edited by hb.load(path, edited=True) or hornbeam --edited COMMAND"
    )


def _matches(data: bytes, checksum: str) -> bool:
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
    line = _line(checksum)
    # Between quotes a quote has a backslash before it, so no text in the file looks like this line.
    before, separator, after = data.partition(line)
    content = hashlib.sha256(before)
    content.update(after)
    return bool(separator) and checksum == f"{_METHOD}:{content.hexdigest()}"


def _line(checksum: str) -> bytes:
    return f' "{ENTRY}": "{checksum}",\n'.encode()
