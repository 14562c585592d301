"""Identifiers: nominal columns that name every row and so tell nothing about another one (R59).

One idea: such a column gains all there is to gain, and the tree learned from it is a list of the training
rows. The user is told once for each fit; what to do about it is the user's choice.
"""

from __future__ import annotations

import warnings

import numpy as np

from hornbeam.data.table import Table
from hornbeam.data.target import Target

FEWEST_ROWS = 4  # in a smaller table, values are different by chance


def identifiers(table: Table, target: Target) -> list[str]:
    """The nominal columns that have a different value in each row (of those that weigh something and have
    one).

    >>> table = Table.learn({"name": list("abcdef"), "colour": list("rgbrgb")})
    >>> identifiers(table, Target.classes_of([0, 1, 0, 1, 0, 1]))
    ['name']
    """
    live = np.ones(table.n_rows, dtype=np.bool_)
    live &= True if target.weights is None else target.weights > 0
    copies = np.ones(table.n_rows, dtype=np.int64) if target.counts is None else target.counts
    found = []
    for column, array in zip(table.columns, table.arrays, strict=True):
        if column.kind != "nominal" or len(column.categories) < FEWEST_ROWS:
            continue
        known = live & (array >= 0) & (copies > 0)
        n_rows = int(copies[known].sum())
        if FEWEST_ROWS <= n_rows <= len(column.categories) and len(np.unique(array[known])) == n_rows:
            found.append(column.name)
    return found


def warn_of_identifiers(table: Table, target: Target, stacklevel: int) -> None:
    """One warning that names the identifiers of a table, if it has any."""
    names = identifiers(table, target)
    if names:
        columns = ("column " if len(names) == 1 else "columns ") + ", ".join(map(repr, names))
        warnings.warn(
            f"{columns} {'has' if len(names) == 1 else 'have'} a different value in each row, as an"
            " identifier has: a tree learns nothing from that; leave it out of X, or use"
            " criterion='gain-ratio' or split='one-vs-rest'",
            UserWarning,
            stacklevel=stacklevel + 1,
        )
