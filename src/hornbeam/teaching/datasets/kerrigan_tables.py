"""The tables of Kerrigan: exclusive or, and class vectors."""

from __future__ import annotations

from collections.abc import Mapping

from hornbeam.teaching.datasets.entry import KERRIGAN, POCZOS, Entry

TABLES: Mapping[str, Entry] = {
    "xor2": Entry(
        header="X1 X2 y",
        rows="0 0 0\n0 1 1\n1 0 1\n1 1 0",
        target="y",
        source=KERRIGAN,
        description="Exclusive or: no single column gains anything, both together tell all.",
        read={"X1": int, "X2": int, "y": int},
    ),
    "xor5": Entry(
        header="X1 X2 X3 X4 X5 y",
        rows="0 0 1 1 0 0\n0 1 1 0 0 1\n1 0 1 0 1 1\n1 1 0 1 0 0",
        target="y",
        source=KERRIGAN,
        description="Exclusive or of X1 and X2 with three more columns; X4 alone tells all.",
        read={"X1": int, "X2": int, "X3": int, "X4": int, "X5": int, "y": int},
    ),
    "cs178": Entry(
        header="node label count",
        rows="""
vector 1 6
vector 2 4
vector 3 2
vector 4 0
first 1 9
first 2 1
second 1 6
second 2 4
""",
        target="label",
        source=f"{KERRIGAN}, 'ClassProbabilityVector' and 'Examples of the Gini Index'",
        description="Class counts at three nodes: 6, 4, 2 and 0 of 12 points; 0.9 and 0.1; 0.6 and 0.4.",
        read={"label": int, "count": int},
    ),
    "pinwheel": Entry(
        header="x y region",
        rows="0 2 A\n1 2 A\n2 2 B\n0 1 D\n1 1 E\n2 1 B\n0 0 D\n1 0 C\n2 0 C",
        target="region",
        source=f"{POCZOS}, slide 21, reconstructed: of the figure only the numbers 1 to 5 are left",
        description="Five rectangles in a 3 x 3 grid that full cuts cannot part; a tree needs 6 leaves.",
        read={"x": float, "y": float},
        numeric=("x", "y"),
    ),
}
