"""Texts in columns, for tables that are printed.

One idea: a column is as wide as its widest cell, two spaces apart from the next, numbers to the right.
"""

from __future__ import annotations

from collections.abc import Container, Sequence


def aligned(rows: Sequence[Sequence[str]], right: Container[int] = ()) -> list[str]:
    r"""One line for each row of cells; the columns numbered in `right` are flush to the right.

    >>> print(*aligned([["class", "rows"], ["no", "5"], ["yes", "9"]], right={1}), sep="\n")
    class  rows
    no        5
    yes       9
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if k in right else cell.ljust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
