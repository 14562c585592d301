"""A leaf answers with a polynomial of its numeric columns, by least squares (R67)."""

from __future__ import annotations

from typing import Any

from hornbeam.growing.leaves.linear import Equations


class Polynomial(Equations):
    """A polynomial in each leaf: the sum of one polynomial for each column, without products of columns.

    In every node y = a + sum over the chosen columns and p = 1 ... degree of b (x - c)^p, by least squares. A
    node of fewer rows than coefficients does with the next lower degree, at last with its mean. The center
    c is 0 unless the column's values lie far from it (years, say): then a round number near their middle, so
    that the powers stay apart. Columns of `monotonic_cst` enter linearly.

    Parameters
    ----------
    degree : int
        The highest power, 1 to 9.
    columns, ridge, clip, grown_on, drop, nominal, smoothing
        As for `Linear`. With a ridge, or where terms are dropped, the degree is not lowered below 1.

    Examples
    --------
    >>> import hornbeam as hb
    >>> from hornbeam.parts import Polynomial
    >>> X, y = {"x": [0, 1, 2, 3]}, [1, 3, 7, 13]
    >>> model = hb.TreeRegressor(leaf=Polynomial(degree=2), max_depth=0).fit(X, y)
    >>> print(hb.show(model, charset="ascii"))
    -> 1 + x + x^2  within 1 to 13  n=4
    >>> model = hb.TreeRegressor(leaf=Polynomial(degree=1), max_depth=0).fit(X, y)
    >>> [round(t["coefficient"], 6) for t in model.tree_.leaf_models[0]["terms"]]
    [4.0]
    """

    name, about = "polynomial", "a polynomial by least squares"

    def __init__(
        self,
        degree: int = 2,
        columns: Any = None,
        ridge: float = 0.0,
        clip: bool = True,  # noqa: FBT001, FBT002 (scikit-learn's way of naming a switch)
        grown_on: str = "target",
        drop: str | None = None,
        nominal: str = "none",
        smoothing: float = 0.0,
    ) -> None:
        self.degree = degree
        self.columns = columns
        self.ridge = ridge
        self.clip = clip
        self.grown_on = grown_on
        self.drop = drop
        self.nominal = nominal
        self.smoothing = smoothing

    def check(self) -> None:
        """Raise if a number is out of its range."""
        super().check()
        if isinstance(self.degree, bool) or not isinstance(self.degree, int) or not 1 <= self.degree <= 9:
            raise ValueError(f"degree={self.degree!r} must be a whole number from 1 to 9")

    @property
    def highest_power(self) -> int:
        """The degree."""
        return self.degree
