"""What needs no tree: array types, checks, seeds, sums, text in columns, progress, significance tests."""
