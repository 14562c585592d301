"""How wide a text will be, without a browser and without a font file.

One idea: the table holds the advance widths of a wide system font, with a reserve for wider ones; a text that
fits by this table fits on every screen, and what does not fit is shortened in the middle, where names differ
least.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

TITLE, VERDICT, SMALL, TINY = 12.5, 12.0, 10.0, 9.5  # the sizes of text in pictures, in pixels

_RESERVE = 1.10  # over the mean of common system fonts, which is about what the widest of them takes
_BOLD = 1.13

# Hundredths of the font size: the characters of each width.
_WIDTHS = {
    25: "'",
    26: "ijl",
    27: "IJ",
    30: " ,.·",
    32: "/:;\\|f",
    34: "-",
    37: "()[]t!²",
    39: "r",
    44: '"',
    47: "*_`▸°▾",
    49: "sz?",
    52: "cL",
    55: "Fkvxy",
    57: "PTYao",
    59: "eESbdghnpqu",
    60: "$0123456789{}µ",
    63: "KAV",
    65: "BRXZC",
    69: "UHN",
    72: "DG&OQ",
    77: "w",
    79: "#+<=>^~≤≥≠×±→∿≡✎−≈",
    81: "M∈∉∅●",
    88: "◧%",
    92: "mW@…",
}
_WIDTH_OF = {letter: width / 100 for width, letters in _WIDTHS.items() for letter in letters}
_OTHER, _WIDE = 0.66, 1.0
ELLIPSIS = "…"


@lru_cache(maxsize=4096)
def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """Return how many pixels a text takes at most.

    >>> text_width("ill", 10) < text_width("WWW", 10)
    True
    """
    em = sum(_WIDTH_OF[c] if c in _WIDTH_OF else _unusual_width(c) for c in text)
    return em * size * _RESERVE * (_BOLD if bold else 1.0)


def _unusual_width(letter: str) -> float:
    if unicodedata.combining(letter):
        return 0.0
    if unicodedata.east_asian_width(letter) in "WF":
        return _WIDE
    base = unicodedata.normalize("NFD", letter)[0]
    return _WIDTH_OF.get(base, _OTHER)


def shortened(text: str, width: float, size: float, *, bold: bool = False) -> str:
    """Return the text itself if it fits, else its beginning and end around an ellipsis.

    >>> shortened("mean concave points of the nucleus", 90, 10)
    'mean co…ucleus'
    """
    text = one_line(text)
    if len(text) > 400:
        text = f"{text[:200]}{ELLIPSIS}{text[-199:]}"
    if text_width(text, size, bold=bold) <= width:
        return text
    least, most = 0, len(text) - 1  # how many letters stay
    while least < most:
        letters = (least + most + 1) // 2
        if text_width(_around(text, letters), size, bold=bold) <= width:
            least = letters
        else:
            most = letters - 1
    return _around(text, least)


def _around(text: str, letters: int) -> str:
    """The first and the last letters of a text, so many in all, around an ellipsis."""
    head = (letters + 1) // 2
    tail = letters - head
    return f"{text[:head].rstrip()}{ELLIPSIS}{text[len(text) - tail :].lstrip()}"


def one_line(text: str) -> str:
    r"""Return the text without line breaks and control characters, which no picture can show.

    >>> one_line("a\n b\x00c")
    'a b c'
    """
    if text.isprintable():
        return text
    shown = "".join(c if c.isprintable() else " " for c in text)
    return " ".join(shown.split())
