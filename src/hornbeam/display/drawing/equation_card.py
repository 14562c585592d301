"""The card of a leaf with an equation: its strongest terms, and the line they draw through the rows.

One idea: terms are strong by how far they move the answer over the leaf's rows, coefficient times spread, so
the card names the two that matter and says how many there are besides.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hornbeam.display.drawing import card_pieces, card_words
from hornbeam.display.drawing.canvas import Surface
from hornbeam.display.drawing.card_pieces import PAD, SMALL, TINY, VERDICT, WIDTH, Card
from hornbeam.display.drawing.drawing_context import Sheet
from hornbeam.display.drawing.rows_at_nodes import sampled
from hornbeam.display.drawing.text_width import shortened, text_width
from hornbeam.tree import equations

_LEFT = 14.0
_ROOM = WIDTH - _LEFT - PAD
_TALL = 40.0


def of_equation(sheet: Sheet, node: int) -> Card:
    """Return the card of a leaf with an equation."""
    tree = sheet.tree
    model = tree.leaf_models[node]
    terms = sorted(model["terms"], key=lambda term: -_reach(sheet, node, term))
    drawn = sheet.outcomes and bool(terms) and terms[0].get("power", 0) > 0
    foot = 26 + (_TALL + 12 if drawn else 14)
    height = foot + 9

    def paint(surface: Surface, x: float, y: float) -> None:
        card_pieces.frame(
            surface, x, y, height, bar="real", opacity=sheet.strength(float(sheet.answers[node]))
        )
        surface.text(x + _LEFT, y + 18, _equation(model, terms), size=VERDICT, bold=True)
        if drawn:
            _line(sheet, node, model, terms[0], surface, x + _LEFT, y + 25)
        facts = card_pieces.facts(sheet, node)
        spread = float(sheet.spreads[node])
        words = f"mean {card_words.short(float(sheet.answers[node]))} ± {card_words.short(spread)}"
        if not math.isnan(model["error"]):
            left_over = math.sqrt(max(model["error"], 0.0))
            words = f"rmse {card_words.short(left_over, 2)} (mean {card_words.short(spread, 2)})"
        room = _ROOM - text_width(facts, SMALL) - 6
        surface.text(x + _LEFT, y + foot, shortened(words, room, TINY), size=TINY, fill="muted")
        surface.text(x + WIDTH - PAD, y + foot, facts, size=SMALL, fill="muted", anchor="end")

    return Card(WIDTH, height, paint)


def _column(sheet: Sheet, term: dict[str, Any]) -> int:
    return next(k for k, column in enumerate(sheet.tree.columns) if column.name == term["column"])


def _reach(sheet: Sheet, node: int, term: dict[str, Any]) -> float:
    """How far a term moves the answer over the rows: the spread of what it adds."""
    number = _column(sheet, term)
    column = sheet.tree.columns[number]
    if not term.get("power"):
        return abs(float(term["coefficient"])) / 2
    if sheet.seen is not None:
        values = sheet.seen.values(number, node)[0]
        values = values[~np.isnan(values)]
        if len(values):
            return float(np.std(term["coefficient"] * (values - term["center"]) ** term["power"]))
    span = column.high - column.low
    return abs(float(term["coefficient"])) * (1.0 if math.isnan(span) else span ** term["power"])


def _equation(model: dict[str, Any], terms: list[dict[str, Any]]) -> str:
    """As many of the strongest terms as fit, and the number of the others."""
    for kept in (2, 1):
        text = "y ≈ " + card_words.short(model["intercept"])
        for term in terms[:kept]:
            sign = "−" if term["coefficient"] < 0 else "+"
            text += f" {sign} {card_words.short(abs(term['coefficient']), 2)}·{_variable(term)}"
        if len(terms) > kept:
            text += f" …+{len(terms) - kept}"
        if text_width(text, VERDICT, bold=True) <= _ROOM:
            return text
    return shortened(text, _ROOM, VERDICT, bold=True)


def _variable(term: dict[str, Any]) -> str:
    if "values" in term:
        return f"[{term['column']}]"
    name = str(term["column"])
    if term["center"]:
        name = f"({name} − {card_words.short(term['center'])})"
    return name if term["power"] == 1 else f"{name}^{term['power']}"


def _line(
    sheet: Sheet, node: int, model: dict[str, Any], term: dict[str, Any], surface: Surface, x: float, y: float
) -> None:
    """Draw the rows over the strongest column, and what the equation says of it, others at their mean."""
    assert sheet.seen is not None
    assert sheet.seen.outcome is not None
    number = _column(sheet, term)
    values, rows, _ = sheet.seen.values(number, node)
    known = np.flatnonzero(~np.isnan(values))
    if not len(known):
        return
    axis = sheet.axis(number)

    def high(value: float) -> float:
        return y + _TALL - 2 - sheet.target.place(value, 0, _TALL - 4)

    said = equations.evaluate(sheet.tree, sheet.seen.columns, np.full(len(rows), node), rows)
    shape = term["coefficient"] * (values - term["center"]) ** term["power"]
    rest = float(np.mean(said[known]) - np.mean(shape[known]))
    pairs = sampled(values, sheet.seen.outcome[rows])
    surface.dots([(axis.place(a, x, _ROOM), high(b)) for a, b in pairs], fill="real", width=2.6, opacity=0.55)
    grid = np.linspace(values[known].min(), values[known].max(), 2 if term["power"] == 1 else 24)
    heights = rest + term["coefficient"] * (grid - term["center"]) ** term["power"]
    heights = np.clip(heights, model["low"], model["high"])
    places = [
        (axis.place(a, x, _ROOM), high(b)) for a, b in zip(grid.tolist(), heights.tolist(), strict=True)
    ]
    surface.path(
        [("M", *places[0]), *(("L", *place) for place in places[1:])], stroke="ink", width=1.6, dash=(4, 2)
    )
