"""Changing a row: the nearest rows that a tree answers otherwise (counterfactuals).

One idea: a tree answers the same everywhere in a box, so the nearest row of another answer is the nearest
point of another box. Going down the tree boxes only shrink and only move away, so a search that always
looks at the nearest box next finds the nearest answers in order.
"""
