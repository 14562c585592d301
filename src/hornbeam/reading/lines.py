"""Lines: the tree as lines of words with roles, before they become text, colours or a table.

One idea: a line is what stands before it (rails), the branch that leads here, what the node asks or answers,
and what the training rows say. Every piece says what it is, so whoever prints can colour it, and what does
not fit can be left out in a fixed order (`fitting`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hornbeam._base.types import Floats
from hornbeam.data.formatting import visible
from hornbeam.reading.bars import Bars
from hornbeam.reading.missing_counts import gap_counts
from hornbeam.tree import annotations as tree_annotations
from hornbeam.tree import answers
from hornbeam.tree import words as tree_words
from hornbeam.tree.arrays import LEAF
from hornbeam.tree.branch_words import Signs, answer, bounds_text, is_for_missing, question, signs_of, tree_of
from hornbeam.tree.tree import Tree

MOST_CLASSES = 6  # with more classes the counts are left out
COUNTS = ("auto", "classes", "wrong", "none")


@dataclass(frozen=True)
class Span:
    """Some text and what it is; `place` is the number of the class it is about, or -1.

    Roles: "rail", "branch", "missing", "question", "gain", "arrow", "label" (what a leaf answers), "majority"
    (what a test would answer), "bar", "share", "rows", "id", "mark", "more", "legend", "" between them.
    """

    text: str
    role: str = ""
    place: int = -1


Piece = tuple[Span, ...]  # spans that belong together; pieces stand two spaces apart


@dataclass(frozen=True)
class Line:
    """One line; `node` is -1 for those below the tree that explain the signs."""

    node: int
    rail: str
    pieces: tuple[Piece, ...]

    @property
    def spans(self) -> tuple[Span, ...]:
        """The line from left to right."""
        found = [Span(self.rail, "rail")] if self.rail else []
        for k, piece in enumerate(self.pieces):
            found += [Span("  ")] * (k > 0)
            found += piece
        return tuple(found)

    @property
    def text(self) -> str:
        """The line without roles."""
        return "".join(span.text for span in self.spans)


def lines(
    model: Any,
    *,
    node: int = 0,
    node_ids: bool = False,
    charset: str = "unicode",
    max_depth: int | None = None,
    bars: Any = False,
    counts: str = "auto",
    X: Any = None,
) -> list[Line]:
    """The lines of `show`, as pieces with roles; the parameters are `show`'s.

    Examples
    --------
    >>> tree = Tree.from_nested({"column": "x", "<=": 0.8, "yes": {"counts": {"a": 5}},
    ...                          "no": {"counts": {"a": 1, "b": 4}}})
    >>> [(span.text, span.role) for span in lines(tree)[1].spans][:4]
    [('├── ', 'rail'), ('≤ 0.8', 'branch'), ('  ', ''), ('→ ', 'arrow')]
    """
    tree, signs = tree_of(model), signs_of(charset)
    _check(tree, node, max_depth, counts)
    writer = _Writer(tree, signs, Bars.of(tree, bars, signs), counts, gap_counts(tree, X))
    found: list[Line] = []
    rails = [""]  # what stands before the children of the nodes on the current path
    for here, depth in tree.walk(node):
        if max_depth is not None and depth > max_depth:
            continue
        del rails[depth + 1 :]
        lead, rail = _rails(tree, here, signs) if depth else ("", "")
        pieces = [writer.branch(here), *writer.verdict(here)]
        pieces.append((Span(f"#{here}", "id"),) if node_ids else ())
        pieces += writer.marked(here)
        if depth == max_depth and tree.kind[here] != LEAF:
            below = sum(1 for _ in tree.walk(here)) - 1
            pieces.append((Span(f"{signs.dots} {below} nodes below", "more"),))
        found.append(Line(here, rails[depth] + lead, tuple(filter(None, pieces))))
        rails.append(rails[depth] + rail)
    return found + writer.legend()


def _check(tree: Tree, node: Any, max_depth: Any, counts: str) -> None:
    whole = hasattr(max_depth, "__index__") and not isinstance(max_depth, bool)
    if max_depth is not None and (not whole or max_depth < 0):
        raise ValueError(
            f"max_depth={max_depth!r} must be a whole number of at least 0, or None for no limit"
        )
    if isinstance(node, bool) or not hasattr(node, "__index__") or not 0 <= node < len(tree):
        raise ValueError(f"node={node!r} must be the number of a node, from 0 to {len(tree) - 1}")
    if counts not in COUNTS:
        raise ValueError(f"counts={counts!r} must be one of {', '.join(map(repr, COUNTS))}")


def _rails(tree: Tree, node: int, signs: Signs) -> tuple[str, str]:
    """What stands before a node, and before everything below it."""
    last = tree.children(int(tree.parent[node]))[-1] == node
    return (signs.corner, " " * len(signs.bar)) if last else (signs.tee, signs.bar)


class _Writer:
    """Words for the nodes of one tree."""

    def __init__(
        self, tree: Tree, signs: Signs, bars: Bars | None, counts: str, gaps: Mapping[int, int] | None
    ) -> None:
        self.tree, self.signs, self.bars, self.gaps = tree, signs, bars, gaps
        self.answers, self.models = tree.answers(), tree.leaf_models
        self.spreads: Floats | None = answers.spreads(tree) if tree.task == "real" else None
        self.marks = tree_annotations.by_node(tree)
        self.counts = counts if counts != "auto" else "classes" if bars is None else "wrong"
        self.marked_gaps = False

    def branch(self, node: int) -> Piece:
        """The branch that leads to a node; a sign where missing values follow it."""
        if node == 0:
            return ()
        parent = int(self.tree.parent[node])
        branch = node - int(self.tree.first_child[parent])
        text = Span(answer(self.tree, parent, branch, self.signs), "branch")
        number = "" if self.gaps is None else str(self.gaps.get(node, 0))
        goes_here = self.tree.missing[parent] == branch and not is_for_missing(self.tree, parent, branch)
        if (goes_here and number != "0") or (self.gaps and self.gaps.get(node)):
            self.marked_gaps = True
            return text, Span(" "), Span(f"{self.signs.missing}{number}", "missing")
        return (text,)

    def verdict(self, node: int) -> list[Piece]:
        """What the node asks or answers, its gain, and what its rows say."""
        tree = self.tree
        leaf = tree.kind[node] == LEAF
        place = int(tree.label[node])
        label = Span(self._answer(node), "label", place)
        pieces: list[Piece] = [(Span(f"{self.signs.arrow} ", "arrow"), label)]
        if not leaf:
            pieces = [(Span(f"{question(tree, node)}?", "question"),)]
        if not leaf and tree.gain[node] > 0:
            pieces.append((Span(f"gain {tree_words.amount(float(tree.gain[node]))}", "gain"),))
        if tree.uncounted:
            return pieces[:1]
        if self.bars is not None:
            pieces.append(tuple(Span(text, "bar", k) for text, k in self.bars.strip(node)))
        if tree.classes is not None:
            share = Span(tree_words.percent(float(self.answers[node, place])), "share")
            pieces.append((share,) if leaf else (share, Span(" "), replace(label, role="majority")))
        elif not leaf:
            pieces.append((replace(label, role="majority"),))
        return [*pieces, (Span(self._rows(node), "rows"),)]

    def _answer(self, node: int) -> str:
        tree = self.tree
        if tree.classes is not None:
            return visible(str(tree.classes[int(tree.label[node])]))
        if tree.kind[node] == LEAF and node in self.models:
            low, high = self.models[node]["low"], self.models[node]["high"]
            return tree_words.equation(tree, node, tree_words.amount) + bounds_text(low, high)
        mean = tree_words.amount(float(self.answers[node]))
        if self.spreads is None or tree.n_rows[node] == 0:
            return mean
        return f"{mean} {self.signs.spread} {tree_words.amount(float(self.spreads[node]))}"

    def _rows(self, node: int) -> str:
        tree, more = self.tree, ""
        if self._counts_shown():
            more = ":".join(tree_words.records(w) for w in tree.stats[node].tolist())
        elif self.counts == "wrong" and tree.classes is not None and tree.kind[node] == LEAF:
            wrong = float(tree.weight[node] - tree.stats[node, int(tree.label[node])])
            more = f"{tree_words.records(wrong)} wrong" if wrong > 1e-9 else ""
        return f"n={tree.n_rows[node]}" + (f" ({more})" if more else "")

    def _counts_shown(self) -> bool:
        tree = self.tree
        few = tree.classes is not None and len(tree.classes) <= MOST_CLASSES
        return few and self.counts == "classes" and not tree.uncounted

    def marked(self, node: int) -> list[Piece]:
        """What people said about a node."""
        mark = self.marks.get(node, {})
        words = (
            [tree_annotations.forced_text(mark["forced"])] if isinstance(mark.get("forced"), Mapping) else []
        )
        words += ["locked"] if mark.get("locked") else []
        words += [f"note: {mark['note']}"] if mark.get("note") else []
        return [(Span(text, "mark"),) for text in words]

    def legend(self) -> list[Line]:
        """What the signs used mean."""
        found: list[Sequence[Piece]] = []
        if self._counts_shown() and self.tree.classes is not None:
            found.append(
                [(Span(f"counts are {':'.join(visible(str(c)) for c in self.tree.classes)}", "legend"),)]
            )
        if self.bars is not None and not self.tree.uncounted:
            named = self.bars.legend()
            found.append([(Span(t, "bar", k), Span(f" {name}", "legend")) for t, k, name in named])
        if self.marked_gaps:
            found.append([(Span(f"{self.signs.missing} missing values go here", "legend"),)])
        return [Line(-1, "", tuple(pieces)) for pieces in found]
