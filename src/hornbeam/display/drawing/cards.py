"""The card of a node: one function for each kind, in one table.

One idea: a card is chosen by what the node asks or how it answers; a new kind is one function and one line
here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hornbeam.display.drawing.card_pieces import Card
from hornbeam.display.drawing.drawing_context import Sheet
from hornbeam.display.drawing.equation_card import of_equation
from hornbeam.display.drawing.leaf_cards import folded, of_classes, of_density, of_numbers
from hornbeam.display.drawing.size_cards import by_size
from hornbeam.display.drawing.value_cards import by_value
from hornbeam.tree.arrays import (
    COLUMNS,
    EQUALS,
    EXPRESSION,
    HYPERPLANE,
    INTERVALS,
    LEAF,
    MULTIWAY,
    SUBSET,
    THRESHOLD,
)

Maker = Callable[[Sheet, int], Card]

BY_TEST: Mapping[int, Maker] = {
    THRESHOLD: by_size,
    INTERVALS: by_size,
    HYPERPLANE: by_size,
    SUBSET: by_value,
    EQUALS: by_value,
    MULTIWAY: by_value,
    COLUMNS: by_value,
    EXPRESSION: by_value,
}
BY_TASK: Mapping[str, Maker] = {"classes": of_classes, "real": of_numbers, "density": of_density}


def card(sheet: Sheet, node: int, *, is_folded: bool) -> Card:
    """Return the card of a node."""
    tree = sheet.tree
    if is_folded:
        return folded(sheet, node)
    if tree.kind[node] != LEAF:
        return BY_TEST[int(tree.kind[node])](sheet, node)
    if tree.has_models and tree.model_offset[node] < tree.model_offset[node + 1]:
        return of_equation(sheet, node)
    return BY_TASK[tree.task](sheet, node)
