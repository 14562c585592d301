"""Names, categories and class labels (dates among them) as plain values and as literals of each language.

One idea: everything outside plain ASCII letters is escaped, so no name of a column and no category can end a
string, a comment, a line or a script.
"""

from __future__ import annotations

import json
import math
import string
from typing import Any

from hornbeam.data.formatting import category_text


def plain_value(value: Any) -> str | int | float | bool:
    """A label or category as text, a number or a truth value; dates and the like as Python writes them.

    >>> import datetime
    >>> plain_value(datetime.date(2024, 5, 1)), plain_value(2.5)
    ('2024-05-01', 2.5)
    """
    return value if isinstance(value, str | int | float | bool) else str(value)


def is_odd(values: Any) -> bool:
    """Whether some of the values are written as text although they are none: dates, spans, ...

    >>> is_odd(("a", "b")), is_odd((1, 2.5))
    (False, False)
    """
    return any(not isinstance(value, str | int | float | bool) for value in values)


# --- Python -------------------------------------------------------------------------------------------------


def python_value(value: Any) -> str:
    """A Python literal in ASCII.

    >>> print(python_value("it's"), python_value(0.1), python_value(float("inf")))
    "it's" 0.1 float("inf")
    """
    value = plain_value(value)
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    return ascii(value)


# --- JavaScript ---------------------------------------------------------------------------------------------


def javascript_value(value: Any) -> str:
    """A JavaScript literal that may stand inside a page.

    >>> "<" in javascript_value("</script>")
    False
    """
    value = plain_value(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and not math.isfinite(value):
        return {"inf": "Infinity", "-inf": "-Infinity"}.get(str(value), "NaN")
    return json.dumps(value).replace("<", "\\u003c")


# --- C ------------------------------------------------------------------------------------------------------


def c_text(value: Any) -> str:
    """A C string literal of the UTF-8 bytes; other bytes than letters and digits are octal, no trigraphs.

    >>> "?" in c_text("a??/")
    False
    """
    data = (value if isinstance(value, str) else category_text(value)).encode("utf-8")
    fine = f"{string.ascii_letters}{string.digits} _-+./()=<>,:;".encode()
    safe = (chr(byte) if byte in fine else f"\\{byte:03o}" for byte in data)
    return f'"{"".join(safe)}"'


def c_number(value: float) -> str:
    """A C literal of a double that reads back exactly.

    >>> c_number(3), c_number(0.1), c_number(float("inf"))
    ('3.0', '0.1', 'HUGE_VAL')
    """
    if math.isinf(value):
        return "HUGE_VAL" if value > 0 else "-HUGE_VAL"
    return repr(float(value))


def comment(text: str) -> str:
    """Text for a comment of any language on one line: nothing that could end it.

    >>> comment("a */ b ??/ </script>")
    'a .. b ... ..script.'
    """
    fine = f"{string.ascii_letters}{string.digits} _-.,:()="
    return "".join(letter if letter in fine else "." for letter in text)
