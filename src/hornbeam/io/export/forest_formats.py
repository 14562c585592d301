"""Forests in other languages: the exports of their trees, and the mean of their answers.

One idea: a forest answers the mean of its trees, so its export holds the export of each tree, under names of
its own, and a few lines that average their answers.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hornbeam.io.export.c import c
from hornbeam.io.export.javascript import forest_script
from hornbeam.io.export.literals import c_text, plain_value, python_value
from hornbeam.io.export.onnx import onnx
from hornbeam.io.export.pmml import SPACE, pmml
from hornbeam.io.export.python import python
from hornbeam.io.export.refused_names import check_function_name
from hornbeam.io.export.sql import sql
from hornbeam.io.export.sql_dialects import dialect_named
from hornbeam.io.export.tree_program import program_of
from hornbeam.tree.answer_rule import answer_rule_of
from hornbeam.tree.tree import Tree


@dataclass(frozen=True)
class ForestProgram:
    """The trees of a forest, whose answers are averaged; `classes` are none for numbers."""

    trees: tuple[Tree, ...]
    classes: tuple[Any, ...]

    @classmethod
    def of(cls, model: Any) -> ForestProgram:
        """The program of a fitted forest; raise if its answer is no mean over its trees."""
        trees = list(model.trees_)
        first = trees[0]
        if first.outputs:
            raise ValueError(
                "exports of forests know one target, and this forest has several: export its trees one by"
                " one, such as model.trees_[0], or fit a forest for each target"
            )
        if answer_rule_of(first.meta).decides:
            raise ValueError(
                "this forest has costs, or answers with the median class, which its exports do not know: fit"
                " it without them, or export one tree, such as model.trees_[0]"
            )
        if any(tree.columns != first.columns or tree.classes != first.classes for tree in trees):
            raise ValueError("the trees of this forest have different columns: export them one by one")
        if getattr(model, "combine", "mean") == "vote":
            raise ValueError(
                "this forest counts votes, while its exports average probabilities: use combine='mean'"
            )
        return cls(tuple(trees), first.classes or ())

    @property
    def used(self) -> list[int]:
        """The columns that some tree asks for."""
        return sorted({column for tree in self.trees for column in program_of(tree).used})


def named_apart(prefix: str, text: str) -> str:
    """The text with its own names, which begin with hb_ or HB_, under others; what is quoted stays."""
    return re.sub(
        r"""\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|\b(hb|HB)_""",
        lambda match: f"{match[1]}{prefix}_" if match[1] else match[0],
        text,
    )


def forest_python(forest: ForestProgram, *, name: str = "predict") -> str:
    """A module with a function `name(row)`, and `name_proba(row)` for classes, as for a tree."""
    check_function_name(name)
    texts = [
        named_apart(str(k), python(tree, name=f"{name}_of_tree_{k}")) for k, tree in enumerate(forest.trees)
    ]
    called = "_proba" if forest.classes else ""
    trees = ", ".join(f"{name}_of_tree_{k}{called}" for k in range(len(texts)))
    lines = [f"# A forest of {len(texts)} trees; call {name}(row), where row is a dict of values.", *texts]
    lines.append(f"hb_trees = ({trees},)")
    if forest.classes:
        labels = " ".join(f"{python_value(plain_value(label))}," for label in forest.classes)
        lines += [
            f"hb_labels = ({labels})",
            f"def {name}_proba(row):",
            "    each = [tree(row) for tree in hb_trees]",
            "    return {label: sum(one[label] for one in each) / len(each) for label in hb_labels}",
            f"def {name}(row):",
            f"    shares = {name}_proba(row)",
            "    best = max(shares.values())",
            "    return next(label for label in hb_labels if shares[label] >= best - 1e-12 * best)",
        ]
    else:
        lines += [f"def {name}(row):", "    return sum(tree(row) for tree in hb_trees) / len(hb_trees)"]
    return "\n".join(lines) + "\n"


def forest_c(forest: ForestProgram, *, name: str = "predict") -> str:
    """A source file with `name`, `name_code`, and for classes `name_proba` and `name_classes`."""
    check_function_name(name)
    used, n, width = forest.used, len(forest.trees), max(len(forest.classes), 1)
    texts, asked, coded = [], [], dict[int, str]()
    for k, tree in enumerate(forest.trees):
        own = program_of(tree).used
        call = f"{name}_of_tree_{k}"
        texts.append(named_apart(str(k), c(tree, name=call)))
        copies = " ".join(f"y[{j}] = x[{used.index(column)}];" for j, column in enumerate(own))
        asked.append(
            f"  {copies} {call}_proba(y, p); for (j = 0; j < {width}; j++) out[j] += p[j];"
            if forest.classes
            else f"  {copies} total += {call}(y);"
        )
        for j, column in enumerate(own):
            coded.setdefault(column, f"{call}_code({j}, text)")
    cases = [
        f"  if (column == {used.index(column)}) return {call};" for column, call in sorted(coded.items())
    ]
    head = [f"/* A forest of {n} trees; call {name}(x), where x holds a double for each column:"]
    head += [f"   x[{j}]  {forest.trees[0].columns[column].name!a}" for j, column in enumerate(used)]
    lines = [*(line.replace("*/", "* /") for line in head), "   A gap is NAN. */", *texts]
    lines += [f"double {name}_code(int column, const char *text) {{", *cases, "  return -2;", "}"]
    slots = f"double y[{max(len(used), 1)}]"
    if not forest.classes:
        lines += [
            f"double {name}(const double *x) {{",
            f"  {slots}, total = 0;",
            "  (void)x; (void)y;",
            *asked,
        ]
        return "\n".join([*lines, f"  return total / {n};", "}", ""])
    labels = ", ".join(c_text(label) for label in forest.classes)
    lines += [
        f"const char *const {name}_classes[] = {{{labels}}};",
        f"void {name}_proba(const double *x, double *out) {{",
        f"  {slots}, p[{width}];",
        "  int j;",
        "  (void)x; (void)y;",
        f"  for (j = 0; j < {width}; j++) out[j] = 0;",
        *asked,
        f"  for (j = 0; j < {width}; j++) out[j] /= {n};",
        "}",
        f"int {name}(const double *x) {{",
        f"  double p[{width}], best = 0;",
        "  int j;",
        f"  {name}_proba(x, p);",
        f"  for (j = 0; j < {width}; j++) if (p[j] > best) best = p[j];",
        f"  for (j = 0; j < {width}; j++) if (p[j] >= best - 1e-12 * best) return j;",
        "  return 0;",
        "}",
    ]
    return "\n".join([*lines, ""])


def forest_sql(
    forest: ForestProgram,
    *,
    key: str | Sequence[str] | None = None,
    table: str = "data",
    name: str = "prediction",
    dialect: str = "standard",
) -> str:
    """A query with the prediction for every row of a table, by its `key`; the other options as for a tree.

    Parameters
    ----------
    key : str or list of str
        Columns that together are different in each row; they are given back, and rows are sorted by them.
    """
    keys = [key] if isinstance(key, str) else list(key or ())
    if not keys:
        raise ValueError(
            "a query of a forest needs key=..., a column or columns that are different in each row"
        )
    words = dialect_named(dialect)
    shares = [words.name(one) for one in words.share_names(name, forest.classes)]
    said = shares or [words.name(name)]
    named = [words.name(one) for one in keys]
    parts = [
        f"SELECT {', '.join([*named, *said])} FROM (\n"
        + sql(tree, table=table, name=name, keep=keys, dialect=dialect, key=keys).rstrip("\n")
        + f"\n) AS hb_tree_{k}"
        for k, tree in enumerate(forest.trees)
    ]
    means = [f"avg({one}) AS hb_mean_{k}" for k, one in enumerate(said)]
    every = ",\n".join([*named, *means])
    inner = (
        f"SELECT {every}\nFROM (\n"
        + "\nUNION ALL\n".join(parts)
        + f"\n) AS hb_all GROUP BY {', '.join(named)}"
    )
    columns = [f"hb_mean_{k} AS {one}" for k, one in enumerate(said)]
    if forest.classes:
        cases = []
        for j, label in enumerate(forest.classes):
            slack = words.double(1 - 1e-12)
            others = [f"hb_mean_{j} >= {slack} * hb_mean_{i}" for i in range(len(said)) if i != j]
            cases.append(f"WHEN {' AND '.join(others) or 'TRUE'} THEN {words.value(label)}")
        columns.insert(0, f"CASE {' '.join(cases)} END AS {words.name(name)}")
    chosen, order = ", ".join([*named, *columns]), ", ".join(named)
    return f"SELECT {chosen}\nFROM (\n{inner}\n) AS hb_forest ORDER BY {order}\n"


def forest_pmml(forest: ForestProgram) -> str:
    """A PMML document: a MiningModel that averages the models of the trees."""
    ET.register_namespace("", SPACE.strip("{}"))
    documents = [ET.fromstring(pmml(tree)) for tree in forest.trees]
    root = documents[0]
    dictionary = root.find(f"{SPACE}DataDictionary")
    assert dictionary is not None
    model = _model_of(root)
    root.remove(model)
    fields = {field.get("name"): field for field in dictionary}
    schema = {field.get("name"): field for field in model.iterfind(f"{SPACE}MiningSchema/{SPACE}MiningField")}
    for document in documents[1:]:
        for field in document.iterfind(f"{SPACE}DataDictionary/{SPACE}DataField"):
            if fields.setdefault(field.get("name"), field) is field:
                dictionary.insert(0, field)
        for field in _model_of(document).iterfind(f"{SPACE}MiningSchema/{SPACE}MiningField"):
            schema.setdefault(field.get("name"), field)
    facts = {"modelName": "forest", "functionName": model.get("functionName") or ""}
    whole = ET.SubElement(root, f"{SPACE}MiningModel", facts)
    ET.SubElement(whole, f"{SPACE}MiningSchema").extend(schema.values())
    output = model.find(f"{SPACE}Output")
    if output is not None:
        whole.append(output)
    segments = ET.SubElement(whole, f"{SPACE}Segmentation", {"multipleModelMethod": "average"})
    for k, one in enumerate([model, *map(_model_of, documents[1:])]):
        segment = ET.SubElement(segments, f"{SPACE}Segment", {"id": str(k)})
        ET.SubElement(segment, f"{SPACE}True")
        own = one.find(f"{SPACE}Output")
        if own is not None:
            one.remove(own)
        segment.append(one)
    ET.indent(root, " ")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _model_of(document: ET.Element) -> ET.Element:
    return next(element for element in document if element.tag.endswith("Model"))


def forest_onnx(forest: ForestProgram) -> bytes:
    """A model with the inputs and outputs of a tree's, for the mean of all trees."""
    models = [onnx(tree) for tree in forest.trees]  # first: it says what to install
    import onnx as package
    from onnx import compose

    helper, kinds = package.helper, package.TensorProto
    nodes, constants, inputs = [], [], dict[str, Any]()
    wanted = "probabilities" if forest.classes else "value"
    parts = []
    for k, content in enumerate(models):
        graph = compose.add_prefix_graph(
            package.load_from_string(content).graph, f"hb{k}_", rename_inputs=False, rename_outputs=True
        )
        inputs |= {one.name: one for one in graph.input}
        nodes += [node for node in graph.node if f"hb{k}_label" not in node.output]
        constants += list(graph.initializer)
        parts.append(f"hb{k}_{wanted}")
    count = package.numpy_helper.from_array(np.array(float(len(parts))), "hb_count")
    nodes.append(helper.make_node("Sum", parts, ["hb_total"]))
    nodes.append(helper.make_node("Div", ["hb_total", "hb_count"], [wanted]))
    constants.append(count)
    if not forest.classes:
        outputs = [helper.make_tensor_value_info("value", kinds.DOUBLE, [None])]
    else:
        values = np.array([plain_value(label) for label in forest.classes])
        kind = {"b": kinds.BOOL, "i": kinds.INT64, "f": kinds.DOUBLE}.get(values.dtype.kind, kinds.STRING)
        texts: Any = [str(v).encode() for v in values]
        constants += [
            package.numpy_helper.from_array(np.array([1]), "hb_axis"),
            package.numpy_helper.from_array(np.array(1e-12), "hb_slack"),
            helper.make_tensor("hb_labels", kinds.STRING, values.shape, texts)
            if kind == kinds.STRING
            else package.numpy_helper.from_array(values, "hb_labels"),
        ]
        steps: list[tuple[str, list[str], str, dict[str, Any]]] = [
            ("ReduceMax", [wanted, "hb_axis"], "hb_best", {"keepdims": 1}),
            ("Mul", ["hb_best", "hb_slack"], "hb_room", {}),
            ("Sub", ["hb_best", "hb_room"], "hb_least", {}),
            ("GreaterOrEqual", [wanted, "hb_least"], "hb_fits", {}),
            ("Cast", ["hb_fits"], "hb_whole", {"to": kinds.INT32}),
            ("ArgMax", ["hb_whole"], "hb_chosen", {"axis": 1, "keepdims": 0}),
            ("Gather", ["hb_labels", "hb_chosen"], "label", {}),
        ]
        nodes += [helper.make_node(kind_, given, [out], **more) for kind_, given, out, more in steps]
        outputs = [
            helper.make_tensor_value_info("label", kind, [None]),
            helper.make_tensor_value_info(wanted, kinds.DOUBLE, [None, len(values)]),
        ]
    graph = helper.make_graph(nodes, "forest", list(inputs.values()), outputs, constants)
    opsets = [helper.make_opsetid("", 19)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=9, producer_name="hornbeam")
    content = model.SerializeToString()
    return bytes(content)


def forest_javascript(forest: ForestProgram, *, name: str = "forest") -> str:
    """A script that defines the constant `name` with `predict(row)`, and `predictProba(row)` for classes."""
    return forest_script([program_of(tree) for tree in forest.trees], name)


FOREST_FORMATS: Mapping[str, Callable[..., Any]] = {
    "sql": forest_sql,
    "python": forest_python,
    "javascript": forest_javascript,
    "c": forest_c,
    "onnx": forest_onnx,
    "pmml": forest_pmml,
}
