"""Tests of weighted sums of columns: the search for good directions."""
