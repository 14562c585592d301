"""The tree as lines of words with roles, and their legend, before they become text, colours or a table.

One idea: a line is what stands before it (rails), the branch that leads here, what the node asks or answers,
and what the training rows say. Every piece has a role, so whoever prints can colour it, and what does not fit
can be left out in a fixed order (`hornbeam.reading.show`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hornbeam._base.types import Floats
from hornbeam.data.formatting import category_text, class_text, visible
from hornbeam.reading import conditions
from hornbeam.reading.bars import Bars
from hornbeam.reading.gap_notes import gap_notes
from hornbeam.reading.node_details import gap_counts
from hornbeam.tree import annotations as tree_annotations
from hornbeam.tree import answers, words
from hornbeam.tree.answer_rule import SMOOTHED_TOWARDS, answer_rule_of
from hornbeam.tree.arrays import COLUMNS, LEAF, MULTIWAY, SUBSET
from hornbeam.tree.certificate import Certificate
from hornbeam.tree.equation_words import equation_in_bounds, equation_parts
from hornbeam.tree.hooks import tree_of
from hornbeam.tree.scores import Scores
from hornbeam.tree.sizes import SHORT_SET
from hornbeam.tree.survival_curves import RISK_MEANS, facts_text
from hornbeam.tree.tree import Tree
from hornbeam.tree.words import Signs

_COSTS_MEAN = f"{words.COSTS_DECIDE}: another class is likelier, but this answer costs less on average"
_ROWS_MEAN = "n: training rows here"
_PERCENT_MEANS = "%: share of the rows here with this answer"
MOST_CLASSES = 6  # with more classes the counts are left out
COUNTS = ("auto", "classes", "wrong", "none")


@dataclass(frozen=True)
class Span:
    """Some text and what it is; `place` is the number of the class it is about, or -1.

    Roles: "rail", "branch", "missing", "question", "gain", "arrow", "label" (what a leaf answers), "term" (a
    part of the equation that it answers with), "value" (of a set, in broken lines), "majority" (what
    a test would answer), "bar", "share", "rows", "id", "mark", "more", "legend", "" between them.
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
        spans = [Span(self.rail, "rail")] if self.rail else []
        for k, piece in enumerate(self.pieces):
            spans += [Span("  ")] * (k > 0)
            spans += piece
        return tuple(spans)

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
    details: bool = True,
    target: str | None = None,
) -> list[Line]:
    """The lines of `show`, as pieces with roles; the parameters are `show`'s.

    Examples
    --------
    >>> tree = Tree.from_nested({"column": "x", "<=": 0.8, "yes": {"counts": {"a": 5}},
    ...                          "no": {"counts": {"a": 1, "b": 4}}})
    >>> [(span.text, span.role) for span in lines(tree)[1].spans][:4]
    [('├── ', 'rail'), ('≤ 0.8', 'branch'), ('  ', ''), ('→ ', 'arrow')]
    """
    tree, signs = tree_of(model, for_rows=X is not None, several=True), words.signs_of(charset)
    _check(tree, node, max_depth, counts)
    writer = (_writer_of_outputs() if tree.outputs else LineWriter)(
        tree, signs, Bars.of(tree, bars, signs), counts, gap_counts(tree, X), details=details, target=target
    )
    written: list[Line] = []
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
        written.append(Line(here, rails[depth] + lead, tuple(filter(None, pieces))))
        rails.append(rails[depth] + rail)
    return written + writer.legend()


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


def _writer_of_outputs() -> type[LineWriter]:
    from hornbeam.reading.output_lines import OutputLines  # it builds on this file

    return OutputLines


def _rails(tree: Tree, node: int, signs: Signs) -> tuple[str, str]:
    """What stands before a node, and before everything below it."""
    last = tree.children(int(tree.parent[node]))[-1] == node
    return (signs.corner, " " * len(signs.bar)) if last else (signs.tee, signs.bar)


