"""The boxes of leaves: a class, a mean on the common axis, quantiles, an equation, a density; folded nodes.

One idea: a leaf is its answer, how sure it is, and from how many rows; a bar at the left edge has the
answer's colour. Of an equation the box names the terms that move the answer most over the leaf's rows, and
draws the line of the strongest one through them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hornbeam.display.drawing import node_words
from hornbeam.display.drawing.canvas import Canvas
from hornbeam.display.drawing.drawing_context import DrawingContext
from hornbeam.display.drawing.folded_nodes import count_below
from hornbeam.display.drawing.node_box import (
    INNER,
    PAD,
    WIDTH,
    NodeBox,
    draw_answer,
    draw_frame,
    draw_strip,
    mean_and_spread,
    node_number,
    rows_and_number,
)
from hornbeam.display.drawing.node_words import short
from hornbeam.display.drawing.text_width import SMALL, TINY, VERDICT, shortened, text_width
from hornbeam.display.rows_at_nodes import some_points
from hornbeam.tree import equations
from hornbeam.tree import words as tree_words
from hornbeam.tree.answers import quantile_levels, quantiles_at

Part = dict[str, Any]  # an equation or one of its terms, as `Tree.leaf_models` has them

_LEFT = 14.0
_ROOM = WIDTH - _LEFT - PAD
_TALL = 40.0  # the picture of an equation


def class_leaf(context: DrawingContext, node: int) -> NodeBox:
    """Return the box of a leaf that answers with a class."""
    tree = context.tree
    plain = tree.uncounted
    height = 34.0 if plain else 54.0

    def paint(canvas: Canvas, x: float, y: float) -> None:
        draw_frame(canvas, x, y, height, bar=context.colours[int(tree.label[node])])
        answer, share = node_words.answer_and_share(tree, node)
        number = node_number(context, node)
        draw_answer(canvas, x, y + (21 if plain else 18), answer, number, left=_LEFT, share=share)
        if plain:
            return
        draw_strip(canvas, context, node, x + _LEFT, y + 25, _ROOM)
        wrong = node_words.wrong_at(tree, node)
        words = f"{tree_words.records(wrong)} wrong" if wrong > 0 else "none wrong"
        words = f"{node_words.rows_at(tree, node)} · {words}"
        if tree.n_rows[node] == 0:
            words = "no records: answers as its parent"
        canvas.text(x + _LEFT, y + 46, shortened(words, _ROOM, TINY), size=TINY, fill="muted")

    return NodeBox(WIDTH, height, paint)


def number_leaf(context: DrawingContext, node: int) -> NodeBox:
    """Return the box of a leaf that answers with a number: its place on the axis all leaves share."""
    tree = context.tree
    height = 34.0 if tree.uncounted else 58.0

    def paint(canvas: Canvas, x: float, y: float) -> None:
        mean = float(context.answers[node])
        draw_frame(canvas, x, y, height, bar="real", opacity=context.opacity(mean))
        words = mean_and_spread(context, node)[0]
        level = tree.meta.get("answers", {}).get("level")
        if quantile_levels(tree) and level is not None:
            words = f"{'median' if level == 0.5 else f'{100 * float(level):g} %:'} {short(mean)}"
        at = y + 18 + 3 * tree.uncounted
        draw_answer(canvas, x, at, words, rows_and_number(context, node), left=_LEFT)
        if not tree.uncounted:
            _draw_middle(context, node, canvas, x + _LEFT, y + 33)

    return NodeBox(WIDTH, height, paint)


def _draw_middle(context: DrawingContext, node: int, canvas: Canvas, x: float, y: float) -> None:
    """Draw the middle of a leaf's rows on the common axis with its answer; the ends of the axis in words."""
    tree, axis = context.tree, context.target_axis
    levels = quantile_levels(tree)
    mean, spread = float(context.answers[node]), float(context.spreads[node])
    (low, high), words = (mean - spread, mean + spread), "mean ± sd"
    if len(levels) > 1:
        low, high = quantiles_at(tree, [levels[0], levels[-1]])[node].tolist()
        words = f"{100 * levels[0]:g}–{100 * levels[-1]:g} % of rows"
    elif context.rows is not None and context.has_outcomes and len(context.rows.at(node)[0]):
        low, high = context.rows.quartiles(node)
        words = "middle half"
    canvas.line(x, y, x + _ROOM, y, stroke="axis")
    left, right, at = (axis.place(value, x, _ROOM) for value in (low, high, mean))
    canvas.rect(left, y - 5, max(right - left, 1.5), 10, fill="real", opacity=0.4)
    canvas.line(at, y - 6.5, at, y + 6.5, stroke="ink", width=1.8)
    canvas.text(x, y + 18, short(axis.low), size=TINY, fill="muted")
    canvas.text(x + _ROOM / 2, y + 18, words, size=TINY, fill="muted", anchor="middle")
    canvas.text(x + _ROOM, y + 18, short(axis.high), size=TINY, fill="muted", anchor="end")


