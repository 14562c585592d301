"""What needs no tree: array types, checks of parameters, files written whole, significance tests."""
