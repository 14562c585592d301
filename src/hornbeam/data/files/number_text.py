"""Numbers written for people: with signs between thousands, a currency or a percent sign.

    1,234   1,234,567.89   1'234   1 234          signs between thousands, groups of three digits
    1.234,5   1.234                               the same where the decimal sign of the file is a comma
    $52,000   -$5   € 3.50   3.50 €               one currency in all cells
    12.5%   7 %                                   percent in all cells: the number as it is written, 12.5

One idea: what is taken out must be the same in the whole column, and what is left must be plain numbers;
otherwise nothing is taken out. So codes, names and mixtures stay text.
"""

from __future__ import annotations

import re
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

CURRENCIES = "$€£¥₹₽₩₺฿"
_SPACES = "[ \u00a0\u202f]?"
_CURRENCY = f"[{CURRENCIES}]"
_THOUSANDS = {".": (",", "'", "’", " ", "\u00a0", "\u202f"), ",": (".", "'", "’", " ", "\u00a0", "\u202f")}
_SOME = 64  # values that are looked at first


def plain_numbers(values: Any, decimal: str = ".") -> tuple[Any, str]:
    """Distinct values without what was written for people, and what was taken out in words ("" for nothing).

    >>> plain_numbers(pa.array(["$1,200", "$35.50"]))[0].to_pylist()
    ['1200', '35.50']
    >>> plain_numbers(pa.array(["1.234,5", "7,25"]), ",")[1]
    'signs between thousands'
    >>> plain_numbers(pa.array(["$5", "5%"]))[1], plain_numbers(pa.array(["1,23"]))[1]
    ('', '')
    """
    known = values.drop_null()
    bare = known
    words: list[str] = []
    for find in (_without_currency, _without_percent, _without_thousands):
        shorter, word = find(bare, decimal)
        if word:
            bare, words = shorter, [*words, word]
    if not words:
        return values, ""
    taken = pa.array(bare.to_pylist(), pa.string())
    place = pc.index_in(values, known)
    return taken.take(place), " and ".join(words)


def _without_currency(values: Any, decimal: str) -> tuple[Any, str]:
    del decimal
    signs = {sign for text in values[:_SOME].to_pylist() for sign in text if sign in CURRENCIES}
    pattern = rf"^([+-]?)({_CURRENCY}){_SPACES}([+-]?[\d.,\'’ \x{{a0}}\x{{202f}}]+)$"
    behind = rf"^([+-]?[\d.,\'’ \x{{a0}}\x{{202f}}]*\d){_SPACES}({_CURRENCY})$"
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
        grouped = rf"^[+-]?[1-9]\d{{0,2}}({re.escape(sign)}\d{{3}})+({re.escape(decimal)}\d+)?$"
        plain = rf"^[+-]?\d+({re.escape(decimal)}\d+)?$"
        if not pc.any(pc.match_substring(values, sign)).as_py():
            continue
        short = rf"^[+-]?\d{{1,3}}({re.escape(decimal)}\d+)?$"  # a thousand without signs is no such writing
        if _all(values, f"{grouped}|{short}") or (sign == "," and _all(values, f"{grouped}|{plain}")):
            return pc.replace_substring(values, sign, ""), "signs between thousands"
    return values, ""


def _all(values: Any, pattern: str) -> bool:
    first = values[:_SOME]
    if not pc.all(pc.match_substring_regex(first, pattern)).as_py():
        return False
    return bool(pc.all(pc.match_substring_regex(values, pattern)).as_py())
