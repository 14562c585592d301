"""PMML: a tree as a TreeModel of the Predictive Model Markup Language 4.4.

One idea: PMML has words for the common ways with gaps, a predicate that names them, surrogates, and the sum
over all leaves that may be reached. A tree that needs more is refused by what it needs.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping, Sequence

from hornbeam.arrays import COLUMNS, EQUALS, EXPRESSION, HYPERPLANE, INTERVALS, MULTIWAY, SUBSET, THRESHOLD
from hornbeam.columns import Column
from hornbeam.display import number_text
from hornbeam.exporting.program import Program, program_of
from hornbeam.exporting.quoting import plain_value
from hornbeam.tree import Tree
from hornbeam.voice import PLAIN, voice_of

_SPACE = "http://www.dmg.org/PMML-4_4"
_DEEPEST = 500
_BEYOND = {HYPERPLANE: "a hyperplane", COLUMNS: "a set of columns", EXPRESSION: "an expression"}


def pmml(tree: Tree) -> str:
    """A PMML document; a value that training never saw counts as missing.

    Refused, with a sentence that names it: equations in leaves; densities; tests on several columns; gaps
    that follow several paths, unless leaves are added up by their rows; priors, costs and smoothing together
    with such gaps; values never seen that follow several paths where gaps do not.

    >>> nested = {"column": "width", "<=": 0.8, "yes": "a", "no": "b", "missing_to": "no"}
    >>> tree = Tree.from_nested(nested)
    >>> pmml(tree).count("<Node")
    3
    """
    program = program_of(tree)
    _check(program)
    root = ET.Element("PMML", {"version": "4.4", "xmlns": _SPACE})
    header = ET.SubElement(root, "Header")
    ET.SubElement(header, "Application", {"name": "hornbeam"})
    _dictionary(root, program)
    model = ET.SubElement(root, "TreeModel", _attributes(program))
    schema = ET.SubElement(model, "MiningSchema")
    for column in program.columns:
        ET.SubElement(schema, "MiningField", {"name": column.name, "invalidValueTreatment": "asMissing"})
    ET.SubElement(schema, "MiningField", {"name": _target(program), "usageType": "target"})
    _output(model, program)
    _Writer(program).nodes(model)
    ET.indent(root, " ")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _target(program: Program) -> str:
    """A name for the outcome that no column has."""
    name = "target"
    while any(column.name == name for column in program.tree.columns):
        name += "_"
    return name


def _follows_all(program: Program) -> bool:
    return any(_rest(program.tree, node) is None for node in program.tests)


def _rest(tree: Tree, node: int) -> int | None:
    """The branch of a gap, None if it follows all."""
    missing = int(tree.missing[node])
    return None if tree.policy["missing"] == "all-paths" or missing < 0 else missing


def _check(program: Program) -> None:
    """Raise if the tree needs what PMML has no word for."""
    tree = program.tree
    if tree.task == "density":
        raise ValueError(
            "a density is 0 outside its box, which PMML's trees cannot say: export it to 'sql', 'python',"
            " 'c', 'javascript' or 'onnx'"
        )
    if program.equations:
        raise ValueError(
            "leaves of this tree answer with equations, which PMML's trees cannot say: export it to 'sql',"
            " 'python', 'c', 'javascript' or 'onnx'"
        )
    if tree.depth > _DEEPEST:
        raise ValueError(
            f"the tree is {tree.depth} tests deep, and nodes nested deeper than {_DEEPEST} are more than XML"
            " readers take: prune it, or export it to 'sql', 'python', 'c', 'javascript' or 'onnx'"
        )
    for kind, what in _BEYOND.items():
        if (tree.kind == kind).any():
            raise ValueError(f"the tree tests {what}, which PMML cannot say: export it to another format")
    if tree.policy["unseen"] == "other" and (tree.kind == EQUALS).any():
        raise ValueError(
            "the tree was written by hand without its columns, so that any value is another one, which PMML"
            " cannot say: give Tree.from_nested the columns"
        )
    for column in program.columns:
        if not all(_is_xml(text) for text in [column.name, *map(_text, column.categories)]):
            raise ValueError(
                f"column {column.name!r} has signs in its name or values that XML cannot hold: rename them"
            )
    if not all(_is_xml(_text(label)) for label in program.classes):
        raise ValueError("a class has signs in its name that XML cannot hold: rename it")
    for node in program.tests:
        _check_values(tree, node)
    if _follows_all(program):
        _check_sums(program)


def _check_values(tree: Tree, node: int) -> None:
    """Categories a test has no branch for go where gaps go, and those never seen do, too."""
    column, rest = tree.columns[int(tree.column[node])], _rest(tree, node)
    if column.kind == "numeric":
        return
    if tree.policy["missing"] == "learn" and rest is not None:
        raise ValueError(
            "values never seen follow several paths where gaps do not, which PMML cannot say: use"
            " missing='majority', 'all-paths' or 'surrogates'"
        )
    asked = tree.surrogate_offset[node + 1] > tree.surrogate_offset[node]
    if _unlisted(tree, node) and (rest is None or asked):
        raise ValueError(
            f"a test has no branch for some values of {column.name!r}, which PMML cannot say: use"
            " split='one-vs-rest' or 'multiway'"
        )


def _unlisted(tree: Tree, node: int) -> list[int]:
    """The categories that a test of two sets has in neither."""
    if tree.kind[node] != SUBSET:
        return []
    listed = set(tree.value_map(node)[0].tolist())
    return [k for k in range(len(tree.columns[int(tree.column[node])].categories)) if k not in listed]


def _check_sums(program: Program) -> None:
    """Leaves reached together are added up by their rows, and in no other way."""
    tree = program.tree
    if not program.classes:
        raise ValueError(
            "gaps follow several paths to numbers, which PMML cannot add up: use missing='majority'"
        )
    plain = voice_of(tree.meta).plain() == PLAIN.plain()
    if not program.by_leaf or tree.policy["vote"] == "leaf" or not plain or program.leaf_costs is not None:
        raise ValueError(
            "gaps follow several paths, and PMML adds up the rows of leaves only, not shares of branches,"
            " votes, priors, costs or smoothing: use missing='majority'"
        )
    if tree.uncounted or any(tree.weight[node] == 0 for node in program.tests):
        raise ValueError(
            "gaps follow several paths to leaves without rows, which PMML cannot add up: refit the tree"
        )


def _is_xml(text: str) -> bool:
    """Whether a text survives in an attribute: no control signs, no line ends."""
    return all(letter >= " " and letter not in "\x7f\x85\u2028\ufffe\uffff" for letter in text)


def _dictionary(root: ET.Element, program: Program) -> None:
    found = ET.SubElement(root, "DataDictionary")
    for column in program.columns:
        kind = "continuous" if column.kind == "numeric" else "categorical"
        number = column.kind == "numeric" or all(
            isinstance(v, int | float) and not isinstance(v, bool) for v in column.categories
        )
        field = ET.SubElement(
            found,
            "DataField",
            {"name": column.name, "optype": kind, "dataType": "double" if number else "string"},
        )
        for value in column.categories:
            ET.SubElement(field, "Value", {"value": _text(value)})
    kind = "categorical" if program.classes else "continuous"
    target = {"name": _target(program), "optype": kind, "dataType": "string" if program.classes else "double"}
    field = ET.SubElement(found, "DataField", target)
    for label in program.classes:
        ET.SubElement(field, "Value", {"value": _text(label)})


def _output(model: ET.Element, program: Program) -> None:
    """A field for the probability of each class, which engines give back beside the prediction."""
    if not program.classes:
        return
    found = ET.SubElement(model, "Output")
    names = {column.name for column in program.tree.columns}
    for label in map(_text, program.classes):
        name = f"probability({label})"
        while name in names:
            name += "_"
        names.add(name)
        facts = {"name": name, "optype": "continuous", "dataType": "double"}
        ET.SubElement(found, "OutputField", {**facts, "feature": "probability", "value": label})


def _attributes(program: Program) -> dict[str, str]:
    strategy = "aggregateNodes" if _follows_all(program) else "none"
    return {
        "modelName": "tree",
        "functionName": "classification" if program.classes else "regression",
        "splitCharacteristic": "multiSplit",
        "missingValueStrategy": strategy,
        "noTrueChildStrategy": "returnNullPrediction",
    }


def _text(value: object) -> str:
    found = plain_value(value)
    return number_text(found) if isinstance(found, float) else str(found)


class _Writer:
    """Writes the nodes of one program."""

    def __init__(self, program: Program) -> None:
        self.program, self.tree = program, program.tree

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
            if self.program.classes:
                for label, share, weight in self._shares(node):
                    facts = {"value": label, "recordCount": weight, "confidence": share, "probability": share}
                    ET.SubElement(element, "ScoreDistribution", facts)

    def _facts(self, node: int) -> dict[str, str]:
        label = self.program.classes[int(self.tree.label[node])] if self.program.classes else None
        score = repr(float(self.program.alone[node, 0])) if label is None else _text(label)
        return {"id": str(node), "score": score, "recordCount": repr(float(self.tree.weight[node]))}

    def _shares(self, node: int) -> list[tuple[str, str, str]]:
        shares, weights = self.program.alone[node].tolist(), self.tree.stats[node].tolist()
        return [
            (_text(label), repr(share), repr(float(weight)))
            for label, share, weight in zip(self.program.classes, shares, weights, strict=True)
        ]

    def _predicate(self, parent: ET.Element, node: int, branch: int) -> None:
        """What leads to a branch: the test, its surrogates, and where gaps go."""
        tree, rest = self.tree, _rest(self.tree, node)
        own = _TESTS[int(tree.kind[node])](self, node).get(branch)
        stand_ins = [] if tree.policy["missing"] == "all-paths" else self._surrogates(node, branch)
        if rest is None and not stand_ins:
            parent.append(own if own is not None else _never(tree.columns[int(tree.column[node])]))
            return
        if own is None:  # a branch of gaps only
            parent.append(_is_missing(tree.columns[int(tree.column[node])], known=False))
            return
        last = [] if rest is None else [ET.Element("True" if rest == branch else "False")]
        compound = ET.SubElement(parent, "CompoundPredicate", {"booleanOperator": "surrogate"})
        compound.extend([own, *stand_ins, *last])

    def _surrogates(self, node: int, branch: int) -> list[ET.Element]:
        tree, found = self.tree, []
        for k in range(int(tree.surrogate_offset[node]), int(tree.surrogate_offset[node + 1])):
            column = tree.columns[int(tree.surrogate_column[k])]
            span = slice(int(tree.surrogate_map_offset[k]), int(tree.surrogate_map_offset[k + 1]))
            if span.stop > span.start:
                codes, to = tree.surrogate_map_code[span].tolist(), tree.surrogate_map_branch[span].tolist()
                here = [code for code, there in zip(codes, to, strict=True) if there == branch]
                found.append(_among(column, here))
            else:
                cut = float(tree.surrogate_threshold[k])
                found.append(_cut(column, cut, above=int(tree.surrogate_high[k]) == branch))
        return found

    def _threshold(self, node: int) -> dict[int, ET.Element]:
        column, cut = self.tree.columns[int(self.tree.column[node])], float(self.tree.threshold[node])
        if cut == float("inf"):
            return {0: _is_missing(column, known=True)}
        return {0: _cut(column, cut, above=False), 1: _cut(column, cut, above=True)}

    def _intervals(self, node: int) -> dict[int, ET.Element]:
        column, cuts = self.tree.columns[int(self.tree.column[node])], self.tree.cuts(node).tolist()
        found = {0: _cut(column, cuts[0], above=False), len(cuts): _cut(column, cuts[-1], above=True)}
        for k in range(1, len(cuts)):
            both = ET.Element("CompoundPredicate", {"booleanOperator": "and"})
            both.extend([_cut(column, cuts[k - 1], above=True), _cut(column, cuts[k], above=False)])
            found[k] = both
        return found

    def _equals(self, node: int) -> dict[int, ET.Element]:
        column, code = self.tree.columns[int(self.tree.column[node])], int(self.tree.threshold[node])
        others = [k for k in range(len(column.categories)) if k != code]
        return {0: _among(column, [code]), 1: _among(column, others)}

    def _map(self, node: int) -> dict[int, ET.Element]:
        column = self.tree.columns[int(self.tree.column[node])]
        codes, branches = (part.tolist() for part in self.tree.value_map(node))
        sets: dict[int, list[int]] = {}
        for code, branch in zip(codes, branches, strict=True):
            sets.setdefault(branch, []).append(code)
        absent = self.tree.absent_codes(node).tolist()
        if absent:
            sets.setdefault(int(self.tree.absent[node]), []).extend(absent)
        rest = _rest(self.tree, node)
        if rest is not None and rest in sets:
            sets[rest] += _unlisted(self.tree, node)
        return {branch: _among(column, members) for branch, members in sets.items()}


def _cut(column: Column, cut: float, *, above: bool) -> ET.Element:
    if column.kind != "numeric":
        return _among(column, [k for k in range(len(column.categories)) if (k > cut) == above])
    word = "greaterThan" if above else "lessOrEqual"
    return ET.Element("SimplePredicate", {"field": column.name, "operator": word, "value": repr(cut)})


def _never(column: Column) -> ET.Element:
    """False for every value, unknown for a gap: what leads to a branch of gaps that is one of all paths."""
    if column.kind != "numeric":
        return _among(column, [])
    both = ET.Element("CompoundPredicate", {"booleanOperator": "and"})
    both.extend([_cut(column, 0.0, above=False), _cut(column, 0.0, above=True)])
    return both


def _is_missing(column: Column, *, known: bool) -> ET.Element:
    word = "isNotMissing" if known else "isMissing"
    return ET.Element("SimplePredicate", {"field": column.name, "operator": word})


def _among(column: Column, codes: Sequence[int]) -> ET.Element:
    texts = [_text(column.categories[code]) for code in codes]
    found = ET.Element("SimpleSetPredicate", {"field": column.name, "booleanOperator": "isIn"})
    quoted = " ".join('"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"' for text in texts)
    array = ET.SubElement(found, "Array", {"type": "string", "n": str(len(texts))})
    array.text = quoted
    return found


_TESTS: Mapping[int, Callable[[_Writer, int], dict[int, ET.Element]]] = {
    THRESHOLD: _Writer._threshold,
    SUBSET: _Writer._map,
    EQUALS: _Writer._equals,
    MULTIWAY: _Writer._map,
    INTERVALS: _Writer._intervals,
}
