"""Tests of significance: chi-square and F for groups (CHAID), permutation tests (conditional inference).

One idea: everything here works on tables of counts and on columns of numbers, and knows nothing of trees.
"""

from hornbeam._base.significance.chaid_groups import ChaidMerge, chaid_merge, chaid_multiplier
from hornbeam._base.significance.contingency import ChiSquareTest, chi_square, chi_square_critical

__all__ = [
    "ChaidMerge",
    "ChiSquareTest",
    "chaid_merge",
    "chaid_multiplier",
    "chi_square",
    "chi_square_critical",
]
