"""Write layout_fixtures.json: trees and where their boxes go, for the layout in Python and its twin in
JavaScript.

One idea: the file is the contract between two implementations; running this script again gives the same
bytes.

    python tests/display/web/make_layout_fixtures.py
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from hornbeam.display.drawing.layout import layout

FILE = Path(__file__).parent / "layout_fixtures.json"
Nodes = list[tuple[float, float, list[int]]]


def grown(seed: int, n_nodes: int, most_children: int, chain: float) -> Nodes:
    """A random tree in breadth-first order with boxes of random size; `chain` favours depth over breadth."""
    draw = random.Random(seed)
    children: list[list[int]] = [[]]
    open_nodes = [0]
    while len(children) < n_nodes:
        at = -1 if draw.random() < chain else draw.randrange(len(open_nodes))
        node = open_nodes.pop(at)
        for _ in range(min(draw.randint(2, most_children), n_nodes - len(children))):
            children[node].append(len(children))
            open_nodes.append(len(children))
            children.append([])
    return [(draw.randint(20, 200) / 2, draw.randint(10, 120) / 2, below) for below in children]


def cases() -> dict[str, Nodes]:
    """The trees of the file by name."""
    leaf = (10.0, 4.0, [])
    chain = [(20.0, 8.0, [node + 1]) for node in range(29)] + [(30.0, 4.0, [])]
    comb: Nodes = []  # every branch is the second child of the one above
    for step in range(12):
        comb += [(176.0, 104.0, [2 * step + 1, 2 * step + 2]), (176.0, 52.0, [])]
    comb.append((176.0, 52.0, []))
    fan: Nodes = [(40.0, 10.0, [1, 2, 3, 4]), (10.0, 4.0, [5]), leaf, leaf, (10.0, 4.0, [6])]
    fan += [(90.0, 6.0, []), (70.0, 6.0, [])]
    found = {
        "one box": [leaf],
        "two leaves": [(10.0, 4.0, [1, 2]), leaf, leaf],
        "a chain": chain,
        "a comb of cards": comb,
        "small subtrees between large ones": fan,
    }
    for seed, (size, widest, chained) in enumerate(
        [(7, 2, 0.0), (15, 3, 0.5), (40, 2, 0.9), (60, 6, 0.3), (61, 40, 0.2)]
    ):
        found[f"random {size} nodes, up to {widest} branches"] = grown(seed, size, widest, chained)
    return found


def fixtures() -> list[dict[str, Any]]:
    """Every tree in both orientations with the positions."""
    written = []
    for name, nodes in cases().items():
        for orientation, gap, level_gap in (("down", 16.0, 48.0), ("right", 8.0, 96.0)):
            placed = layout(nodes, gap, level_gap, orientation)
            written.append(
                {
                    "name": f"{name}, {orientation}",
                    "nodes": nodes,
                    "gap": gap,
                    "level_gap": level_gap,
                    "orientation": orientation,
                    "x": placed.x,
                    "y": placed.y,
                    "width": placed.width,
                    "height": placed.height,
                }
            )
    return written


def text() -> str:
    """The file: one tree per line, numbers with all their digits."""
    lines = ",\n".join(json.dumps(fixture, separators=(",", ":")) for fixture in fixtures())
    return f"[\n{lines}\n]\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
