"""Editing a tree by hand: `edit` and `replay` give a Draft; `apply` is one operation, Tree -> Tree.

The operations stand in one table (`operations`). Everything an operation needs besides the tree is
its EditContext: the estimator, the table and the target.
"""

from hornbeam.editing.draft import Draft
from hornbeam.editing.edit import edit, replay
from hornbeam.editing.edit_context import EditContext
from hornbeam.editing.history import Changes, Revision
from hornbeam.editing.operations import OPERATIONS, apply

__all__ = ["OPERATIONS", "Changes", "Draft", "EditContext", "Revision", "apply", "edit", "replay"]
