"""The lines of a tree of several targets: every leaf says what each target is.

size?  variance decrease 25.0  n=4
├── ≤ 2.5  → price: 11 ± 1  days: 9 ± 0  n=2
└── > 2.5  → price: 31 ± 1  days: 5 ± 0  n=2
"""

from __future__ import annotations

from typing import Any

from hornbeam.data.formatting import category_text, visible
from hornbeam.reading.lines import LineWriter, Piece, Span
from hornbeam.tree import words
from hornbeam.tree.arrays import LEAF
from hornbeam.tree.tree import Tree

MOST_TARGETS = 8  # of more targets the first are shown


class OutputLines(LineWriter):
    """Words for the nodes of a tree of several targets."""

    def __init__(self, tree: Tree, *args: Any, **options: Any) -> None:
        super().__init__(tree, *args, **options)
        if self.bars is not None:
            raise ValueError(
                "bars show the shares of one target: show the tree of one, such as"
                f" tree.output({tree.outputs[0].name!r})"
            )
        self.each = [
            (output.name, LineWriter(tree.output(k), *args, **options))
            for k, output in enumerate(tree.outputs)
        ]

    def verdict(self, node: int) -> list[Piece]:
        """What the node asks, or what it answers of each target; and its rows."""
        rows: Piece = (Span(f"n={self.tree.n_rows[node]}", "rows"),)
        if self.tree.kind[node] != LEAF:
            score = self.scores.text(node) if self.details else ""
            asked: list[Piece] = [(Span(f"{words.question_text(self.tree, node)}?", "question"),)]
            return [*asked, *([(Span(score, "gain"),)] if score else []), rows]
        pieces: list[Piece] = []
        for place, (name, writer) in enumerate(self.each[:MOST_TARGETS]):
            lead = (Span(f"{self.signs.arrow} ", "arrow"),) if place == 0 else ()
            said = self._class_or_mean(writer, node)
            label = Span(f"{visible(name)}: {said}", "label", int(writer.tree.label[node]))
            share = writer.share(node)
            pieces.append((*lead, label, *((Span(f" {share}", "share"),) if share else ())))
        more = len(self.each) - MOST_TARGETS
        if more > 0:
            pieces.append((Span(f"and {more} more targets", "more"),))
        return [*pieces, rows]

    @staticmethod
    def _class_or_mean(writer: LineWriter, node: int) -> str:
        classes = writer.tree.classes
        if classes is None:
            return writer.answer(node)
        return visible(category_text(classes[int(writer.tree.label[node])]))

    def numbers_mean(self) -> str:
        """What the numbers behind the answers are."""
        return "; ".join(dict.fromkeys("; ".join(w.numbers_mean() for _, w in self.each).split("; ")))

    def shows_counts(self) -> bool:
        """Counts of classes have no room behind several answers."""
        return False
