"""What a reader may raise: documented errors with a sentence, and none that hides an accident."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hornbeam as hb
from hornbeam.data.files import TableError

PACKAGE = str(Path(hb.__file__).parent)
ACCIDENTS = (ArithmeticError, AssertionError, AttributeError, LookupError, NameError, RuntimeError, TypeError)


class HiddenAccidentError(Exception):
    """A documented exception that was made of an accident in Hornbeam's own code."""


def attempt(read: Callable[[], Any], *documented: type[Exception]) -> tuple[bool, Any]:
    """Whether reading succeeded, and what was read; what is documented to be raised is no fault."""
    try:
        return True, read()
    except documented as fault:
        accident = fault.__context__
        if accident is not None and _is_accident(accident):
            raise HiddenAccidentError(f"{type(accident).__name__} became {fault}") from accident
        _check_sentence(fault)
        return False, None


def _check_sentence(fault: Exception) -> None:
    said = str(fault)
    assert said.strip(), f"{type(fault).__name__} without a sentence"
    quotes_a_file = isinstance(fault, TableError)
    assert not quotes_a_file or len(said) < 5_000, f"a sentence of {len(said):,} letters"


def _is_accident(fault: BaseException) -> bool:
    """Whether an exception happened in a line of Hornbeam that does not raise it on purpose."""
    if not isinstance(fault, ACCIDENTS):
        return False
    place = fault.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    if place is None:
        return False
    file = place.tb_frame.f_code.co_filename
    return file.startswith(PACKAGE) and not linecache.getline(file, place.tb_lineno).strip().startswith(
        "raise"
    )
