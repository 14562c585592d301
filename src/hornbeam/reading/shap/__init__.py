"""Shapley values of the columns: how much each adds to what a model answers for a row.

One idea: what a tree would answer if it knew only some columns of a row is a sum over its leaves, and in each
leaf a product over the columns; the Shapley values of a product are one integral, which a few points give
exactly.
"""
