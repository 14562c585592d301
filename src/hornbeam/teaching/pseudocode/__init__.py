"""Growing as pseudo-code: what an algorithm does at a node, line by line, with its numbers."""

from hornbeam.teaching.pseudocode.listing import Line, Listing, listing_of, listings
from hornbeam.teaching.pseudocode.node_walk import NodeWalk, WalkStep, WalkTable, walk

__all__ = ["Line", "Listing", "NodeWalk", "WalkStep", "WalkTable", "listing_of", "listings", "walk"]
