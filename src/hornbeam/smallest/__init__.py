"""The smallest consistent trees of a table, by exhaustive search, for tables small enough."""

from __future__ import annotations

from hornbeam.smallest.finding import count_smallest_trees, smallest_size, smallest_tree, smallest_trees
from hornbeam.smallest.search import SearchTooLargeError

__all__ = ["SearchTooLargeError", "count_smallest_trees", "smallest_size", "smallest_tree", "smallest_trees"]
