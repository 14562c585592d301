"""The importances of columns, to be looked up, printed and put into a data frame.

The most important column comes first, its bar is the longest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from hornbeam._base.parameters import check_choice, did_you_mean
from hornbeam.data.formatting import visible
from hornbeam.data.frames import import_pandas

_BAR = 20  # characters of the longest bar


@dataclass(frozen=True)
class ColumnImportance:
    """One column: its importance, and between which bounds, where they are known."""

    column: str
    value: float
    low: float | None = None
    high: float | None = None


class Importance(Sequence[ColumnImportance]):
    """The columns of a model, the most important first; `str()` has a bar for each.

    Attributes
    ----------
    method : "impurity" or "permutation"
    scoring : str or None
        What got worse; None for "impurity".
    confidence : float
    """

    def __init__(
        self, importances: Sequence[ColumnImportance], method: str, scoring: str | None, confidence: float
    ) -> None:
        order = sorted(range(len(importances)), key=lambda k: (-importances[k].value, k))
        self._importances = tuple(importances[k] for k in order)
        self.method, self.scoring, self.confidence = method, scoring, confidence

    def __len__(self) -> int:
        return len(self._importances)

    def __getitem__(self, which: Any) -> Any:
        if not isinstance(which, str):
            return self._importances[which]
        for one in self._importances:
            if one.column == which:
                return one
        names = [one.column for one in self._importances]
        raise KeyError(
            f"no column is called {which!r}{did_you_mean(which, names)}: there are {', '.join(names)}"
        )

    def text(self, charset: str = "unicode") -> str:
        """A line for each column; `charset="ascii"` for terminals that know no other signs."""
        check_choice("charset", charset, ("unicode", "ascii"))
        block = "#" if charset == "ascii" else "█"
        width = max((len(visible(one.column)) for one in self._importances), default=0)
        most = max((one.value for one in self._importances), default=0.0)
        lines = []
        for one in self._importances:
            length = round(_BAR * one.value / most) if most > 0 and one.value > 0 else 0
            bar = block * max(length, 1 if one.value > 0 else 0)
            between = "" if one.low is None else f"  ({one.low:.4f} to {one.high:.4f})"
            lines.append(
                f"{visible(one.column).ljust(width)}  {one.value:7.4f}  {bar.ljust(_BAR)}{between}".rstrip()
            )
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text()

    def columns(self) -> dict[str, list[Any]]:
        """A column for each fact, for any data frame: `polars.DataFrame(importance.columns())`."""
        return {part.name: [getattr(one, part.name) for one in self] for part in fields(ColumnImportance)}

    def to_frame(self) -> Any:
        """A pandas data frame with a row for each column."""
        return import_pandas("give importance.columns() to another library").DataFrame(self.columns())

    def to_dict(self) -> dict[str, Any]:
        """The facts as plain values that JSON can hold, with "schema": "hornbeam/importance/1"."""
        return {
            "schema": "hornbeam/importance/1",
            "method": self.method,
            "scoring": self.scoring,
            "confidence": self.confidence,
            "columns": [asdict(one) for one in self],
        }
