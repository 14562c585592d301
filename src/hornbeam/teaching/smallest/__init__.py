"""The smallest consistent trees of a table, by exhaustive search, for tables small enough."""

from __future__ import annotations

from hornbeam.teaching.smallest.consistent_count import count_consistent_trees
from hornbeam.teaching.smallest.smallest_search import SearchTooLargeError
from hornbeam.teaching.smallest.smallest_tree import (
    count_smallest_trees,
    smallest_size,
    smallest_tree,
    smallest_trees,
)

__all__ = [
    "SearchTooLargeError",
    "count_consistent_trees",
    "count_smallest_trees",
    "smallest_size",
    "smallest_tree",
    "smallest_trees",
]
