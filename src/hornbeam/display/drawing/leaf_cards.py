"""Cards of leaves: a class, a mean on the common axis, quantiles, an equation, a density.

One idea: a leaf is its answer, how sure it is, and from how many rows; a bar at the left edge has the
answer's colour.
"""

from __future__ import annotations

import math

from hornbeam.display.drawing import card_pieces, card_words
from hornbeam.display.drawing.canvas import Surface
from hornbeam.display.drawing.card_pieces import PAD, SMALL, TINY, WIDTH, Card
from hornbeam.display.drawing.drawing_context import Sheet
from hornbeam.display.drawing.folded_nodes import below
from hornbeam.display.drawing.text_width import shortened, text_width
from hornbeam.tree import node_quantiles
from hornbeam.tree import words as tree_words

_LEFT = 14.0
_ROOM = WIDTH - _LEFT - PAD


def of_classes(sheet: Sheet, node: int) -> Card:
    """Return the card of a leaf that answers with a class."""
    tree = sheet.tree
    plain = tree.uncounted
    height = 34.0 if plain else 54.0

    def paint(surface: Surface, x: float, y: float) -> None:
        label = int(tree.label[node])
        card_pieces.frame(surface, x, y, height, bar=sheet.colours[label])
        number = card_pieces.number(sheet, node)
        said, share = card_words.answer_and_share(tree, node)
        card_pieces.verdict_line(surface, x, y + (21 if plain else 18), said, number, left=_LEFT, share=share)
        if plain:
            return
        card_pieces.strip(surface, x + _LEFT, y + 25, _ROOM, 7, tree.stats[node].tolist(), sheet.colours)
        n = card_words.rows_at(tree, node)
        missed = card_words.wrong_at(tree, node)
        words = f"{n} · {tree_words.records(missed)} wrong" if missed > 0 else f"{n} · none wrong"
        if tree.n_rows[node] == 0:
            words = "no records: answers as its parent"
        surface.text(x + _LEFT, y + 46, shortened(words, _ROOM, TINY), size=TINY, fill="muted")

    return Card(WIDTH, height, paint)


def of_numbers(sheet: Sheet, node: int) -> Card:
    """Return the card of a leaf that answers with a number: its place on the axis all leaves share."""
    tree = sheet.tree
    levels = node_quantiles.levels_of(tree)
    height = 34.0 if tree.uncounted else 58.0

    def paint(surface: Surface, x: float, y: float) -> None:
        mean = float(sheet.answers[node])
        card_pieces.frame(surface, x, y, height, bar="real", opacity=sheet.strength(mean))
        words = card_words.short(mean)
        if levels and tree.meta.get("answers", {}).get("level") is not None:
            words = f"{_level_name(float(tree.meta['answers']['level']))} {words}"
        elif not tree.uncounted:
            words += f" ± {card_words.short(float(sheet.spreads[node]), 2)}"
        card_pieces.verdict_line(
            surface, x, y + 18 + 3 * tree.uncounted, words, card_pieces.facts(sheet, node), left=_LEFT
        )
        if not tree.uncounted:
            _box(sheet, node, surface, x + _LEFT, y + 33)

    return Card(WIDTH, height, paint)


def _level_name(level: float) -> str:
    return "median" if level == 0.5 else f"{100 * level:g} %:"


def _box(sheet: Sheet, node: int, surface: Surface, x: float, y: float) -> None:
    """Draw the middle of a leaf's rows on the common axis with its answer; the ends of the axis in words."""
    tree, axis = sheet.tree, sheet.target
    levels = node_quantiles.levels_of(tree)
    mean, spread = float(sheet.answers[node]), float(sheet.spreads[node])
    low, high = mean - spread, mean + spread
    said = "mean ± sd"
    if len(levels) > 1:
        found = node_quantiles.quantiles_at(tree, [levels[0], levels[-1]])[node].tolist()
        (low, high), said = found, f"{100 * levels[0]:g}–{100 * levels[-1]:g} % of rows"
    elif sheet.seen is not None and sheet.seen.outcome is not None and len(sheet.seen.at(node)[0]):
        low, high = sheet.seen.quarters(node)
        said = "middle half"
    surface.line(x, y, x + _ROOM, y, stroke="axis")
    left, right = axis.place(low, x, _ROOM), axis.place(high, x, _ROOM)
    surface.rect(left, y - 5, max(right - left, 1.5), 10, fill="real", opacity=0.4)
    at = axis.place(mean, x, _ROOM)
    surface.line(at, y - 6.5, at, y + 6.5, stroke="ink", width=1.8)
    surface.text(x, y + 18, card_words.short(axis.low), size=TINY, fill="muted")
    surface.text(x + _ROOM / 2, y + 18, said, size=TINY, fill="muted", anchor="middle")
    surface.text(x + _ROOM, y + 18, card_words.short(axis.high), size=TINY, fill="muted", anchor="end")


