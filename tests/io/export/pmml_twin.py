"""A plain reader of the part of PMML 4.4 that tree models use, written from its specification.

A predicate is True, False or None (unknown). With `aggregateNodes` a node whose children cannot be told apart
is followed into all that may be reached, and the record counts of their distributions are added up.
"""

from __future__ import annotations

import operator
import re
import xml.etree.ElementTree as ET
from typing import Any

from tests.io.export.time_cases import ticks_of_time

from hornbeam.data.formatting import number_text
from hornbeam.io.export.literals import plain_value

SPACE = "{http://www.dmg.org/PMML-4_4}"


def evaluate(text: str, case: Any) -> tuple[list[Any], list[list[float]] | None]:
    """Predictions and probabilities of the rows of a case."""
    root = ET.fromstring(text)
    model = next(element for element in root if element.tag.endswith("Model"))
    fields = {f.get("name"): f for f in root.find(f"{SPACE}DataDictionary")}
    as_is = {
        field.get("name")
        for field in model.find(f"{SPACE}MiningSchema")
        if field.get("invalidValueTreatment") == "asIs"
    }
    derived = model.findall(f"{SPACE}LocalTransformations/{SPACE}DerivedField")
    rows = [_calculated(_row(row, fields, as_is), derived) for row in case.rows]
    if model.tag == f"{SPACE}MiningModel":
        answers = [_average(model.find(f"{SPACE}Segmentation"), row) for row in rows]
    else:
        answers = [_answer(model, model.find(f"{SPACE}Node"), row) for row in rows]
    if not case.tree.classes:
        return [float(score) for score, _ in answers], None
    labels = {_text(label): plain_value(label) for label in case.tree.classes}
    return [labels[score] for score, _ in answers], [
        [shares[_text(label)] for label in case.tree.classes] for _, shares in answers
    ]


def _text(value: Any) -> str:
    plain = plain_value(value)
    return number_text(plain) if isinstance(plain, float) else str(plain)


def _average(segmentation: ET.Element, row: dict[str, Any]) -> tuple[str, dict[str, float]]:
    """The mean of the segments whose predicates are true, by their weights."""
    assert segmentation.get("multipleModelMethod") == "weightedAverage"
    total, value, shares = 0.0, 0.0, dict[str, float]()
    for segment in segmentation:
        if _truth(segment[0], row) is True:
            weight = float(segment.get("weight"))
            model = segment.find(f"{SPACE}TreeModel")
            score, own = _answer(model, model.find(f"{SPACE}Node"), row)
            total += weight
            value += 0.0 if own else weight * float(score)
            for label, share in own.items():
                shares[label] = shares.get(label, 0.0) + weight * share
    shares = {label: share / total for label, share in shares.items()}
    if not shares:
        return repr(value / total), {}
    best = max(shares.values())
    return next(label for label, share in shares.items() if share >= best * (1 - 1e-12)), shares


def _row(row: dict[str, Any], fields: dict[str, Any], as_is: set[str]) -> dict[str, Any]:
    """The values that are in the dictionary; an invalid one is missing, unless it is taken as it is."""
    cells = {}
    for name, value in row.items():
        if name not in fields or value is None:
            continue
        allowed = [v.get("value") for v in fields[name]]
        if fields[name].get("optype") == "continuous":
            cells[name] = ticks_of_time(value)
        elif _text(value) in allowed or name in as_is:
            cells[name] = _text(value)
    return cells


FUNCTIONS = {"+": operator.add, "-": operator.sub, "*": operator.mul}
COMPARISONS = {
    "equal": operator.eq,
    "notEqual": operator.ne,
    "lessThan": operator.lt,
    "lessOrEqual": operator.le,
    "greaterThan": operator.gt,
    "greaterOrEqual": operator.ge,
}


def _calculated(row: dict[str, Any], derived: list[ET.Element]) -> dict[str, Any]:
    """The row with its derived fields; one that cannot be calculated is missing."""
    results = {field.get("name"): _value(field[0], row) for field in derived}
    return row | {name: value for name, value in results.items() if value is not None and value == value}


