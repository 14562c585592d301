"""The table of commands: name, module, and the line the first help page has for it.

One idea: the first help page is written from this table, so a command's module is imported only when the
command is used.
"""

from __future__ import annotations

from collections.abc import Mapping

# In the order of a day's work: read, learn, look, ask, judge, hand over; then for teachers and mechanics.
COMMANDS: Mapping[str, str] = {
    "data": "What a file holds: types, missing values, the target's balance.",
    "fit": "Learn a tree from a file.",
    "show": "Print a tree, or its rules.",
    "splits": "Every candidate split of a node with its scores.",
    "explain": "Why a row gets its answer, and what would change it.",
    "key": "Ask question by question, as a field guide does.",
    "predict": "Append predictions to the rows of a file.",
    "evaluate": "Measure a model on rows, with intervals.",
    "path": "All sizes of a tree with their errors.",
    "prune": "Make a tree smaller.",
    "compare": "Set two models or recipes side by side on the same rows.",
    "draw": "Draw a tree as SVG, PNG or PDF.",
    "export": "Write a tree as SQL, Python, C, JavaScript, ONNX, PMML, ...",
    "report": "Write a page about a tree that needs no network.",
    "demo": "The whole job on a bundled table, in a few seconds.",
    "reproduce": "What the lectures print beside what is computed.",
    "theory": "Calculators: counts of trees, bounds, sample sizes.",
    "doctor": "Versions, extras, processor: for bug reports.",
}