def density_leaf(context: DrawingContext, node: int) -> NodeBox:
    """Return the box of a leaf of a density tree: how dense, and how much of everything is in it."""
    tree = context.tree

    def paint(canvas: Canvas, x: float, y: float) -> None:
        share = float(tree.weight[node] / max(float(tree.weight[0]), math.ulp(0.0)))
        draw_frame(canvas, x, y, 54, bar="real", opacity=context.opacity(float(context.answers[node])))
        words = f"density {node_words.prediction(tree, node)}"
        draw_answer(canvas, x, y + 18, words, node_number(context, node), left=_LEFT)
        canvas.rect(x + _LEFT, y + 25, _ROOM * share, 7, fill="real")
        canvas.rect(x + _LEFT, y + 25, _ROOM, 7, stroke="outline", stroke_width=0.7, radius=1)
        words = f"{node_words.rows_at(tree, node)} · {tree_words.percent(share)} of all"
        canvas.text(x + _LEFT, y + 46, words, size=TINY, fill="muted")

    return NodeBox(WIDTH, 54, paint)


def folded_node(context: DrawingContext, node: int) -> NodeBox:
    """Return the box that stands for a subtree not drawn: what is in it and how it errs."""
    tree = context.tree
    n_nodes, n_leaves = count_below(tree, node)

    def paint(canvas: Canvas, x: float, y: float) -> None:
        for step in (6.0, 3.0):  # the edges of the boxes beneath
            canvas.rect(x + step, y + step, WIDTH, 56, fill="card", stroke="border", radius=7)
        draw_frame(canvas, x, y, 56)
        draw_answer(canvas, x, y + 18, f"▸ {n_nodes:,} nodes, {n_leaves:,} leaves", "")
        words = " · ".join(filter(None, [node_words.rows_at(tree, node), _training_loss(context, node)]))
        number = node_number(context, node)
        room = INNER - text_width(number, SMALL) - 6
        canvas.text(x + PAD, y + 33, shortened(words, room, SMALL), size=SMALL, fill="muted")
        canvas.text(x + WIDTH - PAD, y + 33, number, size=SMALL, fill="muted", anchor="end")
        if tree.classes is not None:
            draw_strip(canvas, context, node, x + PAD, y + 41, INNER)
        else:
            words = shortened(" ".join(node_words.tested(tree, node)), INNER, SMALL)
            canvas.text(x + PAD, y + 48, words, size=SMALL, fill="muted")

    return NodeBox(WIDTH + 6, 62, paint)


def _training_loss(context: DrawingContext, node: int) -> str:
    """How the leaves of a subtree err on the training rows."""
    tree = context.tree
    if tree.uncounted or tree.weight[node] <= 0:
        return ""
    leaves = [inner for inner, _ in tree.walk(node) if tree.first_child[inner] < 0]
    if tree.classes is not None:
        wrong = sum(node_words.wrong_at(tree, leaf) for leaf in leaves)
        return f"{tree_words.percent(wrong / float(tree.weight[node]))} wrong" if wrong > 0 else "none wrong"
    if tree.task.is_real:
        square = float((tree.weight[leaves] * context.spreads[leaves] ** 2).sum() / tree.weight[node])
        return f"leaves ± {short(math.sqrt(square), 2)}"
    return ""


# --- leaves with an equation --------------------------------------------------------------------------------


