"""The tables of Pošík: robots and temperatures."""

from __future__ import annotations

from collections.abc import Mapping

from hornbeam.teaching.datasets.entry import POSIK, Entry, or_gap

TABLES: Mapping[str, Entry] = {
    "robots": Entry(
        header="head body smile neck holds class",
        rows="""
triangle circle yes tie nothing ally
triangle triangle no nothing ball ally
circle triangle yes nothing flower ally
circle circle yes tie nothing ally
triangle square no tie ball enemy
circle square no tie sword enemy
square square yes bow nothing enemy
circle circle no bow sword enemy
""",
        target="class",
        source=f"{POSIK}, slide 9",
        description="Eight robots: which are allies? Body and smile tell.",
    ),
    "temperature": Entry(
        header="Temperature GoOut",
        rows="-20 No\n-9 No\n-2 Yes\n5 Yes\n16 Yes\n26 Yes\n32 No\n35 No",
        target="GoOut",
        source=f"{POSIK}, slide 26",
        description="Eight temperatures: do we go out? Two cuts of one column are needed.",
        read={"Temperature": float},
        numeric=("Temperature",),
    ),
    "two_robots": Entry(
        header="head body smile neck holds class",
        rows="""
- circle yes tie nothing ally
- square no tie sword enemy
""",
        target="class",
        source=f"{POSIK}, slide 4",
        description="The two robots that introduce the game; how their heads look is lost.",
        read={"head": or_gap},
    ),
}
