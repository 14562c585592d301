"""Files: models and trees saved as `*.tree.json` and read back, exactly and without running anything."""

from hornbeam.files.loading import load
from hornbeam.files.saving import save

__all__ = ["load", "save"]
