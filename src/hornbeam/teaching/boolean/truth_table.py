"""Truth tables: a function of Boolean variables, written out from a formula, a list, a mapping or a function.

One idea: row r of 2^n has the variables' values in the binary digits of r, the first variable in the highest,
so that the outputs alone say everything::

    A B C   row   output          outputs = (f(0,0,0), f(0,0,1), f(0,1,0), ...)
    0 0 0    0      f(0,0,0)
    0 0 1    1      f(0,0,1)
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hornbeam._base.types import Bools
from hornbeam.data.formatting import aligned
from hornbeam.teaching.boolean.truth_formulas import BooleanFormula


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
        missing = [name for name in self.variables if name not in values]
        unknown = [name for name in values if name not in self.variables]
        if missing or unknown:
            fault = f"no value for {missing[0]!r}" if missing else f"{unknown[0]!r} is no variable"
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
    if value in (0, 1) or (isinstance(value, str) and value in ("0", "1")):
        return int(value)
    raise ValueError(f"{what} must be true or false, or 0 and 1")


# ---- making truth tables ---------------------------------------------------------------------------------
#
# Whatever a function is given as, its outputs are computed for all assignments, in the order of counting.


MOST_VARIABLES = 20


def truth_table(function: Any, variables: Sequence[str] | None = None) -> TruthTable:
    """The truth table of a formula, of a list or mapping of outputs, or of a Python function.

    Parameters
    ----------
    function : str, sequence, mapping, callable or TruthTable
        A formula such as `"(A or B) and not C"` (exclusive or is `!=`; `A + B + C >= 2` counts); the 2^n
        outputs in the order of counting, the first variable slowest; a mapping from each of the 2^n
        assignments, such as (0, 1), to its output; or a function of n truth values.
    variables : sequence of str or None
        The names, and their order. None: as they appear in the formula, the parameters of the function, else
        X1, X2, ... A formula may use fewer of them.

    Returns
    -------
    TruthTable

    Examples
    --------
    >>> truth_table("X2 and X5").n_true
    1
    >>> truth_table([0, 1, 1, 0]).X
    {'X1': [False, False, True, True], 'X2': [False, True, False, True]}
    >>> truth_table({(0, 0): "low", (0, 1): "mid", (1, 0): "mid", (1, 1): "high"}, ["a", "b"]).outputs
    ('low', 'mid', 'mid', 'high')
    >>> print(truth_table(lambda a, b: a and not b))
    a  b  output
    0  0  False
    0  1  False
    1  0  True
    1  1  False
    """
    names = None if variables is None else _names(variables)
    if isinstance(function, TruthTable):
        return _renamed(function, names)
    if isinstance(function, str):
        return _of_formula(BooleanFormula(function), names)
    if isinstance(function, Mapping):
        return _of_mapping(function, names)
    if callable(function):
        return _of_callable(function, names)
    outputs = function.tolist() if hasattr(function, "tolist") else function
    if not isinstance(outputs, Sequence):
        raise TypeError(
            f"function={function!r} must be a formula, the list of its 2^n outputs, a mapping from"
            " assignments to outputs, or a Python function"
        )
    return _of_outputs(tuple(outputs), names)


def _of_formula(formula: BooleanFormula, names: tuple[str, ...] | None) -> TruthTable:
    used = formula.variables
    names = names or _names(used)
    unknown = [name for name in used if name not in names]
    if unknown:
        raise ValueError(
            f"formula {formula.text!r} uses {unknown[0]!r}, which is not among the variables"
            f" {', '.join(names)}"
        )
    return TruthTable(names, tuple(formula.evaluate(columns_of(names), 2 ** len(names)).tolist()))


def _of_mapping(function: Mapping[Any, Any], names: tuple[str, ...] | None) -> TruthTable:
    output_of: dict[tuple[int, ...], Any] = {}
    for key, output in function.items():
        values = key if isinstance(key, Sequence) else (key,)
        output_of[tuple(bit(value, f"the assignment {key!r}") for value in values)] = output
    names = names or _default_names(len(next(iter(output_of), ())))
    uneven = [bits for bits in output_of if len(bits) != len(names)]
    if uneven or not output_of:
        raise ValueError(
            f"the mapping has the assignment {uneven[0] if uneven else ()!r}, but there are {len(names)}"
            " variables: give each assignment as a tuple with a value for each variable"
        )
    every = [tuple(row) for row in np.stack([*columns_of(names).values()], axis=1).astype(int).tolist()]
    lacking = [bits for bits in every if bits not in output_of]
    if lacking:
        raise ValueError(
            f"the mapping says nothing about the assignment {lacking[0]}: give all {len(every)} of them; for"
            " a function known in part, use hornbeam.teaching.smallest_tree on its rows"
        )
    return _table(names, [output_of[bits] for bits in every])


def _of_callable(function: Callable[..., Any], names: tuple[str, ...] | None) -> TruthTable:
    if names is None:
        try:
            parameters = inspect.signature(function).parameters.values()
        except (TypeError, ValueError):
            raise ValueError(
                f"the parameters of {function!r} cannot be read: name them in variables"
            ) from None
        if any(one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD) for one in parameters):
            raise ValueError(f"{function!r} takes any number of values: name them in variables")
        names = _names([one.name for one in parameters])
    rows = zip(*(column.tolist() for column in columns_of(names).values()), strict=True)
    return _table(names, [function(*row) for row in rows])


def _of_outputs(outputs: tuple[Any, ...], names: tuple[str, ...] | None) -> TruthTable:
    width = max(len(outputs).bit_length() - 1, 0)
    if len(outputs) != 2**width or not width or (names is not None and len(names) != width):
        n_outputs = (
            f"2^{len(names)} = {2 ** len(names)}" if names else "2, 4, 8, ..., one for each assignment"
        )
        raise ValueError(f"there are {len(outputs)} outputs, but they must be {n_outputs}")
    return _table(names or _default_names(width), outputs)


def _renamed(table: TruthTable, names: tuple[str, ...] | None) -> TruthTable:
    if names is None or names == table.variables:
        return table
    if set(names) == set(table.variables):
        columns = columns_of(names)
        row = np.zeros(2 ** len(names), dtype=np.int64)
        for name in table.variables:
            row = 2 * row + columns[name]
        return TruthTable(names, tuple(table.outputs[r] for r in row.tolist()))
    raise ValueError(
        f"variables={list(names)} are not those of the truth table, {', '.join(table.variables)}: give these,"
        " in any order"
    )


def _default_names(n: int) -> tuple[str, ...]:
    return _names([f"X{k}" for k in range(1, n + 1)])


def _names(variables: Sequence[str]) -> tuple[str, ...]:
    names = (variables,) if isinstance(variables, str) else tuple(variables)
    if not all(isinstance(name, str) and name for name in names) or len(set(names)) != len(names):
        raise ValueError(f"variables={variables!r} must be different names")
    if not 1 <= len(names) <= MOST_VARIABLES:
        raise ValueError(
            f"the function has {len(names)} variables, but truth tables are written out for 1 to"
            f" {MOST_VARIABLES}"
        )
    return names


def _table(names: tuple[str, ...], outputs: Sequence[Any]) -> TruthTable:
    """A table of plain outputs; truth values mixed with 0 and 1 become truth values."""
    plain = [value.item() if isinstance(value, np.generic) else value for value in outputs]
    try:
        values = set(plain)
    except TypeError:
        raise TypeError(
            "an output is neither a truth value nor a label: use True, False, numbers or text"
        ) from None
    if values <= {0, 1} and len({type(value) for value in plain}) > 1:
        plain = [bool(value) for value in plain]
    return TruthTable(names, tuple(plain))
