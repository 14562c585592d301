"""TableError: what is wrong with a table file, in one sentence, and what to do next.

One idea: whatever goes wrong below (Arrow, gzip, zip, a codec, the disk) leaves this package as one type of
error with one sentence.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from traceback import walk_tb
from types import CodeType
from typing import Any


class TableError(ValueError):
    """A table that cannot be read or written.

    Attributes
    ----------
    hint : str
        The next step; also the end of the sentence.

    Examples
    --------
    >>> str(TableError("a.csv is empty", "give a file with rows"))
    'a.csv is empty; give a file with rows'
    """

    def __init__(self, sentence: str, hint: str = "") -> None:
        sentence, hint = _shortened(sentence), _shortened(hint)
        super().__init__(f"{sentence}; {hint}" if hint else sentence)
        self.hint = hint


CHECK_DISK = "check the folder, its permissions and the space on the disk"  # where a file cannot be written
_BEGINNING, _END = 500, 80  # letters of a long sentence, which quotes a cell or a name of the file


def _shortened(sentence: str) -> str:
    if len(sentence) <= _BEGINNING + _END:
        return sentence
    return f"{sentence[:_BEGINNING]}…{sentence[-_END:]}"


def list_names(names: Sequence[str]) -> str:
    """Names for a sentence; of many the first.

    >>> list_names(["age", "city"])
    "'age', 'city'"
    """
    return ", ".join(map(repr, names[:20])) + ", …" * (len(names) > 20)


@contextmanager
def guarded(name: str, what: str, hint: str = "") -> Iterator[None]:
    """Turn any error of reading or writing into a TableError that says which file and as what.

    What the handler of a signal raises, an alarm for example, comes through as it is.

    >>> with guarded("a.pq", "read as Parquet", "mend it"):
    ...     raise OSError("Couldn't find the footer")
    Traceback (most recent call last):
    hornbeam.data.files.table_error.TableError: a.pq cannot be read as Parquet: Couldn't find the footer; ...
    """
    try:
        yield
    except TableError:
        raise
    except Exception as error:  # a damaged file makes parsers fail in any way
        if _is_of_handler(error):
            raise
        raise TableError(f"{name} cannot be {what}: {_first_line(error)}", hint) from None


def _is_of_handler(error: BaseException) -> bool:
    """Whether an error came out of the handler of a signal: whatever it interrupted has no fault."""
    handlers = {_code_of(signal.getsignal(number)) for number in signal.valid_signals()} - {None}
    return any(frame.f_code in handlers for frame, _ in walk_tb(error.__traceback__))


def _code_of(handler: Any) -> CodeType | None:
    """The code of a handler: a function, a method, or an object that is called."""
    for function in (handler, getattr(handler, "func", None), type(handler).__call__):
        if isinstance(code := getattr(function, "__code__", None), CodeType):
            return code
    return None


def _first_line(error: BaseException) -> str:
    # The name of the file is said already, and the number of the error says nothing to a reader.
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    lines = text.strip().splitlines()
    line = lines[0] if lines else type(error).__name__
    return (line if len(line) <= 200 else line[:200] + "…").rstrip(".")
