"""Load: read the model or tree that a file was saved from; refuse a file with anything else in it.

One idea: four steps, each stricter than the last: JSON as the standard has it (no NaN, no number beyond a
double, no key twice), the checksum of the content, lists that become arrays of the right types, and the rules
that make arrays a tree, which every Tree obeys.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from hornbeam import _core
from hornbeam._base.json_depth import MOST, too_deep
from hornbeam._base.parameters import as_path
from hornbeam.tree.arrays import KINDS
from hornbeam.tree.dicts import FORMAT, VERSION, VERSIONS
from hornbeam.tree.json_values import JsonArray
from hornbeam.tree.tree import Tree

T = TypeVar("T")

FOREST_FORMAT = "hornbeam-forest"
_MOST_DIGITS = 400
_MOST_LETTERS = 1000  # of a sentence that quotes the file
_FAULTS = (ValueError, TypeError, KeyError, IndexError, AttributeError, ArithmeticError, RecursionError)


def load(path: Any, *, edited: bool = False) -> Any:
    """Read what `save` wrote: a fitted model (a forest or a density, too), or a Tree.

    Nothing in the file is executed. A file that is not what `save` writes, by accident or by design, is
    refused with a sentence that names the file and the fault; so is one whose content does not match the
    checksum that `save` wrote.

    Parameters
    ----------
    path : str or path
    edited : bool
        Whether to accept a file that was changed after it was saved. All other checks are made as always;
        saving the model again gives it a new checksum.

    Returns
    -------
    A fitted estimator that predicts as the saved one did, or the equal Tree.

    Examples
    --------
    >>> import hornbeam as hb, tempfile, pathlib
    >>> tree = hb.Tree.from_nested({"column": "width", "<=": 0.1, "yes": "a", "no": "b"})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     hb.load(hb.save(tree, pathlib.Path(folder) / "by-hand.tree.json")) == tree
    True
    """
    path = as_path(path)
    return read(path.read_bytes(), path.name, edited=edited)


def load_tree(path: Any, *, edited: bool = False) -> Tree:
    """Read only the Tree of a file that `save` wrote, whatever estimator learned it.

    Nothing that learns is imported for it, so it is quicker than `load`.

    Examples
    --------
    >>> import hornbeam as hb, tempfile, pathlib
    >>> model = hb.TreeClassifier().fit({"width": [1, 2, 3]}, ["a", "a", "b"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     load_tree(hb.save(model, pathlib.Path(folder) / "model.tree.json")) == model.tree_
    True
    """
    return _guarded(partial(_tree_of, edited=edited), (path := as_path(path)).read_bytes(), path.name)


def read(data: bytes, name: str, *, edited: bool = False) -> Any:
    """What the bytes of a file hold; `name` is the file's in the sentence of an error."""
    return _guarded(partial(_read, edited=edited), data, name)


def _guarded(parse: Callable[[bytes], T], data: bytes, name: str) -> T:
    try:
        return parse(data)
    except _FAULTS as fault:
        said = " ".join(str(fault).split()) or type(fault).__name__
        said = said if len(said) <= _MOST_LETTERS else f"{said[:_MOST_LETTERS]}..."
        raise ValueError(f"{name} cannot be loaded: {said}") from None


def _read(data: bytes, *, edited: bool) -> Any:
    plain = _document(data, edited=edited)
    if plain["format"] == FOREST_FORMAT:
        from hornbeam.io.forest_file import plain_to_forest  # here: a Tree is read without what learns

        return plain_to_forest(plain)
    model = plain.pop("estimator", None)
    tree = Tree.from_dict(plain)
    if model is None:
        return tree
    from hornbeam.io.model_file import plain_to_model  # here: a Tree is read without what learns

    return plain_to_model(model, tree)


def _tree_of(data: bytes, *, edited: bool) -> Tree:
    plain = _document(data, edited=edited)
    if plain["format"] == FOREST_FORMAT:
        raise ValueError(
            "it holds a forest, and one tree is needed: take one of its trees, as"
            " hb.save(hb.load(path).trees_[0], other)"
        )
    plain.pop("estimator", None)
    return Tree.from_dict(plain)


def _document(data: bytes, *, edited: bool) -> dict[str, Any]:
    """The JSON of a file whose format and version this release reads, and whose content is as saved."""
    plain = parsed(data)
    kind = plain.get("format") if isinstance(plain, dict) else None
    if kind not in (FORMAT, FOREST_FORMAT):
        raise ValueError(
            f"it is no tree of Hornbeam, which begins with 'format': {FORMAT!r}, nor a forest, which begins"
            f" with 'format': {FOREST_FORMAT!r}"
        )
    document: dict[str, Any] = plain
    if type(document.get("version")) is not int or document["version"] not in VERSIONS:
        raise ValueError(
            f"it has version {document.get('version')!r}, and this release reads versions 1 to {VERSION}: use"
            " the release of Hornbeam that wrote it, or a later one"
        )
    check_checksum(data, document, edited=edited)
    return document


def parsed(data: bytes) -> Any:
    """JSON as the standard has it, with exact numbers; of arrays the core has read the rest is parsed."""
    rest, arrays = _core.take_arrays_out(data, list(KINDS))
    try:
        text = rest.decode("utf-8")
    except UnicodeDecodeError as fault:
        raise ValueError(f"it is not UTF-8 text (byte {_place(fault.start, arrays)})") from None
    if too_deep(rest) is not None:
        raise ValueError(f"its values are nested more than {MOST} deep")
    view = memoryview(data)
    taken = (JsonArray(values, view[start:end]) for start, end, values in arrays)
    try:
        return json.loads(
            text,
            parse_float=_double,
            parse_int=_whole,
            parse_constant=lambda word: next(taken, None) or _no_constant(word),
            object_pairs_hook=_no_key_twice,
        )
    except json.JSONDecodeError as fault:
        place = _place(len(text[: fault.pos].encode()), arrays)
        line = data.count(b"\n", 0, place) + 1
        column = len(data[data.rfind(b"\n", 0, place) + 1 : place].decode()) + 1
        raise ValueError(
            f"it is not JSON, or cut short: {fault.msg} in line {line}, column {column}"
        ) from None


def _place(place: int, arrays: list[tuple[int, int, Any]]) -> int:
    """Where a byte of the rest stands in the file: each array of the file is three letters of the rest."""
    for start, end, _ in arrays:
        if place <= start:
            break
        place += end - start - len("NaN")
    return place


def _double(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise ValueError(f"the number {digits[:40]} is beyond a double")
    return value


def _whole(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise ValueError(
            f"a whole number of {len(digits)} digits is too long: at most {_MOST_DIGITS} are read"
        )
    return int(digits)


def _no_constant(word: str) -> Any:
    raise ValueError(f"{word} is no JSON: a missing number is null, infinities are 'inf' and '-inf'")


def _no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    entries = dict(pairs)
    if len(entries) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the entry {twice[:60]!r} is there twice")
    return entries


# ---- the checksum ---------------------------------------------------------------------------------------
#
# A digit that changed on a disk, in a mail or by hand is noticed on loading. The file is hashed as it would
# be without the one line that holds the checksum, so nothing is parsed or written twice, and any tool can do
# the same:
#
#     sed '/^ "checksum"/d' model.tree.json | sha256sum
#
# Line ends of Windows count as those of other systems, since programs that move text files change them.


ENTRY = "checksum"
_METHOD = "sha256"
_HEAD = 3  # the bracket, the format and the version stand before it


def with_checksum(blocks: list[bytes]) -> list[bytes]:
    r"""The blocks of a new file with the line of its checksum, as its fourth; the head is in the first block.

    >>> with_checksum([b'{\n "format": "a",\n "version": 1,\n "b": 2\n}\n'])[1][:20]
    b' "checksum": "sha256'
    """
    place, content = 0, hashlib.sha256()
    for _ in range(_HEAD):
        place = blocks[0].index(b"\n", place) + 1
    for block in blocks:
        content.update(block)
    line = _line(f"{_METHOD}:{content.hexdigest()}")
    return [blocks[0][:place], line, blocks[0][place:], *blocks[1:]]


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
    place, view = data.find(line), memoryview(data)
    content = hashlib.sha256(view[: max(place, 0)])
    content.update(view[place + len(line) :])
    return place >= 0 and checksum == f"{_METHOD}:{content.hexdigest()}"


def _line(checksum: str) -> bytes:
    return f' "{ENTRY}": "{checksum}",\n'.encode()
