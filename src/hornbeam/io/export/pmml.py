"""PMML: a tree as a TreeModel of the Predictive Model Markup Language 4.4.

One idea: PMML has words for the common ways with gaps, a predicate that names them, surrogates, and the sum
over all leaves that may be reached; what a test asks of several columns is a field calculated beforehand.
Where a gap leads to leaves whose answers are averaged in another way, each leaf is a segment of a
MiningModel, which averages those whose conditions hold. A tree that needs more is refused by what it needs.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Mapping, Sequence

from hornbeam.data.columns import Column
from hornbeam.io.export.pmml_checks import (
    apart_from_gaps,
    check,
    follows_all,
    is_one_tree,
    rest_of,
    unlisted,
)
from hornbeam.io.export.pmml_fields import COMPARISONS, OPPOSITE, Fields, is_number, question_of, text_of
from hornbeam.io.export.time_values import time_of, unit_words
from hornbeam.io.export.tree_program import Program, program_of
from hornbeam.tree import arrays
from hornbeam.tree.branches import branches_of_codes, codes_by_branch, surrogate_branches_of_codes
from hornbeam.tree.tree import Tree

_SPACE = "http://www.dmg.org/PMML-4_4"
SPACE = f"{{{_SPACE}}}"  # as ElementTree writes it before a tag


def pmml(tree: Tree) -> str:
    """A PMML document; a value that training never saw counts as missing.

    Times are numbers in the unit that the `displayName` of their field names.

    A tree is a TreeModel. Where gaps follow several paths to numbers, or to shares with priors or smoothing,
    and where values never seen follow several paths but gaps do not, it is a MiningModel that averages the
    leaves that a row may reach.

    Refused, with a sentence that names it: equations in leaves; densities; expressions with `and`, `or`, a
    division, a power or two categories compared; gaps that follow several paths, unless leaves are added
    up by their rows; costs and votes of leaves together with such gaps.

    >>> nested = {"column": "width", "<=": 0.8, "yes": "a", "no": "b", "missing_to": "no"}
    >>> tree = Tree.from_nested(nested)
    >>> pmml(tree).count("<Node")
    3
    """
    program = program_of(tree)
    check(program)
    root = ET.Element("PMML", {"version": "4.4", "xmlns": _SPACE})
    header = ET.SubElement(root, "Header")
    ET.SubElement(header, "Application", {"name": "hornbeam"})
    _dictionary(root, program)
    one_tree = is_one_tree(program)
    own_words = set() if one_tree else apart_from_gaps(program)
    if one_tree:
        model = ET.SubElement(root, "TreeModel", _attributes(program))
    else:
        model = ET.SubElement(root, "MiningModel", _function(program))
    schema = ET.SubElement(model, "MiningSchema")
    for column in program.columns:
        invalid = "returnInvalid" if column.is_time else "asMissing"  # a date is no number and no gap either
        facts = {
            "name": column.name,
            "invalidValueTreatment": "asIs" if column.name in own_words else invalid,
        }
        ET.SubElement(schema, "MiningField", facts)
    ET.SubElement(schema, "MiningField", {"name": _target(program), "usageType": "target"})
    taken = {column.name for column in program.tree.columns} | {_target(program)}
    _output(model, program, taken)
    fields = Fields(program, taken)
    if fields.names:
        ET.SubElement(model, "LocalTransformations").extend([*fields.elements()])
    writer = _PmmlWriter(program, fields)
    if one_tree:
        writer.nodes(model)
    else:
        writer.segments(model, own_words)
    ET.indent(root, " ")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _target(program: Program) -> str:
    """A name for the outcome that no column has."""
    name = "target"
    while any(column.name == name for column in program.tree.columns):
        name += "_"
    return name


def _dictionary(root: ET.Element, program: Program) -> None:
    dictionary = ET.SubElement(root, "DataDictionary")
    for column in program.columns:
        kind = "continuous" if column.kind == "numeric" else "categorical"
        number = "double" if is_number(column) else "string"
        facts = {"name": column.name, "optype": kind, "dataType": number}
        how = time_of(column)
        if how is not None and column.kind == "numeric":
            facts["displayName"] = f"{column.name} ({unit_words(how)})"
        field = ET.SubElement(dictionary, "DataField", facts)
        for value in column.categories:
            ET.SubElement(field, "Value", {"value": text_of(value)})
    kind = "categorical" if program.classes else "continuous"
    target = {"name": _target(program), "optype": kind, "dataType": "string" if program.classes else "double"}
    field = ET.SubElement(dictionary, "DataField", target)
    for label in program.classes:
        ET.SubElement(field, "Value", {"value": text_of(label)})


def _output(model: ET.Element, program: Program, taken: set[str]) -> None:
    """A field for the probability of each class, which engines give back beside the prediction."""
    if not program.classes:
        return
    output = ET.SubElement(model, "Output")
    for label in map(text_of, program.classes):
        name = f"probability({label})"
        while name in taken:
            name += "_"
        taken.add(name)
        facts = {"name": name, "optype": "continuous", "dataType": "double"}
        ET.SubElement(output, "OutputField", {**facts, "feature": "probability", "value": label})


def _function(program: Program) -> dict[str, str]:
    return {"modelName": "tree", "functionName": "classification" if program.classes else "regression"}


def _attributes(program: Program) -> dict[str, str]:
    strategy = "aggregateNodes" if follows_all(program) else "none"
    return {
        **_function(program),
        "splitCharacteristic": "multiSplit",
        "missingValueStrategy": strategy,
        "noTrueChildStrategy": "returnNullPrediction",
    }


class _PmmlWriter:
    """Writes the nodes of one program."""

    def __init__(self, program: Program, fields: Fields) -> None:
        self.program, self.tree, self.fields = program, program.tree, fields

    def nodes(self, model: ET.Element) -> None:
        """All nodes, parents first; a deep tree needs no deep recursion."""
        made: dict[int, ET.Element] = {}
        for node in range(len(self.tree)):
            parent = int(self.tree.parent[node])
            element = ET.SubElement(model if parent < 0 else made[parent], "Node", self._facts(node))
            made[node] = element
            if parent < 0:
                ET.SubElement(element, "True")
            else:
                self._predicate(element, parent, node - int(self.tree.first_child[parent]))
            element.extend(
                [*self._distribution(node)]
            )  # ElementTree makes any exception of an iterator its own

    def segments(self, model: ET.Element, own_words: set[str]) -> None:
        """A segment for each leaf, which weighs what the leaf does where several are reached."""
        segmentation = ET.SubElement(model, "Segmentation", {"multipleModelMethod": "weightedAverage"})
        for leaf in self.program.leaves:
            facts = {"id": str(leaf), "weight": repr(float(self.tree.weight[leaf]))}
            segment = ET.SubElement(segmentation, "Segment", facts)
            tests = [self._may_take(node, branch, own_words) for node, branch in self.tree.tests_above(leaf)]
            segment.append(_joined("and", tests))
            one = ET.SubElement(segment, "TreeModel", _function(self.program))
            schema = ET.SubElement(one, "MiningSchema")
            ET.SubElement(schema, "MiningField", {"name": _target(self.program), "usageType": "target"})
            element = ET.SubElement(one, "Node", self._facts(leaf))
            ET.SubElement(element, "True")
            element.extend([*self._distribution(leaf)])

    def _may_take(self, node: int, branch: int, own_words: set[str]) -> ET.Element:
        """Whether a row may take a branch: by the test, by surrogates, or since its value is missing."""
        tree, rest = self.tree, rest_of(self.tree, node)
        own = _TESTS[int(tree.kind[node])](self, node).get(branch)
        if own is not None:
            if rest is None and unlisted(tree, node):
                codes = codes_by_branch(branches_of_codes(tree, node)).get(branch, [])
                own = _among(self.fields.column(node), [*codes, *unlisted(tree, node)])
            stand_ins = [] if tree.policy["missing"] == "all-paths" else self._surrogates(node, branch)
            last = ET.Element("True" if rest is None or rest == branch else "False")
            own = _joined("surrogate", [own, *stand_ins, last])
        else:
            own = self._gaps_only(node)
        column = tree.columns[int(tree.column[node])] if tree.column[node] >= 0 else None
        if column is None or column.name not in own_words:
            return own
        return _joined("or", [own, _among(column, range(len(column.categories)), word="isNotIn")])

    def _gaps_only(self, node: int) -> ET.Element:
        """What leads to a branch of gaps: those, and values of the column that no other branch lists."""
        column, others = self.fields.column(node), unlisted(self.tree, node)
        gaps = _is_missing(column, known=False)
        return _joined("or", [gaps, _among(column, others)]) if others else gaps

    def _facts(self, node: int) -> dict[str, str]:
        label = self.program.classes[int(self.tree.label[node])] if self.program.classes else None
        score = repr(float(self.program.alone[node, 0])) if label is None else text_of(label)
        return {"id": str(node), "score": score, "recordCount": repr(float(self.tree.weight[node]))}

    def _distribution(self, node: int) -> Iterator[ET.Element]:
        """The weight and the share of each class at a node."""
        shares, weights = self.program.alone[node].tolist(), self.tree.stats[node].tolist()
        for k, label in enumerate(self.program.classes):
            facts = {"value": text_of(label), "recordCount": repr(float(weights[k]))}
            facts |= {"confidence": repr(shares[k]), "probability": repr(shares[k])}
            yield ET.Element("ScoreDistribution", facts)

    def _predicate(self, parent: ET.Element, node: int, branch: int) -> None:
        """What leads to a branch: the test, its surrogates, and where gaps go."""
        tree, rest = self.tree, rest_of(self.tree, node)
        own = _TESTS[int(tree.kind[node])](self, node).get(branch)
        stand_ins = [] if tree.policy["missing"] == "all-paths" else self._surrogates(node, branch)
        if rest is None and not stand_ins:
            parent.append(own if own is not None else _never(self.fields.column(node)))
            return
        if own is None:
            parent.append(self._gaps_only(node))
            return
        last = [] if rest is None else [ET.Element("True" if rest == branch else "False")]
        compound = ET.SubElement(parent, "CompoundPredicate", {"booleanOperator": "surrogate"})
        compound.extend([own, *stand_ins, *last])

    def _surrogates(self, node: int, branch: int) -> list[ET.Element]:
        tree, predicates = self.tree, []
        for k in range(int(tree.surrogate_offset[node]), int(tree.surrogate_offset[node + 1])):
            column = tree.columns[int(tree.surrogate_column[k])]
            if tree.surrogate_map_offset[k] < tree.surrogate_map_offset[k + 1]:
                codes = codes_by_branch(surrogate_branches_of_codes(tree, k))
                predicates.append(_among(column, codes.get(branch, [])))
            else:
                cut = float(tree.surrogate_threshold[k])
                predicates.append(_cut(column, cut, above=int(tree.surrogate_high[k]) == branch))
        return predicates

    def _threshold(self, node: int) -> dict[int, ET.Element]:
        column, cut = self.fields.column(node), float(self.tree.threshold[node])
        if cut == float("inf"):
            return {0: _is_missing(column, known=True)}
        return {0: _cut(column, cut, above=False), 1: _cut(column, cut, above=True)}

    def _expression(self, node: int) -> dict[int, ET.Element]:
        column, (_, word) = self.fields.column(node), question_of(self.tree, node)
        return {
            0: _compared(column, COMPARISONS[word], 0.0),
            1: _compared(column, COMPARISONS[OPPOSITE[word]], 0.0),
        }

    def _branches(self, node: int) -> dict[int, ET.Element]:
        """The field holds the number of the branch; combinations that training never saw have none."""
        column, span = self.fields.column(node), slice(*self.tree.tuple_offset[node : node + 2].tolist())
        named = sorted(set(self.tree.tuple_branch[span].tolist()))
        return {branch: _between(column, branch - 0.5, branch + 0.5) for branch in named}

    def _intervals(self, node: int) -> dict[int, ET.Element]:
        column, cuts = self.tree.columns[int(self.tree.column[node])], self.tree.cuts(node).tolist()
        predicates = {0: _cut(column, cuts[0], above=False), len(cuts): _cut(column, cuts[-1], above=True)}
        for k in range(1, len(cuts)):
            predicates[k] = _between(column, cuts[k - 1], cuts[k])
        return predicates

    def _equals(self, node: int) -> dict[int, ET.Element]:
        column, code = self.tree.columns[int(self.tree.column[node])], int(self.tree.threshold[node])
        others = [k for k in range(len(column.categories)) if k != code]
        return {0: _among(column, [code]), 1: _among(column, others)}

    def _map(self, node: int) -> dict[int, ET.Element]:
        column = self.tree.columns[int(self.tree.column[node])]
        sets = codes_by_branch(branches_of_codes(self.tree, node))
        rest = rest_of(self.tree, node)
        if rest is not None and rest in sets:
            sets[rest] += unlisted(self.tree, node)
        return {branch: _among(column, members) for branch, members in sets.items()}


def _cut(column: Column, cut: float, *, above: bool) -> ET.Element:
    if column.kind != "numeric":
        return _among(column, [k for k in range(len(column.categories)) if (k > cut) == above])
    return _compared(column, "greaterThan" if above else "lessOrEqual", cut)


def _compared(column: Column, operator: str, value: float) -> ET.Element:
    facts = {"field": column.name, "operator": operator, "value": repr(value)}
    return ET.Element("SimplePredicate", facts)


def _between(column: Column, low: float, high: float) -> ET.Element:
    both = ET.Element("CompoundPredicate", {"booleanOperator": "and"})
    both.extend([_cut(column, low, above=True), _cut(column, high, above=False)])
    return both


def _never(column: Column) -> ET.Element:
    """False for every value, unknown for a gap: what leads to a branch of gaps that is one of all paths."""
    if column.kind != "numeric":
        return _among(column, [])
    return _between(column, 0.0, 0.0)


def _is_missing(column: Column, *, known: bool) -> ET.Element:
    word = "isNotMissing" if known else "isMissing"
    return ET.Element("SimplePredicate", {"field": column.name, "operator": word})


def _joined(word: str, predicates: Sequence[ET.Element]) -> ET.Element:
    """One predicate of several."""
    if len(predicates) == 1:
        return predicates[0]
    compound = ET.Element("CompoundPredicate", {"booleanOperator": word})
    compound.extend(predicates)
    return compound


def _among(column: Column, codes: Sequence[int], word: str = "isIn") -> ET.Element:
    texts = [text_of(column.categories[code]) for code in codes]
    predicate = ET.Element("SimpleSetPredicate", {"field": column.name, "booleanOperator": word})
    quoted = " ".join('"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"' for text in texts)
    array = ET.SubElement(predicate, "Array", {"type": "string", "n": str(len(texts))})
    array.text = quoted
    return predicate


_TESTS: Mapping[int, Callable[[_PmmlWriter, int], dict[int, ET.Element]]] = {
    arrays.THRESHOLD: _PmmlWriter._threshold,
    arrays.HYPERPLANE: _PmmlWriter._threshold,
    arrays.EXPRESSION: _PmmlWriter._expression,
    arrays.COLUMNS: _PmmlWriter._branches,
    arrays.SUBSET: _PmmlWriter._map,
    arrays.EQUALS: _PmmlWriter._equals,
    arrays.MULTIWAY: _PmmlWriter._map,
    arrays.INTERVALS: _PmmlWriter._intervals,
}