def equation_leaf(context: DrawingContext, node: int) -> NodeBox:
    """Return the box of a leaf with an equation."""
    model = context.tree.leaf_models[node]
    terms = sorted(model["terms"], key=lambda term: -_effect(context, node, term))
    has_line = context.has_outcomes and bool(terms) and terms[0].get("power", 0) > 0
    foot = 26 + (_TALL + 12 if has_line else 14)

    def paint(canvas: Canvas, x: float, y: float) -> None:
        mean, spread = float(context.answers[node]), float(context.spreads[node])
        draw_frame(canvas, x, y, foot + 9, bar="real", opacity=context.opacity(mean))
        canvas.text(x + _LEFT, y + 18, _equation_words(model, terms), size=VERDICT, bold=True)
        if has_line:
            _draw_line(context, node, model, terms[0], canvas, x + _LEFT, y + 25)
        facts = rows_and_number(context, node)
        words = f"mean {short(mean)} ± {short(spread)}"
        if not math.isnan(model["error"]):
            words = f"rmse {short(math.sqrt(max(model['error'], 0.0)), 2)} (mean {short(spread, 2)})"
        words = shortened(words, _ROOM - text_width(facts, SMALL) - 6, TINY)
        canvas.text(x + _LEFT, y + foot, words, size=TINY, fill="muted")
        canvas.text(x + WIDTH - PAD, y + foot, facts, size=SMALL, fill="muted", anchor="end")

    return NodeBox(WIDTH, foot + 9, paint)


def _column_of(context: DrawingContext, term: Part) -> int:
    return next(k for k, column in enumerate(context.tree.columns) if column.name == term["column"])


def _term_values(term: Part, values: Any) -> Any:
    """What a term of a number adds for some values of its column."""
    return term["coefficient"] * (values - term["center"]) ** term["power"]


def _effect(context: DrawingContext, node: int, term: Part) -> float:
    """How far a term moves the answer over the rows: the spread of what it adds."""
    number = _column_of(context, term)
    column = context.tree.columns[number]
    if not term.get("power"):
        return abs(float(term["coefficient"])) / 2
    if context.rows is not None:
        values = context.rows.column_at(number, node)[0]
        values = values[~np.isnan(values)]
        if len(values):
            return float(np.std(_term_values(term, values)))
    span = column.high - column.low
    return abs(float(term["coefficient"])) * (1.0 if math.isnan(span) else span ** term["power"])


def _equation_words(model: Part, terms: list[Part]) -> str:
    """As many of the strongest terms as fit, and the number of the others."""
    for n_terms in (2, 1):
        text = "y ≈ " + short(model["intercept"])
        for term in terms[:n_terms]:
            sign = "−" if term["coefficient"] < 0 else "+"
            text += f" {sign} {short(abs(term['coefficient']), 2)}·{_variable(term)}"
        if len(terms) > n_terms:
            text += f" …+{len(terms) - n_terms}"
        if text_width(text, VERDICT, bold=True) <= _ROOM:
            return text
    return shortened(text, _ROOM, VERDICT, bold=True)


def _variable(term: Part) -> str:
    if "values" in term:
        return f"[{term['column']}]"
    name = f"({term['column']} − {short(term['center'])})" if term["center"] else str(term["column"])
    return name if term["power"] == 1 else f"{name}^{term['power']}"


def _draw_line(
    context: DrawingContext, node: int, model: Part, term: Part, canvas: Canvas, x: float, y: float
) -> None:
    """Draw the rows over the strongest column, and what the equation says of it, others at their mean."""
    assert context.rows is not None
    assert context.rows.outcome is not None
    number = _column_of(context, term)
    values, rows, _ = context.rows.column_at(number, node)
    known = np.flatnonzero(~np.isnan(values))
    if not len(known):
        return
    axis = context.column_axis(number)

    def place(points: Any) -> list[tuple[float, float]]:
        height = context.target_axis.place
        return [(axis.place(a, x, _ROOM), y + _TALL - 2 - height(b, 0, _TALL - 4)) for a, b in points]

    answers = equations.evaluate(context.tree, context.rows.table.arrays, np.full(len(rows), node), rows)
    rest = float(np.mean(answers[known]) - np.mean(_term_values(term, values)[known]))
    points = place(some_points(values, context.rows.outcome[rows]))
    canvas.dots(points, fill="real", width=2.6, opacity=0.55)
    grid = np.linspace(values[known].min(), values[known].max(), 2 if term["power"] == 1 else 24)
    heights = np.clip(rest + _term_values(term, grid), model["low"], model["high"])
    first, *others = place(zip(grid.tolist(), heights.tolist(), strict=True))
    canvas.path([("M", *first), *(("L", *at) for at in others)], stroke="ink", width=1.6, dash=(4, 2))