def of_density(sheet: Sheet, node: int) -> Card:
    """Return the card of a leaf of a density tree: how dense, and how much of everything is in it."""
    tree = sheet.tree

    def paint(surface: Surface, x: float, y: float) -> None:
        share = float(tree.weight[node] / max(float(tree.weight[0]), math.ulp(0.0)))
        card_pieces.frame(surface, x, y, 54, bar="real", opacity=sheet.strength(float(sheet.answers[node])))
        number = card_pieces.number(sheet, node)
        card_pieces.verdict_line(
            surface, x, y + 18, f"density {card_words.verdict(tree, node)}", number, left=_LEFT
        )
        surface.rect(x + _LEFT, y + 25, _ROOM * share, 7, fill="real")
        surface.rect(x + _LEFT, y + 25, _ROOM, 7, stroke="outline", stroke_width=0.7, radius=1)
        words = f"{card_words.rows_at(tree, node)} · {tree_words.percent(share)} of all"
        surface.text(x + _LEFT, y + 46, words, size=TINY, fill="muted")

    return Card(WIDTH, 54, paint)


def folded(sheet: Sheet, node: int) -> Card:
    """Return the card that stands for a subtree not drawn: what is in it and how it errs."""
    tree = sheet.tree
    n_nodes, n_leaves = below(tree, node)

    def paint(surface: Surface, x: float, y: float) -> None:
        for step in (6.0, 3.0):  # the edges of the cards beneath
            surface.rect(x + step, y + step, WIDTH, 56, fill="card", stroke="border", radius=7)
        card_pieces.frame(surface, x, y, 56)
        card_pieces.verdict_line(surface, x, y + 18, f"▸ {n_nodes:,} nodes, {n_leaves:,} leaves", "")
        said = " · ".join(filter(None, [card_words.rows_at(tree, node), _loss(sheet, node)]))
        number = card_pieces.number(sheet, node)
        room = card_pieces.INNER - text_width(number, SMALL) - 6
        surface.text(x + PAD, y + 33, shortened(said, room, SMALL), size=SMALL, fill="muted")
        surface.text(x + WIDTH - PAD, y + 33, number, size=SMALL, fill="muted", anchor="end")
        if tree.classes is not None:
            card_pieces.strip(
                surface, x + PAD, y + 41, card_pieces.INNER, 7, tree.stats[node].tolist(), sheet.colours
            )
        else:
            mark, name = card_words.asked(tree, node)
            surface.text(
                x + PAD,
                y + 48,
                shortened(f"{mark} {name}", card_pieces.INNER, SMALL),
                size=SMALL,
                fill="muted",
            )

    return Card(WIDTH + 6, 62, paint)


def _loss(sheet: Sheet, node: int) -> str:
    """How the leaves of a subtree err on the training rows."""
    tree = sheet.tree
    if tree.uncounted or tree.weight[node] <= 0:
        return ""
    leaves = [inner for inner, _ in tree.walk(node) if tree.first_child[inner] < 0]
    if tree.classes is not None:
        wrong = sum(card_words.wrong_at(tree, leaf) for leaf in leaves)
        return f"{tree_words.percent(wrong / float(tree.weight[node]))} wrong" if wrong > 0 else "none wrong"
    if tree.task == "real":
        square = float((tree.weight[leaves] * sheet.spreads[leaves] ** 2).sum() / tree.weight[node])
        return f"leaves ± {card_words.short(math.sqrt(square), 2)}"
    return ""
