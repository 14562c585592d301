"""The document of a report: one plain dict with everything a reader of it needs.

One idea: facts first, rendering second. The tree document is the one that `hb.save` writes; beside it stand
facts about its nodes and columns, in words where people read them. A page, a text or another program start
from here, and nothing in it is a row of the table unless rows were asked for.
"""

from __future__ import annotations

from typing import Any

from hornbeam.data.formatting import category_text, visible
from hornbeam.display.report.class_colours import colours, groups
from hornbeam.display.report.inputs import columns_of
from hornbeam.display.report.node_facts import Nodes
from hornbeam.display.report.node_pictures import Pictures
from hornbeam.display.report.page_answers import answers_of
from hornbeam.display.report.pruning_sizes import sizes_of
from hornbeam.display.report.quality import quality_of
from hornbeam.display.report.sample_rows import Sample
from hornbeam.tree import words
from hornbeam.tree.arrays import LEAF
from hornbeam.tree.hooks import tree_of

SCHEMA = "hornbeam/report/1"


def document_of(
    model: Any,
    sample: Sample | None,
    held: Sample | None = None,
    *,
    validation: Any = None,
    title: str,
    target: str,
    provenance: list[list[str]],
    rows: bool = False,
    seed: int = 0,
) -> dict[str, Any]:
    """The document of a model; without a sample, what the tree alone can say."""
    tree = tree_of(model)
    pictures = None if sample is None else Pictures(sample, rows=rows, seed=seed)
    nodes = Nodes(tree, sample, held, pictures)
    name = "training" if sample is not None and _is_training(sample) else "given rows"
    sets = [quality_of(one, what) for one, what in ((sample, name), (held, "validation")) if one is not None]
    found: dict[str, Any] = {
        "schema": SCHEMA,
        "title": title,
        "target": target,
        "task": tree.task,
        "aggregates": not rows,
        "size": tree.statistics(),
        "tree": tree.to_dict(),
        "answers": answers_of(tree),
        "nodes": [nodes.of(node) for node in range(len(tree))],
        "columns": columns_of(tree, sample),
        "quality": sets,
        "pruning": sizes_of(model, validation),
        "provenance": provenance,
    }
    if tree.classes is not None:
        shades = colours(tree.stats[0] if sample is None else sample.counts[0])
        found |= {
            "classes": [visible(category_text(c)) for c in tree.classes],
            "colours": shades,
            "groups": groups(shades),
        }
    elif pictures is not None:
        found["axis"] = [words.amount(pictures.target.low), words.amount(pictures.target.high)]
        found["middle"] = float(tree.answers()[0])
        found["range"] = [pictures.target.low, pictures.target.high]
    else:
        leaves = tree.answers()[tree.kind == LEAF]
        found["middle"] = float(tree.answers()[0])
        found["range"] = [float(leaves.min()), float(leaves.max())]
        found["axis"] = [words.amount(v) for v in found["range"]]
    return found


def _is_training(sample: Sample) -> bool:
    """Whether the rows look like those the tree was grown on: as many at every node."""
    return sample.n_rows == int(sample.tree.n_rows[0])
