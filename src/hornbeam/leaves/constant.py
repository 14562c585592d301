"""A leaf answers with the class shares, or the mean, of its training rows (R46, R64)."""

from __future__ import annotations

from hornbeam.parts import Part


class LeafModel(Part):
    """What a leaf answers with."""


class Constant(LeafModel):
    """The majority class and the class shares, or the mean."""

    name, about = "constant", "majority class and shares, or mean"
