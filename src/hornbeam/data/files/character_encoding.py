"""Finding out how the characters of a text file are written.

One idea: a byte order mark says it; without one, bytes that are valid UTF-8 are UTF-8, and others are the
one-byte code of Western Europe, which is said in what was found.
"""

from __future__ import annotations

import codecs

from hornbeam.data.files.table_error import TableError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_NOT_IN_CP1252 = frozenset(b"\x81\x8d\x8f\x90\x9d")


def encoding_of(head: bytes, name: str, *, is_whole: bool = True) -> str:
    r"""The encoding of a text whose first bytes these are.

    >>> encoding_of("Plzeň".encode(), "a.csv"), encoding_of(b"caf\xe9", "a.csv")
    ('utf-8', 'cp1252')
    """
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return encoding
    if b"\0" in head:
        wide = _without_mark(head)
        if wide:
            return wide
        raise TableError(
            f"{name} holds bytes that are no text",
            "name its format if it is one of the binary ones (format=)",
        )
    return "utf-8" if is_utf8(head, is_whole=is_whole) else one_byte(head)


def is_utf8(data: bytes, *, is_whole: bool) -> bool:
    """Whether the bytes are UTF-8; a text that goes on may be cut within a character.

    >>> is_utf8("ň".encode()[:1], is_whole=False), is_utf8("ň".encode()[:1], is_whole=True)
    (True, False)
    """
    try:
        codecs.getincrementaldecoder("utf-8")().decode(data, is_whole)
    except UnicodeDecodeError:
        return False
    return True


def one_byte(data: bytes) -> str:
    """The one-byte code that can hold these bytes: that of Windows, or Latin-1 if it cannot."""
    return "latin-1" if _NOT_IN_CP1252.intersection(data) else "cp1252"


def decoded(data: bytes, encoding: str, name: str, *, is_whole: bool) -> str:
    """The text of the bytes, or a sentence if they are written otherwise.

    >>> decoded(b"a", "utf-8", "a.csv", is_whole=True)
    'a'
    """
    try:
        return codecs.getincrementaldecoder(encoding)().decode(data, is_whole)
    except UnicodeError:
        raise TableError(
            f"{name} is not written in {encoding}", "name another encoding (encoding=)"
        ) from None


def checked_encoding(encoding: str) -> str:
    """The encoding a user names, if there is one of that name.

    >>> checked_encoding("UTF8")
    'utf-8'
    """
    try:
        found = codecs.lookup(encoding)
        found.decode(b"")
    except (LookupError, TypeError, ValueError):
        raise TableError(
            f"encoding={encoding!r} is not known", "use a name such as 'utf-8', 'cp1252' or 'utf-16'"
        ) from None
    return found.name


def _without_mark(head: bytes) -> str:
    """UTF-16 without a mark: plain letters have a zero on one side."""
    pairs = head[: len(head) // 2 * 2]
    even, odd = pairs[0::2].count(0), pairs[1::2].count(0)
    enough = len(pairs) * 0.3
    if odd > enough and even == 0:
        return "utf-16-le"
    return "utf-16-be" if even > enough and odd == 0 else ""
