"""The Tree: its arrays, checks and shape, what nodes answer, rows to leaves, and the words of a branch."""
