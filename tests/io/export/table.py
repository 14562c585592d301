"""The table of what each export can say, made by asking every one of them for every case."""

from __future__ import annotations

from tests.io.export.cases import CASES

import hornbeam as hb
from hornbeam.io.export import FORMATS

BEGIN, END = "<!-- made by tests/io/export/table.py -->", "<!-- end -->"
WHOLE = ("sql", "python", "c", "javascript", "json")  # say everything


def says(tree: hb.Tree, name: str) -> bool:
    """Whether a format can say a tree; a refusal is a sentence."""
    try:
        hb.export(tree, name)
    except ValueError:
        return False
    except ImportError:  # the package that writes the format is not here: the tests that run it say
        return True
    return True


def table() -> str:
    """Formats across, features down."""
    names = [*WHOLE, *(name for name in FORMATS if name not in WHOLE)]
    lines = [f"| | {' | '.join(names)} |", f"|---|{':-:|' * len(names)}"]
    for feature, make in CASES.items():
        tree = make().tree
        lines.append(f"| {feature} | {' | '.join('✓' if says(tree, name) else '' for name in names)} |")
    return "\n".join(lines)
