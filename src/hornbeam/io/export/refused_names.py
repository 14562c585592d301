"""Names and values that a language cannot take or tell apart, refused by a sentence before writing.

One idea: a text that is quoted well can still be one that the language has no room for, such as two columns
of a database whose names differ in case only.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Sequence

from hornbeam.data.columns import Column
from hornbeam.data.formatting import category_text

# Words of C and JavaScript that are no keywords of Python.
_RESERVED = frozenset(
    re.findall(
        r"\w+",
        """auto case catch char const debugger default delete do double enum export extern false float
        function goto inline instanceof int let long main math module new null register restrict short
        signed sizeof static struct super switch this throw true typedef typeof undefined union unsigned
        var void volatile""",
    )
)


def refuse_broken_text(columns: Sequence[Column], classes: Iterable[object]) -> None:
    """Raise if a name, value or class is text that is not Unicode, which nothing can write.

    >>> refuse_broken_text([Column("width", "numeric")], ["a"])
    """
    for text in _texts(columns, classes):
        if any("\ud800" <= letter <= "\udfff" for letter in text):
            raise ValueError(f"the text {text!r} is not Unicode (lone surrogates): rename it")


def refuse_null_text(columns: Sequence[Column], classes: Iterable[object], language: str) -> None:
    """Raise if a name, value or class holds a null character, which ends a string in many places.

    >>> refuse_null_text([Column("width", "numeric")], ["a"], "C")
    """
    for text in _texts(columns, classes):
        if "\x00" in text:
            raise ValueError(
                f"the text {text!r} holds a null character, which {language} cannot write: rename it"
            )


def refuse_twin_texts(columns: Sequence[Column], language: str) -> None:
    """Raise if two values of a column are written alike, such as 1 and "1".

    >>> refuse_twin_texts([Column("code", "nominal", (1, 2))], "C")
    """
    for column in columns:
        seen: set[str] = set()
        for text in map(category_text, column.categories):
            if text in seen:
                raise ValueError(
                    f"column {column.name!r} has two values that {language} writes as {text!r}: rename one"
                )
            seen.add(text)


def refuse_database_names(columns: Sequence[Column]) -> None:
    """Raise if columns have no name, or names that are one to a database, which ignores case.

    >>> refuse_database_names([Column("width", "numeric"), Column("length", "numeric")])
    """
    seen: dict[str, str] = {}
    for column in columns:
        if not column.name:
            raise ValueError("a column has an empty name, which SQL cannot write: rename it")
        twin = seen.setdefault(column.name.lower(), column.name)
        if twin != column.name:
            raise ValueError(
                f"the columns {twin!r} and {column.name!r} are one to a database, which ignores case: rename"
                " one of them"
            )


def refuse_in_sql(columns: Sequence[Column], classes: Iterable[object]) -> None:
    """Raise for names and texts that no database takes.

    >>> refuse_in_sql([Column("width", "numeric")], ["a"])
    """
    refuse_database_names(columns)
    refuse_null_text(columns, classes, "SQL")


def refuse_taken_names(made: Sequence[str], given: Iterable[str]) -> None:
    """Raise if a column that a query makes has the name of one that it gives back, whatever its case.

    >>> refuse_taken_names(["prediction"], ["width"])
    """
    taken = {name.lower(): name for name in given}
    for one in made:
        if one.lower() in taken:
            raise ValueError(
                f"the result would have two columns {one!r}: give the prediction another name, such as"
                f" name={f'{made[0]}_2'!r}, or list in keep= the columns to give back"
            )


def check_function_name(name: str) -> None:
    """Raise unless a name can be that of a function in every language.

    >>> check_function_name("predict_churn")
    """
    word = isinstance(name, str) and name.isidentifier() and name.isascii() and not name.startswith("hb_")
    if not word or keyword.iskeyword(name) or name in _RESERVED:
        raise ValueError(
            f"name={name!r} must be a word of ASCII letters, digits and _ that is no keyword and does not"
            " begin with 'hb_', such as 'predict'"
        )


def free_prefix(taken: Iterable[str]) -> str:
    """How names made for a query begin, so that no column begins with it, whatever its case.

    >>> free_prefix(["width"]), free_prefix(["HB_row"])
    ('hb_', 'hb1_')
    """
    low = [name.lower() for name in taken]
    prefix, k = "hb_", 0
    while any(name.startswith(prefix) for name in low):
        k += 1
        prefix = f"hb{k}_"
    return prefix


def _texts(columns: Sequence[Column], classes: Iterable[object]) -> Iterable[str]:
    for column in columns:
        yield column.name
        yield from (value for value in column.categories if isinstance(value, str))
    yield from (label for label in classes if isinstance(label, str))
