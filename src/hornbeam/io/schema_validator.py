"""Does a value fit a schema? The part of JSON Schema that the format of trees uses.

One idea: the first thing that does not fit is named by its place, such as `nodes.column[3]`, with what is
allowed there. Long lists of numbers are checked by the set of their types and their extremes, not one by one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

_TYPES: Mapping[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}
_SHOWN = 60


def validate(value: Any, schema: Mapping[str, Any]) -> None:
    """Raise a ValueError that names the first place where `value` does not fit.

    >>> validate({"a": [1, "2"]}, {"properties": {"a": {"items": {"type": "integer"}}}})
    Traceback (most recent call last):
        ...
    ValueError: a[1] is '2', but must be an integer
    """
    _Checker(schema.get("$defs", {})).check(value, schema, "")


class _Checker:
    """Checks against the definitions of one schema."""

    def __init__(self, definitions: Mapping[str, Any]) -> None:
        self.definitions = definitions

    def check(self, value: Any, schema: Mapping[str, Any], place: str) -> None:
        """Each rule of the schema in turn."""
        schema = self.resolved(schema)
        for word, rule in schema.items():
            if word in _RULES:
                _RULES[word](self, value, rule, place)
        if isinstance(value, dict):
            self.properties(value, schema, place)

    def resolved(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """The schema a reference stands for."""
        rules: Mapping[str, Any] = schema
        if "$ref" in schema:
            rules = self.definitions[schema["$ref"].rpartition("/")[2]]
        return rules

    def fits(self, value: Any, schema: Mapping[str, Any]) -> bool:
        """Whether a value passes."""
        try:
            self.check(value, schema, "")
        except ValueError:
            return False
        return True

    def type(self, value: Any, rule: str | list[str], place: str) -> None:
        """The type is one of those named; true and false are no numbers."""
        names = [rule] if isinstance(rule, str) else rule
        if type(value) not in {t for name in names for t in _TYPES[name]}:
            raise _unfit(place, value, _words({"type": names}))

    def any_of(self, value: Any, rule: list[Mapping[str, Any]], place: str) -> None:
        """One of several schemas fits."""
        if not any(self.fits(value, one) for one in rule):
            raise _unfit(place, value, " or ".join(_words(self.resolved(one)) for one in rule))

    def items(self, value: Any, rule: Mapping[str, Any], place: str) -> None:
        """Every item fits."""
        if not isinstance(value, list) or self._all_numbers(value, self.resolved(rule)):
            return
        for k, item in enumerate(value):
            self.check(item, rule, f"{place}[{k}]")

    def _all_numbers(self, values: list[Any], schema: Mapping[str, Any]) -> bool:
        """Whether a list is certainly in order, decided without looking at items one by one."""
        types = set(map(type, values))
        if schema.get("type") == "integer" and types == {int} and "minimum" in schema:
            return bool(min(values) >= schema["minimum"] and max(values) <= schema["maximum"])
        return schema == self.definitions.get("double") and types <= {int, float, type(None)}

    def properties(self, value: dict[str, Any], schema: Mapping[str, Any], place: str) -> None:
        """What has to be there is, and nothing else unless it may."""
        known, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
        for name in schema.get("required", ()):
            if name not in value:
                raise ValueError(f"{_at(place)} has no {name!r}")
        for name, item in value.items():
            rule = known.get(name)
            if rule is None:
                rule = next((r for pattern, r in patterns.items() if re.fullmatch(pattern, name)), None)
            if rule is not None:
                self.check(item, rule, f"{place}.{name}" if place else name)
            elif schema.get("additionalProperties") is False:
                raise ValueError(
                    f"{_at(place)} has an entry {name[:_SHOWN]!r}, which the format does not know"
                )

    def const(self, value: Any, rule: Any, place: str) -> None:
        """Exactly this."""
        if type(value) is not type(rule) or value != rule:
            raise _unfit(place, value, repr(rule))

    def enum(self, value: Any, rule: list[Any], place: str) -> None:
        """One of these."""
        if not any(type(value) is type(one) and value == one for one in rule):
            raise _unfit(place, value, f"one of {', '.join(map(repr, rule))}")

    def minimum(self, value: Any, rule: float, place: str) -> None:
        """At least so much."""
        if isinstance(value, int) and value < rule:
            raise _unfit(place, value, f"at least {rule}")

    def maximum(self, value: Any, rule: float, place: str) -> None:
        """At most so much."""
        if isinstance(value, int) and value > rule:
            raise _unfit(place, value, f"at most {rule}")


_RULES: Mapping[str, Callable[[_Checker, Any, Any, str], None]] = {
    "type": _Checker.type,
    "const": _Checker.const,
    "enum": _Checker.enum,
    "minimum": _Checker.minimum,
    "maximum": _Checker.maximum,
    "anyOf": _Checker.any_of,
    "items": _Checker.items,
}


def _at(place: str) -> str:
    return place or "the file"


def _unfit(place: str, value: Any, allowed: str) -> ValueError:
    shown = repr(value)
    shown = shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}..."
    return ValueError(f"{_at(place)} is {shown}, but must be {allowed}")


def _words(schema: Mapping[str, Any]) -> str:
    """What a schema allows, in a few words."""
    if "enum" in schema:
        return ", ".join(map(repr, schema["enum"]))
    names = schema.get("type", "value")
    names = [names] if isinstance(names, str) else names
    return " or ".join(f"{'an' if name[0] in 'aio' else 'a'} {name}" for name in names)
