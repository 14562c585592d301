"""Boolean functions: truth tables and formulas, their decision trees and their normal forms.

>>> from hornbeam.teaching import boolean
>>> table = boolean.truth_table("(A or B) and (C or not D or E)")
>>> table.n_true, boolean.minimal_leaves(table)
(21, 9)
>>> print(boolean.dnf(table))
(A AND C) OR (A AND NOT D) OR (A AND E) OR (B AND C) OR (B AND NOT D) OR (B AND E)
"""

from __future__ import annotations

from hornbeam.teaching.boolean.boolean_trees import count_smallest, minimal_leaves, tree_of
from hornbeam.teaching.boolean.normal_forms import DNF, dnf
from hornbeam.teaching.boolean.truth_table import TruthTable, truth_table

__all__ = ["DNF", "TruthTable", "count_smallest", "dnf", "minimal_leaves", "tree_of", "truth_table"]
