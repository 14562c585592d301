"""The tables of the notes: a figure, and the tree that stands for a figure whose counts are lost."""

from __future__ import annotations

from collections.abc import Mapping

from hornbeam.teaching.datasets.entry import MANSOUR, Entry

_PT_LEAVES = ("0 0 0 0", "0 1 0 0", "0 1 1 0", "1 0 0 0", "1 0 0 1")  # x1 x2 x3 x4 of each leaf's rows


def _pruning_sample(leaves: str, purpose: str) -> Entry:
    """Rows for the tree x1[0: x2[0: leaf | 1: x3[...]] | 1: x4[...]] from its leaf counts (y=0 : y=1)."""
    counts = [leaf.split(":") for leaf in leaves.split()]
    rows = [
        f"{values} {label} {count}"
        for values, leaf in zip(_PT_LEAVES, counts, strict=True)
        for label, count in enumerate(leaf)
    ]
    return Entry(
        header="x1 x2 x3 x4 y count",
        rows="\n".join(rows),
        target="y",
        source=f"{MANSOUR}, in place of figure 8.6, whose counts are lost",
        description=f"{purpose}: x1, then x2 and x3, or x4; columns off a row's path are 0.",
        read=dict.fromkeys(("x1", "x2", "x3", "x4", "y", "count"), int),
    )


TABLES: Mapping[str, Entry] = {
    "fig84": Entry(
        header="h y count",
        rows="0 0 2\n0 1 3\n1 1 5",
        target="y",
        source=f"{MANSOUR}, figure 8.4",
        description="A split the observed error cannot see: 8 of 10 positive, then 3 of 5 and 5 of 5.",
        read={"h": int, "y": int, "count": int},
    ),
    "pt_S1": _pruning_sample("20:2 3:6 5:4 2:15 4:3", "The rows that grow the tree"),
    "pt_S2": _pruning_sample("8:1 4:3 2:5 1:7 2:4", "The rows that prune the tree"),
}
