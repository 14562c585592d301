"""The names of columns: from a header, or made up; never two alike.

One idea: a name is what everything later asks for, so a header that gives one name twice is refused.
"""

from __future__ import annotations

from collections.abc import Sequence

from hornbeam.data.files.table_error import TableError


def header_names(first: Sequence[str], name: str, *, has_header: bool) -> list[str]:
    """The names in the first row, trimmed; an empty one, as any without a header, becomes x and its position.

    >>> header_names(["", " age"], "t.csv", has_header=True)
    ['x0', 'age']
    """
    if not has_header:
        return [f"x{j}" for j in range(len(first))]
    names = [cell.strip() or f"x{j}" for j, cell in enumerate(first)]
    refuse_twins(names, name)
    return names


def refuse_twins(names: Sequence[str], name: str) -> None:
    """Raise an error if two columns have one name."""
    if len(set(names)) == len(names):
        return
    seen: set[str] = set()
    for place, column in enumerate(names):
        if column in seen:
            raise TableError(
                f"{name} has two columns named {column!r} (the second is number {place + 1})",
                "rename one of them; if the first line is no header, say header=False",
            )
        seen.add(column)
