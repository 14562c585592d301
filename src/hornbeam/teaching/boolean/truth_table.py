"""Truth tables: a function of Boolean variables, written out.

One idea: row r of 2^n has the variables' values in the binary digits of r, the first variable in the highest,
so that the outputs alone say everything::

    A B C   row   output          outputs = (f(0,0,0), f(0,0,1), f(0,1,0), ...)
    0 0 0    0      f(0,0,0)
    0 0 1    1      f(0,0,1)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hornbeam._base.text import aligned
from hornbeam._base.types import Bools


@dataclass(frozen=True)
class TruthTable:
    """A function of Boolean variables; made by `truth_table`.

    Attributes
    ----------
    variables : tuple of str
    outputs : tuple
        What the function gives for each of the 2^n assignments, in the order of counting: the first variable
        changes slowest, false comes before true. Truth values, 0 and 1, or any labels.

    Examples
    --------
    >>> from hornbeam.teaching.boolean import truth_table
    >>> table = truth_table("A or B")
    >>> table.outputs, table.n_true, table(A=0, B=1)
    ((False, True, True, True), 3, True)
    """

    variables: tuple[str, ...]
    outputs: tuple[Any, ...]

    @property
    def X(self) -> dict[str, list[bool]]:  # noqa: N802 (X is the table everywhere)
        """The assignments, a column of truth values for each variable."""
        return {name: column.tolist() for name, column in columns_of(self.variables).items()}

    @property
    def y(self) -> list[Any]:
        """The outputs, one for each row of `X`."""
        return list(self.outputs)

    @property
    def n_rows(self) -> int:
        """The number of assignments, 2^n."""
        return len(self.outputs)

    @property
    def is_boolean(self) -> bool:
        """Whether all outputs are truth values, or 0 and 1."""
        return all(output in (False, True) for output in self.outputs)

    @property
    def n_true(self) -> int:
        """How many assignments satisfy the function."""
        return int(self.where(value=True).sum())

    def where(self, value: Any) -> Bools:
        """On which rows the function gives `value`."""
        if value in (False, True) and not self.is_boolean and value not in self.outputs:
            labels = ", ".join(map(repr, dict.fromkeys(self.outputs)))
            raise ValueError(
                f"the function gives no truth values but {labels}: say which of them is meant, as in"
                f" value={self.outputs[0]!r}"
            )
        return np.array([output == value for output in self.outputs], dtype=np.bool_)

    def __call__(self, **values: Any) -> Any:
        """The output for one assignment, given by name: `table(A=True, B=0)`."""
        lost = [name for name in self.variables if name not in values]
        strange = [name for name in values if name not in self.variables]
        if lost or strange:
            fault = f"no value for {lost[0]!r}" if lost else f"{strange[0]!r} is no variable"
            raise ValueError(f"{fault}: give each of {', '.join(self.variables)} once")
        row = 0
        for name in self.variables:
            row = 2 * row + bit(values[name], f"{name}={values[name]!r}")
        return self.outputs[row]

    def __str__(self) -> str:
        rows = zip(*(map(int, column) for column in self.X.values()), self.outputs, strict=True)
        lines = [[*self.variables, "output"], *([str(cell) for cell in row] for row in rows)]
        return "\n".join(aligned(lines))


def columns_of(variables: Sequence[str]) -> dict[str, Bools]:
    """The columns of all assignments.

    >>> columns_of(["A", "B"])["A"]
    array([False, False,  True,  True])
    """
    n = len(variables)
    rows = np.arange(2**n)
    return {name: (rows >> (n - 1 - k) & 1).astype(np.bool_) for k, name in enumerate(variables)}


def bit(value: Any, what: str) -> int:
    """A truth value as 0 or 1; `what` begins the sentence if it is none."""
    if value in (0, 1):
        return int(value)
    if isinstance(value, str) and value in ("0", "1"):
        return int(value)
    raise ValueError(f"{what} must be true or false, or 0 and 1")
