"""Exceptions as exit codes, with one sentence and a hint for whatever went wrong.

    0    done
    1    could not do it: data, file, memory
    2    wrong usage
    3    the model is not good enough: --fail-under, --fail-if-worse
    4    the data do not fit the model
    130  interrupted

One idea: an error is a sentence and, where one can be given, a second sentence with a hint. The traceback is
printed only with --debug.
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


def usage_error(sentence: str, hint: str, ctx: click.Context | None = None) -> click.UsageError:
    """A usage error with a second sentence that says what to do about it."""
    fault = click.UsageError(sentence, ctx)
    fault.hint = hint  # type: ignore[attr-defined]
    return fault


def unknown_choice(sentence: str, name: str, names: Iterable[str]) -> click.UsageError:
    """The usage error of a name that does not exist, with what was probably meant."""
    known = list(names)
    return usage_error(sentence, suggest(name, known) or f"choose one of {', '.join(known)}")


def suggest(name: str, names: Iterable[str]) -> str | None:
    """A hint at the name that was probably meant, None if none is near.

    >>> suggest("survived", ["Survived", "Age"])
    "did you mean 'Survived'?"
    """
    import difflib

    known = list(names)
    plain = {one.casefold(): one for one in reversed(known)}
    close = difflib.get_close_matches(name.casefold(), list(plain), n=1)
    return f"did you mean {plain[close[0]]!r}?" if close else None


def column_hint(name: str, names: Sequence[str]) -> str:
    """A hint at the column that was probably meant, or at all columns there are."""
    return suggest(name, names) or f"its columns are {list_names(names)}"


def list_names(names: Sequence[str], most: int = 12) -> str:
    """Names after each other, of many only the first.

    >>> list_names(["a", "b", "c"], most=2)
    'a, b, ... (3 in all)'
    """
    if len(names) <= most:
        return ", ".join(names)
    return f"{', '.join(names[:most])}, ... ({len(names)} in all)"


def sentence_and_hint(error: BaseException) -> tuple[str, str | None]:
    """What an error says, and its hint, if it has one apart."""
    sentence, hint = " ".join(str(error).split()), getattr(error, "hint", None) or None
    return sentence.removesuffix(f"; {hint}") if hint else sentence, hint


def report_error(error: BaseException, *, debug: bool = False) -> int:
    """Print on stderr what went wrong, and return the exit code for it."""
    if debug and not isinstance(error, (click.UsageError, BrokenPipeError)):
        traceback.print_exception(error)
    if isinstance(error, getattr(click.exceptions, "NoArgsIsHelpError", ())):  # a group without a command
        click.echo(getattr(error, "message", ""), err=True)
        return USAGE
    code, sentence, hint = _describe_error(error)
    from hornbeam.cli.terminal import paint, wants_colour

    coloured = wants_colour(sys.stderr)
    click.echo(f"{paint('error:', 'error', on=coloured)} {sentence}", err=True, color=coloured)
    if hint:
        click.echo(hint, err=True, color=coloured)
    return code


def _describe_error(error: BaseException) -> tuple[int, str, str | None]:
    """Exit code, sentence and hint of an exception."""
    if isinstance(error, Failure):
        return error.code, str(error), error.hint
    if isinstance(error, click.UsageError):
        return USAGE, *_describe_usage(error)
    if isinstance(error, (KeyboardInterrupt, click.Abort)):
        return INTERRUPTED, _interrupted(error), None
    if isinstance(error, MemoryError):
        return FAILED, "there is not enough memory for this", "give fewer rows or columns"
    if isinstance(error, OSError) and error.strerror:
        return FAILED, _describe_file_error(error), None
    if isinstance(error, _SENTENCES) and str(error):
        return FAILED, *sentence_and_hint(error)
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return FAILED, f"the program failed ({what})", "run it again with --debug and report what it prints"


def _interrupted(error: BaseException) -> str:
    """The sentence of what was interrupted; click raises its own Abort, with the interrupt as its cause."""
    cause = error.__cause__ if isinstance(error, click.Abort) else error
    return str(cause) if isinstance(cause, KeyboardInterrupt) and cause.args else "interrupted"


def _describe_usage(error: click.UsageError) -> tuple[str, str | None]:
    page = error.ctx.command_path if error.ctx is not None else "hornbeam"
    possible = getattr(error, "possibilities", None)
    text = error.format_message()
    if possible:
        return f"no such option: {getattr(error, 'option_name', '')}", f"did you mean {sorted(possible)[0]}?"
    hint = getattr(error, "hint", None)
    return text[:1].lower() + text[1:].rstrip("."), hint or f"see {page} --help"


def _describe_file_error(error: OSError) -> str:
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
