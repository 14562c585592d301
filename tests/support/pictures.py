"""What tests of pictures share: reading a picture back, and the checks every picture has to pass."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np

from hornbeam.display.drawing.canvas import Group, Rect, Text
from hornbeam.display.drawing.text_width import text_width

SVG = "{http://www.w3.org/2000/svg}"


def parsed(picture):
    return ET.fromstring(picture.svg)


def words_of(picture):
    return [shape.text for shape in picture.canvas.shapes() if isinstance(shape, Text)]


def cards_of(picture):
    """The groups of cards, with the box of each: its first rectangle."""
    groups = [shape for shape in picture.canvas.root.items if isinstance(shape, Group)]
    return [(group, next(item for item in group.items if isinstance(item, Rect))) for group in groups]


def check_picture(picture):
    """Well-formed, cards apart, texts inside their cards and of at least nine pixels."""
    root = parsed(picture)
    assert root.tag == f"{SVG}svg"
    boxes = np.array([(r.x, r.y, r.x + r.width, r.y + r.height) for _, r in cards_of(picture)])
    assert boxes.min() >= 0
    assert boxes[:, 2].max() <= picture.width
    assert boxes[:, 3].max() <= picture.height
    across = (boxes[:, None, 2] > boxes[None, :, 0]) & (boxes[None, :, 2] > boxes[:, None, 0])
    along = (boxes[:, None, 3] > boxes[None, :, 1]) & (boxes[None, :, 3] > boxes[:, None, 1])
    assert np.array_equal(across & along, np.eye(len(boxes), dtype=bool))
    pills = [r for r in picture.canvas.root.items if isinstance(r, Rect) and r.ink.fill == "pill"]
    around = np.array([(r.x, r.y, r.x + r.width, r.y + r.height) for r in pills]).reshape(-1, 4)
    everything = np.concatenate([around, boxes])
    across = (around[:, None, 2] > everything[:, 0]) & (everything[:, 2] > around[:, None, 0])
    along = (around[:, None, 3] > everything[:, 1]) & (everything[:, 3] > around[:, None, 1])
    assert (across & along).sum() == len(pills)  # a label meets nothing but itself
    for group, box in cards_of(picture):
        for shape in group.items:
            if isinstance(shape, Text):
                check_inside(shape, box)
    for shape in picture.canvas.shapes():
        if isinstance(shape, Text):
            assert shape.size >= 9


def check_inside(text, box):
    width = text_width(text.text, text.size, bold=text.bold)
    left = text.x - {"start": 0, "middle": width / 2, "end": width}[text.anchor]
    assert left >= box.x - 0.5, text
    assert left + width <= box.x + box.width + 0.5, text
    assert box.y < text.y - text.size * 0.7, text
    assert text.y < box.y + box.height, text