class LineWriter:
    """Words for the nodes of one tree."""

    def __init__(
        self,
        tree: Tree,
        signs: Signs,
        bars: Bars | None,
        counts: str,
        gaps: Mapping[int, int] | None,
        *,
        details: bool,
        target: str | None,
    ) -> None:
        self.tree, self.signs, self.bars, self.gaps = tree, signs, bars, gaps
        self.details, self.target = details, target
        self.answers, self.models, self.scores = tree.answers(), tree.leaf_models, Scores(tree)
        self.spreads: Floats | None = answers.spreads(tree) if tree.task.has_spread else None
        self.marks = tree_annotations.by_node(tree)
        self.counts = counts if counts != "auto" else "classes" if bars is None else "wrong"
        self.marked_gaps = False
        self.marked_unlisted = False
        self.said_not_in = False

    def branch(self, node: int) -> Piece:
        """The branch that leads to a node; a sign where missing values follow it."""
        if node == 0:
            return ()
        parent, branch = self.tree.branch_to(node)
        text = Span(self._shorter_side(parent, branch), "branch")
        number = "" if self.gaps is None else str(self.gaps.get(node, 0))
        goes_here = self.tree.missing[parent] == branch and not words.is_for_missing(
            self.tree, parent, branch
        )
        if (goes_here and number != "0") or (self.gaps and self.gaps.get(node)):
            self.marked_gaps = True
            self.marked_unlisted |= self._has_unlisted(parent)
            if not self.details:
                return text, Span(" "), Span("or missing", "missing")
            return text, Span(" "), Span(f"{self.signs.missing}{number}", "missing")
        return (text,)

    def _shorter_side(self, node: int, branch: int) -> str:
        """What leads to a branch; of two long sets of values the longer one is what the other is not."""
        tree = self.tree
        if tree.kind[node] == SUBSET and tree.n_children[node] == 2 and not tree.uncounted:
            values = words.branch_values(tree, node)
            own, other = values.get(branch, []), values.get(1 - branch, [])
            goes_here = set(conditions.unlisted_codes(tree, node, branch))
            is_longer = bool(other) and len(own) > max(SHORT_SET, len(other))
            if is_longer and set(words.unlisted_codes(tree, node)) <= goes_here:
                self.said_not_in = True
                return words.values_text("", other, self.signs, excluded=True).strip()
        return words.branch_text(tree, node, branch, self.signs)

    def _has_unlisted(self, node: int) -> bool:
        """Whether a test on values may meet some that none of its branches lists."""
        if self.tree.kind[node] in (SUBSET, MULTIWAY):
            return bool(words.unlisted_codes(self.tree, node))
        return bool(self.tree.kind[node] == COLUMNS)

    def verdict(self, node: int) -> list[Piece]:
        """What the node asks or answers, its score, and what its rows say."""
        tree = self.tree
        leaf = tree.kind[node] == LEAF
        place = int(tree.label[node])
        label = Span(self.answer(node), "label", place)
        answer: Piece = (label,)
        if leaf and node in self.models:
            answer = tuple(Span(part, "term") for part in equation_parts(tree, node) if part)
        pieces: list[Piece] = [(Span(f"{self.signs.arrow} ", "arrow"), *answer)]
        if not leaf:
            pieces = [(Span(f"{words.question_text(tree, node)}?", "question"),)]
        if not leaf and self.details and (score := self.scores.text(node)):
            pieces.append((Span(score, "gain"),))
        if tree.uncounted:
            return pieces[:1]
        if self.bars is not None:
            pieces.append(tuple(Span(text, "bar", k) for text, k in self.bars.strip(node)))
        if not leaf and not self.details:
            pass
        elif tree.classes is not None:
            share = Span(self.share(node), "share")
            pieces.append((share,) if leaf else (share, Span(" "), replace(label, role="majority")))
        elif not leaf:
            pieces.append((replace(label, role="majority"),))
        return [*pieces, (Span(self._rows(node), "rows"),)]

    def answer(self, node: int) -> str:
        """The class or the number that a node answers."""
        tree = self.tree
        if tree.classes is not None:
            return self._class(tree.classes[int(tree.label[node])])
        mean = ("risk " if tree.task.is_survival else "") + words.amount(float(self.answers[node]))
        if self.spreads is None or tree.n_rows[node] == 0:
            return mean
        return f"{mean} {self.signs.spread} {words.amount(float(self.spreads[node]))}"

    def share(self, node: int) -> str:
        """The share of the class that is answered; nothing in a tree of numbers or without counts."""
        known = self.tree.classes is not None and not self.tree.uncounted
        return words.answer_share(self.tree, node, self.answers[node]) if known else ""

    def _class(self, name: Any) -> str:
        return class_text(name, self.target)

    def _rows(self, node: int) -> str:
        tree, more = self.tree, facts_text(self.tree, node) if self.tree.kind[node] == LEAF else ""
        if self.shows_counts():
            more = ":".join(words.records(w) for w in tree.stats[node].tolist())
        elif self.counts == "wrong" and tree.classes is not None and tree.kind[node] == LEAF:
            wrong = float(tree.weight[node] - tree.stats[node, int(tree.label[node])])
            more = f"{words.records(wrong)} wrong" if wrong > 1e-9 else ""
        return f"n={tree.n_rows[node]}" + (f" ({more})" if more else "")

    def shows_counts(self) -> bool:
        """Whether the rows of each class stand behind n."""
        tree = self.tree
        few = tree.classes is not None and len(tree.classes) <= MOST_CLASSES
        return few and self.counts == "classes" and not tree.uncounted

    def marked(self, node: int) -> list[Piece]:
        """What people said about a node."""
        mark = self.marks.get(node, {})
        forced = mark.get("forced")
        texts = [tree_annotations.forced_text(forced)] if isinstance(forced, Mapping) else []
        texts += ["locked"] if mark.get("locked") else []
        texts += [f"note: {mark['note']}"] if mark.get("note") else []
        return [(Span(text, "mark"),) for text in texts]

    def numbers_mean(self) -> str:
        """What the numbers behind the answers are."""
        if self.tree.classes is not None:
            rule = answer_rule_of(self.tree.meta)
            said = [_PERCENT_MEANS + SMOOTHED_TOWARDS[rule.smoothing], _ROWS_MEAN]
            if rule.priors is not None:
                named = zip(rule.priors.tolist(), self.tree.classes, strict=True)
                priors = ", ".join(f"{words.percent(prior)} {self._class(name)}" for prior, name in named)
                said.append(f"shares are weighed as if of all rows were {priors}")
            return "; ".join(said)
        leaves, said = (
            self.tree.leaves().tolist(),
            [_ROWS_MEAN, *([RISK_MEANS] if self.tree.task.is_survival else ())],
        )
        if self.spreads is not None and not all(leaf in self.models for leaf in leaves):
            said.append(f"{self.signs.spread}: their standard deviation")
        if any(leaf in self.models for leaf in leaves):
            said.append("within: never below or above; a missing value adds what its term does on average")
        return "; ".join(said)

    def _surprises(self) -> list[str]:
        """What of the numbers nobody would guess, where scores and counts leave no room for the rest."""
        if self.tree.classes is not None:
            towards = SMOOTHED_TOWARDS[answer_rule_of(self.tree.meta).smoothing]
            return [_PERCENT_MEANS + towards] if towards else []
        printed = "".join(equation_in_bounds(self.tree, leaf) for leaf in self.models)
        meant = {"  within ": "within: never below or above", " if ": "if: nothing is added for other values"}
        said = [meaning for sign, meaning in meant.items() if sign in printed]
        return ["; ".join(said)] if said else []

    def legend(self) -> list[Line]:
        """What the signs used mean."""
        rows: list[Sequence[Piece]] = []
        if self.shows_counts() and self.tree.classes is not None:
            plain = [visible(category_text(one)) for one in self.tree.classes]
            of = "" if plain == [class_text(one) for one in self.tree.classes] else "of classes "
            rows.append([(Span(f"counts are {of}{':'.join(plain)}", "legend"),)])
        if self.bars is not None and not self.tree.uncounted:
            named = self.bars.legend()
            if self.tree.classes is not None and named[0][1] >= 0:
                named = [(t, k, self._class(self.tree.classes[k])) for t, k, _ in named]
            rows.append([(Span(t, "bar", k), Span(f" {name}", "legend")) for t, k, name in named])
        if not self.tree.uncounted:
            said = self._surprises() if self.details else [self.numbers_mean()]
            rows += [[(Span(text, "legend"),)] for text in said]
        if any(words.COSTS_DECIDE in self.share(leaf) for leaf in self.tree.leaves().tolist()):
            rows.append([(Span(_COSTS_MEAN, "legend"),)])
        if self.marked_unlisted and not self.details:
            rows.append([(Span("values that no branch lists go where missing ones go", "legend"),)])
        if self.marked_gaps and self.details:
            also = ", and known values that no branch lists," if self.marked_unlisted else ""
            rows.append([(Span(f"{self.signs.missing} missing values{also} go here", "legend"),)])
        mark = self.signs.missing if self.details else "or missing"
        notes = gap_notes(self.tree, mark, says_not_in=self.said_not_in)
        rows += [[(Span(note, "legend"),)] for note in notes]
        if tree_annotations.is_partial(self.tree):
            rows.append([(Span(tree_annotations.PARTIAL_SENTENCE, "legend"),)])
        proofs = [self.tree.meta.get(tree_annotations.IMITATION), Certificate.of(self.tree.meta)]
        rows += [[(Span(str(sentence), "legend"),)] for sentence in proofs if sentence is not None]
        return [Line(-1, "", tuple(pieces)) for pieces in rows]