def _value(element: ET.Element, row: dict[str, Any]) -> Any:
    word = element.tag.removeprefix(SPACE)
    if word == "FieldRef":
        return row.get(element.get("field"))
    if word == "Constant":
        return float(element.text)
    if word == "NormDiscrete":
        value = row.get(element.get("field"))
        return None if value is None else float(value == element.get("value"))
    if word == "MapValues":
        return _mapped(element, row)
    assert word == "Apply"
    parts = [_value(part, row) for part in element]
    return None if None in parts else FUNCTIONS[element.get("function")](*parts)


def _mapped(element: ET.Element, row: dict[str, Any]) -> float | None:
    pairs = element.findall(f"{SPACE}FieldColumnPair")
    given = {pair.get("column"): row.get(pair.get("field")) for pair in pairs}
    for line in element.find(f"{SPACE}InlineTable"):
        cells = {cell.tag.removeprefix(SPACE): cell.text or "" for cell in line}
        if all(value is not None and cells[name] == _text(value) for name, value in given.items()):
            return float(cells[element.get("outputColumn")])
    return None


def _answer(model: ET.Element, top: ET.Element, row: dict[str, Any]) -> tuple[str, dict[str, float]]:
    leaves = _leaves(top, row)
    if len(leaves) == 1:
        shares = {
            d.get("value"): float(d.get("probability")) for d in leaves[0].iter(f"{SPACE}ScoreDistribution")
        }
        return leaves[0].get("score"), shares
    assert model.get("missingValueStrategy") == "aggregateNodes"
    counts: dict[str, float] = {}
    for leaf in leaves:
        for d in leaf.findall(f"{SPACE}ScoreDistribution"):
            counts[d.get("value")] = counts.get(d.get("value"), 0.0) + float(d.get("recordCount"))
    total = sum(counts.values())
    best = max(counts.values())
    return next(label for label, n in counts.items() if n >= best * (1 - 1e-12)), {
        label: n / total for label, n in counts.items()
    }


def _leaves(top: ET.Element, row: dict[str, Any]) -> list[ET.Element]:
    todo, leaves = [top], []
    while todo:
        node = todo.pop()
        children = node.findall(f"{SPACE}Node")
        if not children:
            leaves.append(node)
            continue
        truths = [_truth(_predicate(child), row) for child in children]
        if None in truths:
            todo += [child for child, truth in zip(children, truths, strict=True) if truth is not False]
        else:
            todo.append(children[truths.index(True)])
    heavy = [leaf for leaf in leaves if float(leaf.get("recordCount")) > 0]
    return heavy or leaves


def _predicate(node: ET.Element) -> ET.Element:
    return next(child for child in node if child.tag != f"{SPACE}ScoreDistribution")


def _truth(predicate: ET.Element, row: dict[str, Any]) -> bool | None:
    word = predicate.tag.removeprefix(SPACE)
    if word in ("True", "False"):
        return word == "True"
    if word == "CompoundPredicate":
        return _compound(predicate, row)
    value = row.get(predicate.get("field"))
    how = predicate.get("operator", "")
    if how in ("isMissing", "isNotMissing"):
        return (value is None) == (how == "isMissing")
    if value is None:
        return None
    if word == "SimpleSetPredicate":
        array = predicate.find(f"{SPACE}Array").text or ""
        is_in = predicate.get("booleanOperator") == "isIn"
        return is_in == (
            value in [re.sub(r"\\(.)", r"\1", text) for text in re.findall(r'"((?:[^"\\]|\\.)*)"', array)]
        )
    return COMPARISONS[how](value, float(predicate.get("value")))


def _compound(predicate: ET.Element, row: dict[str, Any]) -> bool | None:
    truths = [_truth(part, row) for part in predicate]
    if predicate.get("booleanOperator") == "surrogate":
        return next((truth for truth in truths if truth is not None), None)
    if predicate.get("booleanOperator") == "or":
        return True if True in truths else None if None in truths else False
    assert predicate.get("booleanOperator") == "and"
    return False if False in truths else None if None in truths else True
