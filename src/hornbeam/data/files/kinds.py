r"""Guessing from its distinct texts what a column holds (numbers, dates, booleans, categories), and which
texts mark gaps.

    every value but marks     guess
    -12, 7                    whole
    3.5, 1e-3, inf            real
    true, FALSE               boolean
    2024-05-01 12:00          date
    31.12.2024, 1/25/2024     date_text: a date whose format the whole column decides; nominal if it does not
    $1,200; 12.5%             written: numbers once the signs are taken out
    01234                     nominal: leading zeros are part of a code
    12345678901234567890      nominal: floats would merge such numbers
    anything else             nominal

One idea: only the distinct values are looked at, and all at once, in Arrow's compiled code. A word such as NA
is a gap in any column; a sign such as "-" only where all the rest are numbers or dates.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from hornbeam.data.date_text import UNCLEAR, date_format

WORDS = (
    *("", "?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NAN", "-nan", "null", "NULL", "Null"),
    *("None", "NONE", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!"),  # the last: spreadsheets
)
SIGNS = ("-", ".", "--", "*")

_WHOLE = r"^[+-]?\d+$"
_REAL = r"^[+-]?((\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?|(?i:inf|infinity))$"
_NO_LEADING_ZERO = r"^[+-]?(0$|0[^\d]|[^+\-0]|$)"
_BOOLEAN = r"^(true|false|True|False|TRUE|FALSE)$"
_DATE = r"^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d(:?\d\d)?)?)?$"
_GROUPED = r"^[+-]?\d{1,3}(([., ']\d{3})*([.,]\d+)?)$"
_OTHER_DATE = r"^\d{1,4}[./-]\d{1,2}[./-]\d{1,4}( \d{1,2}:\d\d(:\d\d)?)?$"
EXACT = 2**53
_FEW_NUMBERS = 10  # fewer distinct values may well be words
_FEW = 64


@dataclass(frozen=True)
class Guess:
    """What a column is taken for, the cells that are gaps in it (as written), and why."""

    kind: str
    marks: tuple[str, ...] = ()
    why: str = ""
    format: str = ""  # of dates that are not ISO, as strptime takes it


def guess(values: Any, decimal: str = ".", missing: Sequence[str] | None = None) -> Guess:
    """What a column with these distinct values is.

    Parameters
    ----------
    values : pyarrow array of text, each value once
    decimal : "." or ","
    missing : the marks of gaps if they are known; None to find them out

    Examples
    --------
    >>> guess(pa.array(["1", "2.5", "-"]))
    Guess(kind='real', marks=('-',), why='', format='')
    >>> guess(pa.array(["01234", "90210"])).kind
    'nominal'
    """
    trimmed = pc.utf8_trim_whitespace(values)
    is_word = pc.is_in(trimmed, pa.array(WORDS if missing is None else tuple(missing), pa.string()))
    words = tuple(values.filter(is_word).to_pylist())
    rest = trimmed.filter(pc.invert(is_word))
    if len(rest) == 0:
        return Guess("empty", words, "no values")
    is_sign = pc.is_in(rest, pa.array(SIGNS if missing is None else (), pa.string()))
    signs = values.filter(pc.invert(is_word)).filter(is_sign).to_pylist()
    core = rest.filter(pc.invert(is_sign)) if signs else rest
    kind, why = _kind(core, decimal) if len(core) else ("nominal", "")
    if kind == "date_text":
        form = date_format(core.to_pylist())
        if form is not None and form != UNCLEAR:
            return Guess(kind, (*words, *signs), f"read as dates, {form}", form)
        example = f"perhaps dates such as {core[0].as_py()}"
        either = ", the day or the month first" if form == UNCLEAR else ""
        kind, why = "nominal", f"{example}{either}: name their format, as in date(%d.%m.%Y)"
    if kind == "nominal":
        return Guess("nominal", words, why)
    return Guess(kind, (*words, *signs), why)


def _kind(core: Any, decimal: str) -> tuple[str, str]:
    if _all(core, _BOOLEAN):
        return "boolean", ""
    if _all(core[:1], _DATE):
        return _date_kind(core) if _all(core, _DATE) else ("nominal", "")
    if _all(core, _OTHER_DATE):
        return "date_text", ""
    return _number_kind(core, decimal)


def _number_kind(core: Any, decimal: str) -> tuple[str, str]:
    kind, why = _plain_number_kind(core, decimal)
    if kind != "nominal" or why:
        return kind, why
    plain, taken = plain_numbers(core, decimal)
    if taken:
        kind, why = _plain_number_kind(plain, decimal)
        return ("nominal", why) if kind == "nominal" else ("written", f"read as numbers, without {taken}")
    return kind, _doubt(core)


def _doubt(core: Any) -> str:
    """Why values that look like numbers are taken for words; "" for words."""
    if _all(core, _GROUPED):
        return (
            "perhaps numbers with signs between thousands: take them out, or name the decimal sign (decimal=)"
        )
    if _all(core, _SIGNED):
        return f"perhaps numbers, but written in several ways, such as {core[0].as_py()}: write them alike"
    others = core.filter(pc.invert(pc.match_substring_regex(core, _REAL)))
    if 5 * len(others) > len(core) or len(core) < _FEW_NUMBERS:
        return ""
    return f"numbers but for {others[0].as_py()!r}: mend it, or say that it is missing (missing=)"


def _plain_number_kind(core: Any, decimal: str) -> tuple[str, str]:
    if decimal != ".":
        if pc.any(pc.match_substring(core, ".")).as_py():
            return "nominal", ""
        core = pc.replace_substring(core, decimal, ".")
    if not _all(core, _REAL):
        return "nominal", ""
    if not _all(core, _NO_LEADING_ZERO):
        return "nominal", "codes with leading zeros"
    if not _all(core, _WHOLE):
        return "real", ""
    return ("nominal", LARGE) if _too_large(core) else ("whole", "")


LARGE = "whole numbers beyond 2^53, which a float cannot keep apart"


def _too_large(core: Any) -> bool:
    long = core.filter(pc.greater(pc.utf8_length(core), 15))
    return any(len(text) > 20 or abs(int(text)) > EXACT for text in long.to_pylist())


def _date_kind(core: Any) -> tuple[str, str]:
    zoned = pc.match_substring_regex(core, r"\d(Z|[+-]\d\d(:?\d\d)?)$")
    clock = pc.match_substring(core, ":")
    with_zone = pc.and_(zoned, clock)
    if pc.any(with_zone).as_py() != pc.all(with_zone).as_py():
        return "nominal", "dates with and without a time zone"
    return "date", ""


def _all(values: Any, pattern: str) -> bool:
    """Whether all values match; of many the first tell most often that they do not."""
    if not all(re.search(pattern, text, re.ASCII) for text in values[:_FEW].to_pylist()):
        return False
    return len(values) <= _FEW or bool(pc.all(pc.match_substring_regex(values, pattern)).as_py())


# Numbers written for people -------------------------------------------------------------------------------
#
#     1,234   1,234,567.89   1'234   1 234          signs between thousands, groups of three digits
#     1.234,5   1.234                               the same where the decimal sign of the file is a comma
#     1 234,5                                       the comma is the decimal sign where a cell has both signs
#     $52,000   -$5   € 3.50   3.50 €   20 EUR      one currency in all cells
#     −5                                            the minus sign of printed text
#     ($3,000)   (12)   $(5.00)                     brackets for negative numbers, beside others without them
#     12.5%   7 %                                   percent in all cells: the number as it is written, 12.5
#
# What is taken out must be the same in the whole column, and what is left must be plain numbers; otherwise
# nothing is taken out. So codes, names and mixtures stay text.

_CURRENCY = "(?:[$€£¥₹₽₩₺฿]|EUR|USD|GBP|CHF|CZK|PLN|HUF|SEK|NOK|DKK|JPY|CNY|INR|BRL|CAD|AUD|Kč|zł|Ft|kr)"
_SPACES = "[ \u00a0\u202f]?"
_SIGN = f"[-+−(]?{_SPACES}{_CURRENCY}?{_SPACES}[-+−(]?"
_DIGITS = "[\\d.,'’ \u00a0\u202f]"  # with what may stand between them, no escape: Arrow knows none
_SIGNED = rf"^{_SIGN}\d{_DIGITS}*(?:{_CURRENCY}|%)?\)?$"
_THOUSANDS = {".": (",", "'", "’", " ", "\u00a0", "\u202f"), ",": (".", "'", "’", " ", "\u00a0", "\u202f")}


def plain_numbers(values: Any, decimal: str = ".") -> tuple[Any, str]:
    """Distinct values without what was written for people, and what was taken out in words ("" for nothing).

    >>> plain_numbers(pa.array(["$1,200", "$35.50"]))[0].to_pylist()
    ['1200', '35.50']
    >>> plain_numbers(pa.array(["1.234,5", "7,25"]), ",")[1]
    'signs between thousands'
    >>> plain_numbers(pa.array(["$5", "5%"]))[1], plain_numbers(pa.array(["1,23"]))[1]
    ('', '')
    >>> plain_numbers(pa.array(["$52,000", "($3,000)", "-$1,200.50"]))[0].to_pylist()
    ['52000', '-3000', '-1200.50']
    >>> plain_numbers(pa.array(["12 345,5 Kč", "−7 Kč"]))[0].to_pylist()
    ['12345.5', '-7']
    """
    known = values.drop_null()
    bare = known
    words: list[str] = []
    for find in (
        _with_plain_minus,
        _without_brackets,
        _without_currency,
        _without_percent,
        _without_thousands,
    ):
        shorter, word = find(bare, decimal)
        if word:
            bare, words = shorter, [*words, word]
    if not words:
        return values, ""
    taken = pa.array(bare.to_pylist(), pa.string())
    place = pc.index_in(values, known)
    listed = ", ".join(words[:-1])
    return taken.take(place), f"{listed} and {words[-1]}" if listed else words[-1]


def _with_plain_minus(values: Any, decimal: str) -> tuple[Any, str]:
    del decimal
    printed = rf"^({_CURRENCY}?{_SPACES})−{_SPACES}(\d)"
    if not pc.any(pc.match_substring_regex(values, printed)).as_py():
        return values, ""
    return pc.replace_substring_regex(values, printed, r"-\1\2"), "the minus sign of printed text"


def _without_brackets(values: Any, decimal: str) -> tuple[Any, str]:
    del decimal
    amount, sign = rf"{_DIGITS}*\d(?:{_SPACES}%)?", rf"{_CURRENCY}?{_SPACES}"
    bracketed = rf"^\(({sign}{amount}{_SPACES}{_CURRENCY}?)\)$|^({_CURRENCY})\(({amount})\)$"
    is_negative = pc.match_substring_regex(values, bracketed)
    # Where all cells have brackets they may be anything, as the numbers of formulas are.
    if not pc.any(is_negative).as_py() or pc.all(is_negative).as_py():
        return values, ""
    return pc.replace_substring_regex(values, bracketed, r"-\1\2\3"), "brackets of negative numbers"


def _without_currency(values: Any, decimal: str) -> tuple[Any, str]:
    del decimal
    signs = {sign for text in values[:_FEW].to_pylist() for sign in re.findall(_CURRENCY, text)}
    pattern = rf"^([+-]?)({_CURRENCY}){_SPACES}([+-]?{_DIGITS}+)$"
    behind = rf"^([+-]?{_DIGITS}*\d){_SPACES}({_CURRENCY})$"
    if len(signs) != 1:
        return values, ""
    for form, rest in ((pattern, r"\1\3"), (behind, r"\1")):
        if _all(values, form) and pc.all(pc.match_substring(values, min(signs))).as_py():
            return pc.replace_substring_regex(values, form, rest), f"the sign {min(signs)}"
    return values, ""


def _without_percent(values: Any, decimal: str) -> tuple[Any, str]:
    del decimal
    form = rf"^([+-]?[\d.,]*\d){_SPACES}%$"
    if len(values) == 0 or not _all(values, form):
        return values, ""
    return pc.replace_substring_regex(values, form, r"\1"), "the sign %"


def _without_thousands(values: Any, decimal: str) -> tuple[Any, str]:
    for sign in _THOUSANDS[decimal]:
        if not pc.any(pc.match_substring(values, sign)).as_py():
            continue
        grouped, short = _grouped_forms(sign, decimal)
        plain = rf"^[+-]?\d+({re.escape(decimal)}\d+)?$"
        if _all(values, f"{grouped}|{short}") or (sign == "," and _all(values, f"{grouped}|{plain}")):
            return pc.replace_substring(values, sign, ""), "signs between thousands"
    other = "," if decimal == "." else "."
    for sign in _THOUSANDS[other][
        1:
    ]:  # not 1.234,5: of other rows 1.234 would be taken for a bit more than 1
        grouped, short = _grouped_forms(sign, other)
        is_decisive = pc.match_substring_regex(values, rf"\d{re.escape(sign)}\d{{3}}{re.escape(other)}\d+$")
        if pc.any(is_decisive).as_py() and _all(values, f"{grouped}|{short}"):
            bare = pc.replace_substring(pc.replace_substring(values, sign, ""), other, decimal)
            return bare, f"signs between thousands, the decimal sign being {other!r}"
    return values, ""


def _grouped_forms(sign: str, decimal: str) -> tuple[str, str]:
    """What numbers with signs between thousands look like, and those that are too small for one."""
    rest = rf"({re.escape(decimal)}\d+)?$"
    return rf"^[+-]?[1-9]\d{{0,2}}({re.escape(sign)}\d{{3}})+{rest}", rf"^[+-]?\d{{1,3}}{rest}"
