"""The tables of Li: a film, hours played in three versions, and a code."""

from __future__ import annotations

from collections.abc import Mapping

from hornbeam.teaching.datasets.entry import LI, Entry, truth

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
        read={"Windy": truth, "Hours": float},
    )


TABLES: Mapping[str, Entry] = {
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
