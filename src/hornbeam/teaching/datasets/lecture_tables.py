"""The bundled tables as text, lecture by lecture, and where they come from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

POSIK = "P. Pošík, lecture 'Decision Trees'"
LI = "Shuai Li, VE445 lecture 9 'Decision Tree'"
MANSOUR = "Lecture notes on decision trees after Y. Mansour"
POCZOS = "B. Póczos, CMU 10-701 lecture 23 'Decision Trees'"
KERRIGAN = "G. Kerrigan, UCI CS178 lecture 18 'Decision Trees'"


@dataclass(frozen=True)
class Entry:
    """One table as text; `read` turns the words of a column into values, `numeric` names measured columns."""

    header: str
    rows: str
    target: str
    source: str
    description: str
    read: Mapping[str, Callable[[str], Any]] = field(default_factory=dict)
    numeric: tuple[str, ...] = ()


# ---- Pošík: robots and temperatures ----------------------------------------------------------------------


_POSIK_TABLES: Mapping[str, Entry] = {
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
        read={"head": lambda word: None if word == "-" else word},
    ),
}


# ---- Li: a film, hours played in three versions, and a code ----------------------------------------------


_HOURS_INPUTS = (
    "Rainy Hot High False",
    "Rainy Hot High True",
    "Overcast Hot High False",
    "Sunny Mild High False",
    "Sunny Cool Normal False",
    "Sunny Cool Normal True",
    "Overcast Cool Normal True",
    "Rainy Mild High False",
    "Rainy Cool Normal False",
    "Sunny Mild Normal False",
    "Rainy Mild Normal True",
    "Overcast Mild High True",
    "Overcast Hot Normal False",
    "Sunny Mild High True",
)


def _hours(played: str, description: str) -> Entry:
    return Entry(
        header="Outlook Temp Humidity Windy Hours",
        rows="\n".join(f"{row} {hours}" for row, hours in zip(_HOURS_INPUTS, played.split(), strict=True)),
        target="Hours",
        source=LI,
        description=description,
        read={"Windy": lambda word: word == "True", "Hours": float},
    )


_LI_TABLES: Mapping[str, Entry] = {
    "gladiator": Entry(
        header="Gender Major Like",
        rows="""
Male Math Yes
Female History No
Male CS Yes
Female Math No
Female Math No
Male CS Yes
Male History No
Female Math Yes
""",
        target="Like",
        source=LI,
        description="Eight students: who likes the film Gladiator?",
    ),
    "hours": _hours(
        "25 30 46 45 52 23 43 35 38 46 48 52 44 30",
        "Hours played on fourteen days, the version whose numbers the lecture prints (mean 39.79, sd 9.32).",
    ),
    "hours_A": _hours(
        "26 30 48 46 62 23 43 36 38 48 48 62 44 30",
        "Hours played as on the slide 'Standard deviation example'; they do not give the numbers printed.",
    ),
    "hours_B": _hours(
        "26 30 48 45 62 23 43 36 38 48 48 62 44 30",
        "Hours played as on the slide 'Complete example dataset'; they do not give the numbers printed.",
    ),
    "huffman": Entry(
        header="symbol count",
        rows="A 1\nB 1\nC 2\nD 4",
        target="",
        source=LI,
        description="Four symbols of probability 1/8, 1/8, 1/4 and 1/2; their Huffman code takes 1.75 bits.",
        read={"count": int},
    ),
}


# ---- the notes: a figure, and the tree that stands for a figure whose counts are lost --------------------


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


_NOTES_TABLES: Mapping[str, Entry] = {
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


# ---- Póczos: tennis, taxes, votes and counted truth values -----------------------------------------------


_POCZOS_TABLES: Mapping[str, Entry] = {
    "tennis": Entry(
        header="Outlook Temperature Humidity Wind Play",
        rows="""
Sunny Hot High Weak No
Sunny Hot High Strong No
Overcast Hot High Weak Yes
Rain Mild High Weak Yes
Rain Cool Normal Weak Yes
Rain Cool Normal Strong No
Overcast Cool Normal Strong Yes
Sunny Mild High Weak No
Sunny Cool Normal Weak Yes
Rain Mild Normal Weak Yes
Sunny Mild Normal Strong Yes
Overcast Mild High Strong Yes
Overcast Hot Normal Weak Yes
Rain Mild High Strong No
""",
        target="Play",
        source=f"{POCZOS}, slides 4 and 38-41; {LI}",
        description="Fourteen days: is tennis played? The classic table of Quinlan and Mitchell.",
    ),
    "tax": Entry(
        header="Refund MarSt TaxInc Cheat",
        rows="""
yes Married 50 no
no Married 90 no
no Single 60 no
no Divorced 100 yes
yes Married 110 no
""",
        target="Cheat",
        source=f"{POCZOS}, slide 10",
        description="Five tax payers: who cheats? Two discrete columns, and the taxable income in thousands.",
        read={"TaxInc": float},
        numeric=("TaxInc",),
    ),
    "eighty": Entry(
        header="Refund MarSt class count",
        rows="""
yes Single/Divorced Genuine 24
yes Married Genuine 16
no Single/Divorced Genuine 6
no Married Genuine 4
no Single/Divorced Cheat 10
no Married Cheat 20
""",
        target="class",
        source=f"{POCZOS}, slide 31",
        description=(
            "Eighty people, 50 genuine and 30 cheats. The slide counts them by Refund and by MarSt; the"
            " counts of both together are reconstructed, independent among the genuine."
        ),
        read={"count": int},
    ),
    "voting": Entry(
        header="Gender Vote count",
        rows="""
Male Republican 200
Male Democrat 150
Male Independent 50
Female Republican 250
Female Democrat 300
Female Independent 50
""",
        target="Vote",
        source=f"{POCZOS}, slides 60-62",
        description="A thousand voters: is the preference independent of gender?",
        read={"count": int},
    ),
    "xcount": Entry(
        header="X1 X2 Y count",
        rows="""
T T T 2
T F T 2
F T F 5
F F T 1
""",
        target="Y",
        source=f"{POCZOS}, slides 64-66",
        description="Ten rows of two truth values, for chi-square pruning.",
        read={"count": int},
    ),
}


# ---- Kerrigan: exclusive or, and class vectors; Póczos: a pinwheel ---------------------------------------


_KERRIGAN_TABLES: Mapping[str, Entry] = {
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

TABLES: Mapping[str, Entry] = {
    **_POSIK_TABLES,
    **_LI_TABLES,
    **_NOTES_TABLES,
    **_POCZOS_TABLES,
    **_KERRIGAN_TABLES,
}
