"""Pictures and pages of trees: drawing, reports, and the viewer in `web`.

`TreeDisplay`, `BoundaryDisplay` and `PruningPathDisplay` are the pictures as scikit-learn's display objects.
"""

from typing import TYPE_CHECKING

from hornbeam._base.lazy_names import import_when_used

if TYPE_CHECKING:
    from hornbeam.display.sklearn_displays import BoundaryDisplay, PruningPathDisplay, TreeDisplay

__all__ = ["BoundaryDisplay", "PruningPathDisplay", "TreeDisplay"]
__getattr__ = import_when_used(__name__, dict.fromkeys(__all__, "display.sklearn_displays"))
