"""Pictures of trees; SVG needs no other program, axes, PNG and PDF need matplotlib."""

from hornbeam.drawing.curves import plot_path
from hornbeam.drawing.picture import Picture, draw
from hornbeam.drawing.regionplot import plot_regions
from hornbeam.drawing.treeplot import plot_tree

__all__ = ["Picture", "draw", "plot_path", "plot_regions", "plot_tree"]
