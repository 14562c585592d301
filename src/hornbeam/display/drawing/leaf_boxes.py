"""The boxes of leaves: class, mean on the common axis, quantiles, equation, density, survival; folded nodes.

One idea: a leaf is its answer, how sure it is, and from how many rows; a bar at the left edge has the
answer's colour. Of an equation the box names the terms that move the answer most over the leaf's rows, and
draws the line of the strongest one through them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hornbeam._base.survival_statistics import SurvivalCurve
from hornbeam.display.drawing import node_box, node_words
from hornbeam.display.drawing.canvas import Canvas
from hornbeam.display.drawing.drawing_context import DrawingContext
from hornbeam.display.drawing.node_box import INNER, PAD, WIDTH
from hornbeam.display.drawing.text_width import SMALL, TINY, VERDICT, shortened, text_width
from hornbeam.display.rows_at_nodes import some_points
from hornbeam.tree import equations
from hornbeam.tree import words as tree_words
from hornbeam.tree.answers import quantile_levels, quantiles_at
from hornbeam.tree.arrays import LEAF
from hornbeam.tree.scores import digits
from hornbeam.tree.survival_curves import answering as answering_curves
from hornbeam.tree.survival_curves import brief_facts_text, curve_of, some_places
from hornbeam.tree.tree import Tree

Part = dict[str, Any]  # an equation or one of its terms, as `Tree.leaf_models` has them

_LEFT = 14.0
_ROOM = WIDTH - _LEFT - PAD
_TALL = 40.0  # the picture of an equation


def class_leaf(context: DrawingContext, node: int) -> Canvas:
    """Return the box of a leaf that answers with a class."""
    tree, plain = context.tree, context.tree.uncounted
    box = Canvas(WIDTH, 34 if plain else 54)
    answer, share = node_words.answer_and_share(tree, node)
    node_box.draw_answer(
        box, 21 if plain else 18, answer, node_box.node_number(context, node), left=_LEFT, share=share
    )
    if not plain:
        node_box.draw_strip(box, context, node, _LEFT, 25, _ROOM)
        wrong = node_words.wrong_at(tree, node)
        words = f"{tree_words.records(wrong)} wrong" if wrong > 0 else "none wrong"
        reason = tree_words.decided_by(tree, node, tree.answers()[node])
        words = " · ".join(filter(None, [node_words.rows_at(tree, node), words, reason]))
        if tree.n_rows[node] == 0:
            words = "no records: answers as its parent"
        box.text(_LEFT, 46, shortened(words, _ROOM, TINY), size=TINY, fill="muted")
    return node_box.framed(box, box.height, bar=context.colours[int(tree.label[node])])


def number_leaf(context: DrawingContext, node: int) -> Canvas:
    """Return the box of a leaf that answers with a number: its place on the axis all leaves share."""
    tree, mean = context.tree, float(context.answers[node])
    box = Canvas(WIDTH, 34 if tree.uncounted else 58)
    words = node_box.mean_and_spread(context, node)[0]
    level = tree.meta.get("answers", {}).get("level")
    if quantile_levels(tree) and level is not None:
        words = f"{'median' if level == 0.5 else f'{100 * float(level):g} %:'} {digits(mean)}"
    node_box.draw_answer(
        box, 21 if tree.uncounted else 18, words, node_box.rows_and_number(context, node), left=_LEFT
    )
    if not tree.uncounted:
        _draw_middle(context, node, box, 33)
    return node_box.framed(box, box.height, bar="real", opacity=context.opacity(mean))


def _draw_middle(context: DrawingContext, node: int, box: Canvas, y: float) -> None:
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
    box.line(_LEFT, y, _LEFT + _ROOM, y, stroke="axis")
    left, right, at = (axis.place(value, _LEFT, _ROOM) for value in (low, high, mean))
    box.rect(left, y - 5, max(right - left, 1.5), 10, fill="real", opacity=0.4)
    box.line(at, y - 6.5, at, y + 6.5, stroke="ink", width=1.8)
    ends = (("start", 0.0, digits(axis.low)), ("middle", _ROOM / 2, words), ("end", _ROOM, digits(axis.high)))
    for anchor, along, text in ends:
        box.text(_LEFT + along, y + 18, text, size=TINY, fill="muted", anchor=anchor)


def density_leaf(context: DrawingContext, node: int) -> Canvas:
    """Return the box of a leaf of a density tree: how dense, and how much of everything is in it."""
    tree, box = context.tree, Canvas(WIDTH, 54)
    share = float(tree.weight[node] / max(float(tree.weight[0]), math.ulp(0.0)))
    words = f"density {node_words.prediction(tree, node)}"
    node_box.draw_answer(box, 18, words, node_box.node_number(context, node), left=_LEFT)
    box.rect(_LEFT, 25, _ROOM * share, 7, fill="real")
    box.rect(_LEFT, 25, _ROOM, 7, stroke="outline", stroke_width=0.7, radius=1)
    words = f"{node_words.rows_at(tree, node)} · {tree_words.percent(share)} of all"
    box.text(_LEFT, 46, words, size=TINY, fill="muted")
    return node_box.framed(box, 54, bar="real", opacity=context.opacity(float(context.answers[node])))


def survival_leaf(context: DrawingContext, node: int) -> Canvas:
    """Return the box of a leaf of a survival tree: its risk, its survival curve and that of all rows."""
    tree, risk = context.tree, float(context.answers[node])
    box = Canvas(WIDTH, 34 if tree.uncounted else 40 + _TALL + 22)
    words = f"risk {digits(risk)}"
    node_box.draw_answer(box, 18, words, node_box.rows_and_number(context, node), left=_LEFT)
    if not tree.uncounted:
        own = int(answering_curves(tree)[node])
        last = max(float(tree.curve_time.max()), math.ulp(0.0))
        for curve, colour, width in ((0, "axis", 1.2), (own, "real", 1.8)):
            _draw_survival(box, curve_of(tree, curve), last, 26, colour, width)
        box.line(_LEFT, 26 + _TALL, _LEFT + _ROOM, 26 + _TALL, stroke="axis")
        for anchor, along, text in (("start", 0.0, "0"), ("end", _ROOM, digits(last))):
            box.text(_LEFT + along, 26 + _TALL + 10, text, size=TINY, fill="muted", anchor=anchor)
        facts = brief_facts_text(tree, node) or "no records: answers as its parent"
        box.text(_LEFT, 26 + _TALL + 24, shortened(facts, _ROOM, TINY), size=TINY, fill="muted")
    return node_box.framed(box, box.height, bar="real", opacity=context.opacity(risk))


def _draw_survival(
    box: Canvas, curve: SurvivalCurve, last: float, y: float, colour: str, width: float
) -> None:
    """Draw a survival curve as steps from 1, at the top, to the right as far as it is known."""
    steps: list[tuple[Any, ...]] = [("M", _LEFT, y)]
    height = y
    places = some_places(len(curve.time))
    survival = curve.survival()
    for place in places:
        x = _LEFT + _ROOM * float(curve.time[place]) / last
        steps.append(("L", x, height))
        height = y + _TALL * (1.0 - float(survival[place]))
        steps.append(("L", x, height))
    if len(survival) and survival[-1] > 0:
        steps.append(("L", _LEFT + _ROOM, height))
    box.path(steps, stroke=colour, width=width)


def folded_node(context: DrawingContext, node: int) -> Canvas:
    """Return the box that stands for a subtree not drawn: what is in it and how it errs."""
    tree, box = context.tree, Canvas(WIDTH, 56)
    n_nodes, n_leaves = count_below(tree, node)
    node_box.draw_answer(box, 18, f"▸ {n_nodes:,} nodes, {n_leaves:,} leaves", "")
    words = " · ".join(filter(None, [node_words.rows_at(tree, node), _training_loss(context, node)]))
    number = node_box.node_number(context, node)
    room = INNER - text_width(number, SMALL) - 6
    box.text(PAD, 33, shortened(words, room, SMALL), size=SMALL, fill="muted")
    box.text(WIDTH - PAD, 33, number, size=SMALL, fill="muted", anchor="end")
    if tree.classes is not None:
        node_box.draw_strip(box, context, node, PAD, 41, INNER)
    else:
        words = shortened(" ".join(node_words.tested(tree, node)), INNER, SMALL)
        box.text(PAD, 48, words, size=SMALL, fill="muted")
    pile = Canvas(WIDTH + 6, 62)
    for step in (6.0, 3.0):  # the edges of the boxes beneath
        pile.rect(step, step, WIDTH, 56, fill="card", stroke="border", radius=7)
    pile.root.items += node_box.framed(box, 56).root.items
    return pile


def count_below(tree: Tree, node: int) -> tuple[int, int]:
    """Return how many nodes and leaves are under a node, without itself.

    >>> count_below(Tree.from_nested({"column": "a", "<=": 1, "yes": "p", "no": "q"}), 0)
    (2, 2)
    """
    inside = [inner for inner, _ in tree.walk(node)]
    return len(inside) - 1, int((tree.kind[inside] == LEAF).sum())


def _training_loss(context: DrawingContext, node: int) -> str:
    """How the leaves of a subtree err on the training rows."""
    tree = context.tree
    if tree.uncounted or tree.weight[node] <= 0:
        return ""
    leaves = [inner for inner, _ in tree.walk(node) if tree.first_child[inner] < 0]
    if tree.classes is not None:
        wrong = sum(node_words.wrong_at(tree, leaf) for leaf in leaves)
        return f"{tree_words.percent(wrong / float(tree.weight[node]))} wrong" if wrong > 0 else "none wrong"
    if tree.task.has_spread:
        square = float((tree.weight[leaves] * context.spreads[leaves] ** 2).sum() / tree.weight[node])
        return f"leaves ± {digits(math.sqrt(square), 2)}"
    return ""


# --- leaves with an equation --------------------------------------------------------------------------------


def equation_leaf(context: DrawingContext, node: int) -> Canvas:
    """Return the box of a leaf with an equation."""
    model = context.tree.leaf_models[node]
    terms = sorted(model["terms"], key=lambda term: -_effect(context, node, term))
    has_line = context.has_outcomes and bool(terms) and terms[0].get("power", 0) > 0
    foot = 26 + (_TALL + 12 if has_line else 14)
    box = Canvas(WIDTH, foot + 9)
    mean, spread = float(context.answers[node]), float(context.spreads[node])
    box.text(_LEFT, 18, _equation_words(model, terms), size=VERDICT, bold=True)
    if has_line:
        _draw_line(context, node, model, terms[0], box, 25)
    facts = node_box.rows_and_number(context, node)
    words = f"mean {digits(mean)} ± {digits(spread)}"
    if not math.isnan(model["error"]):
        words = f"rmse {digits(math.sqrt(max(model['error'], 0.0)), 2)} (mean {digits(spread, 2)})"
    words = shortened(words, _ROOM - text_width(facts, SMALL) - 6, TINY)
    box.text(_LEFT, foot, words, size=TINY, fill="muted")
    box.text(WIDTH - PAD, foot, facts, size=SMALL, fill="muted", anchor="end")
    return node_box.framed(box, box.height, bar="real", opacity=context.opacity(mean))


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
        text = "y ≈ " + digits(model["intercept"])
        for term in terms[:n_terms]:
            sign = "−" if term["coefficient"] < 0 else "+"
            text += f" {sign} {digits(abs(term['coefficient']), 2)}·{_variable(term)}"
        if len(terms) > n_terms:
            text += f" …+{len(terms) - n_terms}"
        if text_width(text, VERDICT, bold=True) <= _ROOM:
            return text
    return shortened(text, _ROOM, VERDICT, bold=True)


def _variable(term: Part) -> str:
    if "values" in term:
        return f"[{term['column']}]"
    name = f"({term['column']} − {digits(term['center'])})" if term["center"] else str(term["column"])
    return name if term["power"] == 1 else f"{name}^{term['power']}"


def _draw_line(context: DrawingContext, node: int, model: Part, term: Part, box: Canvas, y: float) -> None:
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
        return [(axis.place(a, _LEFT, _ROOM), y + _TALL - 2 - height(b, 0, _TALL - 4)) for a, b in points]

    answers = equations.evaluate(context.tree, context.rows.table.arrays, np.full(len(rows), node), rows)
    rest = float(np.mean(answers[known]) - np.mean(_term_values(term, values)[known]))
    points = place(some_points(values, context.rows.outcome[rows]))
    box.dots(points, fill="real", width=2.6, opacity=0.55)
    grid = np.linspace(values[known].min(), values[known].max(), 2 if term["power"] == 1 else 24)
    heights = np.clip(rest + _term_values(term, grid), model["low"], model["high"])
    first, *others = place(zip(grid.tolist(), heights.tolist(), strict=True))
    box.path([("M", *first), *(("L", *at) for at in others)], stroke="ink", width=1.6, dash=(4, 2))
