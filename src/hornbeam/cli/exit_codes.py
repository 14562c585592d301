"""How a run ends: exit codes, and one line for whatever went wrong.

    0    done
    1    could not do it: data, file, memory
    2    wrong usage
    3    a gate was not met: --fail-under, --fail-if-worse
    4    the data do not fit the model
    130  interrupted

One idea: an error is a sentence and, where something was probably meant, a second one that says what. The
traceback is for those who ask for it with --debug.
"""

from __future__ import annotations

import errno
import sys
import traceback
from collections.abc import Iterable, Sequence
from pathlib import Path

import click

DONE, FAILED, USAGE, GATE, MISFIT, INTERRUPTED = 0, 1, 2, 3, 4, 130

# Errors whose text is a sentence for the user; any other exception is a fault of the program.
_SENTENCES = (ValueError, TypeError, ImportError, OSError, NotImplementedError, ArithmeticError, RuntimeError)


class Failure(Exception):  # noqa: N818 (it is no error of the program)
    """Something that ends the run: a sentence, what to do about it, and the exit code."""

    def __init__(self, sentence: str, hint: str | None = None, code: int = FAILED) -> None:
        super().__init__(sentence)
        self.hint = hint
        self.code = code


def misfit(sentence: str, hint: str | None = None) -> Failure:
    """The failure of data that do not fit the model."""
    return Failure(sentence, hint, MISFIT)


def meant(name: str, names: Iterable[str]) -> str | None:
    """A hint at the name that was probably meant, None if none is near.

    >>> meant("survived", ["Survived", "Age"])
    "did you mean 'Survived'?"
    """
    import difflib

    known = list(names)
    plain = {one.casefold(): one for one in reversed(known)}
    close = difflib.get_close_matches(name.casefold(), list(plain), n=1)
    return f"did you mean {plain[close[0]]!r}?" if close else None


def listed(names: Sequence[str], most: int = 12) -> str:
    """Names after each other, of many only the first.

    >>> listed(["a", "b", "c"], most=2)
    'a, b, ... (3 in all)'
    """
    if len(names) <= most:
        return ", ".join(names)
    return f"{', '.join(names[:most])}, ... ({len(names)} in all)"


def sentences(error: BaseException) -> tuple[str, str | None]:
    """What an error says, and the hint it carries, if it carries one apart."""
    said, hint = " ".join(str(error).split()), getattr(error, "hint", None) or None
    return said.removesuffix(f"; {hint}") if hint else said, hint


def told(error: BaseException, *, debug: bool = False) -> int:
    """Say on stderr what went wrong, and give the exit code for it."""
    if debug and not isinstance(error, (click.UsageError, BrokenPipeError)):
        traceback.print_exception(error)
    code, sentence, hint = _reading_of(error)
    _say(sentence, hint)
    return code


def _reading_of(error: BaseException) -> tuple[int, str, str | None]:
    """Exit code, sentence and hint of an exception."""
    if isinstance(error, Failure):
        return error.code, str(error), error.hint
    if isinstance(error, click.UsageError):
        return USAGE, *_usage(error)
    if isinstance(error, (KeyboardInterrupt, click.Abort)):
        return INTERRUPTED, _interrupted(error), None
    if isinstance(error, MemoryError):
        return FAILED, "there is not enough memory for this", "give fewer rows or columns"
    if isinstance(error, OSError) and error.strerror:
        return FAILED, _of_file(error), None
    if isinstance(error, _SENTENCES) and str(error):
        return FAILED, *sentences(error)
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return FAILED, f"the program failed ({what})", "run it again with --debug and report what it prints"


def _interrupted(error: BaseException) -> str:
    """What was interrupted, as the work that heard of it says; click hands its own Abort on instead."""
    heard = error.__cause__ if isinstance(error, click.Abort) else error
    return str(heard) if isinstance(heard, KeyboardInterrupt) and heard.args else "interrupted"


def _usage(error: click.UsageError) -> tuple[str, str | None]:
    page = error.ctx.command_path if error.ctx is not None else "hornbeam"
    possible = getattr(error, "possibilities", None)
    text = error.format_message()
    if possible:
        return f"no such option: {getattr(error, 'option_name', '')}", f"did you mean {sorted(possible)[0]}?"
    hint = getattr(error, "hint", None)
    return text[:1].lower() + text[1:].rstrip("."), hint or f"see {page} --help"


def _of_file(error: OSError) -> str:
    name = "" if error.filename is None else f" {str(error.filename)!r}"
    folder = Path(str(error.filename)).parent if error.filename is not None else Path()
    if isinstance(error, FileNotFoundError) and not folder.exists():
        return f"there is no folder {str(folder)!r} for the file{name}"
    if error.errno in (errno.ENOSPC, errno.EDQUOT) and name:
        return f"there is no space on the disk for the file{name}: free some, or write elsewhere"
    words = {
        FileNotFoundError: f"there is no file{name}",
        IsADirectoryError: f"{name.strip()} is a folder, not a file",
        PermissionError: f"no permission for the file{name}",
    }
    return words.get(type(error), f"{error.strerror}{':' if name else ''}{name}")


def _say(sentence: str, hint: str | None) -> None:
    from hornbeam.cli.terminal import paint, wants_colour

    coloured = wants_colour(sys.stderr)
    click.echo(f"{paint('error:', 'error', on=coloured)} {sentence}", err=True, color=coloured)
    if hint:
        click.echo(hint, err=True, color=coloured)
