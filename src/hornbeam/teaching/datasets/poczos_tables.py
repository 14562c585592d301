"""The tables of Póczos: tennis, taxes, votes and counted truth values."""

from __future__ import annotations

from collections.abc import Mapping

from hornbeam.teaching.datasets.entry import LI, POCZOS, Entry

TABLES: Mapping[str, Entry] = {
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
