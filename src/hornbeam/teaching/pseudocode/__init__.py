"""Growing as pseudo-code: what an algorithm does at a node, line by line, with its numbers."""

from hornbeam.teaching.pseudocode.algorithms import Listing, ListingLine, listing_of, listings
from hornbeam.teaching.pseudocode.node_walk import walk
from hornbeam.teaching.pseudocode.walk_steps import NodeWalk, WalkStep, WalkTable

__all__ = ["Listing", "ListingLine", "NodeWalk", "WalkStep", "WalkTable", "listing_of", "listings", "walk"]
