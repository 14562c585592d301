"""Editing a tree by hand: `edit` and `replay` give a Draft; `apply` is one operation, Tree -> Tree.

One file per operation, one table of them (`operations`). Everything an operation needs besides the tree is
its Ground: the estimator, the table and the target.
"""

from hornbeam.editing.draft import Draft, Revision
from hornbeam.editing.edit import edit, replay
from hornbeam.editing.edit_context import Ground
from hornbeam.editing.operations import OPERATIONS, apply

__all__ = ["OPERATIONS", "Draft", "Ground", "Revision", "apply", "edit", "replay"]
