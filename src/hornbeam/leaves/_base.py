"""What every leaf model answers."""

from __future__ import annotations

from typing import Any

from hornbeam.parts import Part
from hornbeam.target import Target


class LeafModel(Part):
    """What a leaf answers with."""

    def voice(self, target: Target) -> dict[str, Any]:  # noqa: ARG002 (the same for all targets)
        """What differs from shares and means, by the names of `hornbeam.voice.Voice`."""
        return {}
