"""Results that show themselves: as text, as a table in a notebook, as a data frame.

One idea: a result says what its text is (`str`) and, if it is a table, which columns it has; what notebooks
and data frames need follows from these two. The HTML takes colours and fonts from the page it stands in, so
it can be read on light and dark pages, and tables that are too wide scroll by themselves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from numbers import Real
from typing import Any

from hornbeam.data.formatting import visible
from hornbeam.data.frames import import_pandas

_MOST_ROWS = 300  # of a table in a notebook; a data frame has all
_WIDEST = 64  # characters of a cell before its text is wrapped
_CELL = "padding:.2em .5em;border-bottom:1px solid #8884;vertical-align:top;text-align:"
_BOX = "overflow-x:auto;max-width:100%"
_TABLE = "border-collapse:collapse;font-variant-numeric:tabular-nums"
_LINES = "white-space:pre-wrap;word-break:normal;overflow-wrap:break-word;line-height:1.35"
_SMALLER = ";font-size:clamp(.72em,1.7vw,1em)"  # of tables of many columns, on a page or a phone
_MANY, _SHORT = 5, 14  # columns, characters


class ShownResult:
    """What notebooks show is `str()`, as plain text and as HTML that keeps its lines.

    >>> class Answer(ShownResult):
    ...     def __str__(self):
    ...         return "a < b"
    >>> Answer()._repr_mimebundle_()["text/plain"], "a &lt; b" in Answer()._repr_html_()
    ('a < b', True)
    """

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """What notebooks show, by media type."""
        del include, exclude
        return {"text/plain": str(self), "text/html": self._repr_html_()}

    def _repr_html_(self) -> str:
        return text_html(str(self))


class TabularResult(ShownResult):
    """A result with columns: notebooks show them as a table, `to_frame()` makes a data frame of them.

    >>> class Pairs(TabularResult):
    ...     def columns(self):
    ...         return {"name": ["a"], "share": [0.25]}
    >>> Pairs()._repr_html_().count("<td"), Pairs().to_frame().shape
    (2, (1, 2))
    """

    def columns(self) -> dict[str, list[Any]]:
        """A column for each fact, for any data frame: `polars.DataFrame(result.columns())`."""
        raise NotImplementedError

    def to_frame(self) -> Any:
        """Return a pandas data frame with the columns."""
        return import_pandas("give .columns() to another library").DataFrame(self.columns())

    def shown_tables(self) -> list[Mapping[str, Sequence[Any]]]:
        """Return the tables that a notebook shows, each by its columns."""
        return [self.columns()]

    def shown_text(self) -> str:
        """Return what stands above the tables in a notebook."""
        return ""

    def _repr_html_(self) -> str:
        text = self.shown_text()
        return (text_html(text) if text else "") + "".join(map(table_html, self.shown_tables()))


class TextResult(ShownResult):
    """A text that notebooks show as it is.

    >>> print(TextResult("100 trees"))
    100 trees
    """

    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        return self.text


def text_html(text: str) -> str:
    """Return text as HTML that keeps its lines."""
    return f'<pre style="{_BOX};{_LINES}">{escape(text)}</pre>'


def table_html(columns: Mapping[str, Sequence[Any]]) -> str:
    """Return columns as an HTML table; numbers stand at the right.

    >>> print(table_html({"x": [0.123456]}).split("<tbody>")[1].split("</tbody>")[0].split(">")[2])
    0.1235</td
    """
    styles = {name: _CELL + _cell_style(values) for name, values in columns.items()}
    wrapped = {
        name: ";white-space:normal" + ";overflow-wrap:anywhere" * (len(name) > _SHORT) for name in columns
    }
    heads = "".join(
        f'<th style="{styles[name]}{wrapped[name]}">{escape(visible(name))}</th>' for name in columns
    )
    n_rows = max((len(values) for values in columns.values()), default=0)
    lines = []
    for k in range(min(n_rows, _MOST_ROWS)):
        cells = (
            f'<td style="{styles[name]}">{escape(_cell(values[k]))}</td>' for name, values in columns.items()
        )
        lines.append(f"<tr>{''.join(cells)}</tr>")
    more = f"<p>and {n_rows - _MOST_ROWS:,} more rows</p>" if n_rows > _MOST_ROWS else ""
    smaller = _SMALLER if len(columns) >= _MANY else ""
    return (
        f'<div style="{_BOX}"><table style="{_TABLE}{smaller}">'
        f"<thead><tr>{heads}</tr></thead><tbody>{''.join(lines)}</tbody></table></div>{more}"
    )


def _cell_style(values: Sequence[Any]) -> str:
    """Numbers at the right; text at the left with its lines kept, and room for long sentences."""
    if values and all(isinstance(value, Real) or value is None for value in values):
        return "right"
    longest = max((len(line) for value in values for line in _cell(value).split("\n")), default=0)
    # a share of the window, so that a printed page holds several such columns
    if longest <= _SHORT:
        return "left;white-space:pre"
    return f"left;white-space:pre-line;min-width:min({min(longest, _WIDEST) * 0.5:.0f}em, 16vw)"


def _cell(value: Any) -> str:
    """A value of a table, short: four significant digits, lists and dicts in words."""
    if value is None or value != value:  # nan
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(f"{visible(str(key))} {_cell(one)}" for key, one in value.items())
    if isinstance(value, Real):
        number = float(value)
        return f"{number:,.0f}" if number.is_integer() and abs(number) < 1e15 else f"{number:.4g}"
    text = str(value)
    return "\n".join(map(visible, text.split("\n"))) if text else ""
