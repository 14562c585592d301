"""Pictures of trees; SVG needs no other program, axes, PNG and PDF need matplotlib."""

from hornbeam.display.drawing.picture import Picture, draw, plot_tree
from hornbeam.display.drawing.plot_path import plot_path
from hornbeam.display.drawing.plot_regions import plot_regions

__all__ = ["Picture", "draw", "plot_path", "plot_regions", "plot_tree"]
