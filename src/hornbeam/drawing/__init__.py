"""
Pictures of trees: cards, icicles, regions, paths. SVG needs no other program; the rest needs matplotlib.
"""

from hornbeam.drawing.picture import Picture, draw

__all__ = ["Picture", "draw"]
