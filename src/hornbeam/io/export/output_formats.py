"""Trees of several targets in other languages: the export of the tree of each target, and what asks them all.

One idea: `tree.output(k)` is a tree like any other, so its export is one like any other, under names of its
own as in `forest_formats`. Answers come by the names of the targets.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hornbeam.io.export.c import c
from hornbeam.io.export.forest_formats import named_apart
from hornbeam.io.export.javascript import outputs_script
from hornbeam.io.export.literals import comment, python_value
from hornbeam.io.export.onnx import onnx
from hornbeam.io.export.python import python
from hornbeam.io.export.readable_formats import json
from hornbeam.io.export.refused_names import check_function_name
from hornbeam.io.export.sql import sql
from hornbeam.io.export.sql_dialects import dialect_named
from hornbeam.io.export.tree_program import program_of
from hornbeam.tree.tree import Tree


def _each(tree: Tree) -> list[Tree]:
    return [tree.output(k) for k in range(len(tree.outputs))]


def outputs_python(tree: Tree, *, name: str = "predict") -> str:
    """A module with `name(row)`, a dict from each target to its answer; and `name_proba(row)` for classes.

    `name_proba` gives a dict from each target that is classes to a dict from class to probability.

    >>> import hornbeam as hb
    >>> X = {"size": [1, 2, 3], "price": [10.0, 10.0, 30.0], "days": [9.0, 9.0, 5.0]}
    >>> space = {}
    >>> exec(outputs_python(hb.TreeRegressor().fit(X, y=["price", "days"]).tree_), space)
    >>> space["predict"]({"size": 3})
    {'price': 30.0, 'days': 5.0}
    """
    check_function_name(name)
    each, called = _each(tree), [f"{name}_of_target_{k}" for k in range(len(tree.outputs))]
    texts = [named_apart(str(k), python(one, name=called[k])) for k, one in enumerate(each)]
    pairs = [f"{python_value(o.name)}: {call}" for o, call in zip(tree.outputs, called, strict=True)]
    shares = [f"{p}_proba" for p, o in zip(pairs, tree.outputs, strict=True) if o.task.is_classes]
    lines = [
        f"# A decision tree of {len(each)} targets; call {name}(row), where row is a dict of values.",
        *texts,
        f"hb_targets = {{{', '.join(pairs)}}}",
        f"hb_shares = {{{', '.join(shares)}}}",
        f"def {name}(row): return {{target: answer(row) for target, answer in hb_targets.items()}}",
    ]
    if shares:
        lines.append(
            f"def {name}_proba(row): return {{target: answer(row) for target, answer in hb_shares.items()}}"
        )
    return "\n".join(lines) + "\n"


def outputs_c(tree: Tree, *, name: str = "predict") -> str:
    """A source file with `name(x, out)`, which writes each target's answer: a number, or that of a class.

    Target k has functions of its own, those of a tree of one target: `name_k`, and for classes `name_k_proba`
    and `name_k_classes`. `name_code` is as for a tree of one target.
    """
    check_function_name(name)
    each = _each(tree)
    texts = [named_apart(str(k), c(one, name=f"{name}_{k}")) for k, one in enumerate(each)]
    head = [f"/* A decision tree of {len(each)} targets; call {name}(x, out), which writes"]
    head += [f"   out[{k}]  {comment(output.name)}" for k, output in enumerate(tree.outputs)]
    return "\n".join(
        [
            *head,
            "*/",
            *texts,
            f"double {name}_code(int column, const char *text) {{ return {name}_0_code(column, text); }}",
            f"void {name}(const double *x, double *out) {{",
            *(f"  out[{k}] = {name}_{k}(x);" for k in range(len(each))),
            "}",
            "",
        ]
    )


def outputs_javascript(tree: Tree, *, name: str = "tree") -> str:
    """A script with the constant `name`: `predict(row)` is an object by target, `predictProba(row)` Maps."""
    return outputs_script([program_of(one) for one in _each(tree)], [o.name for o in tree.outputs], name)


def outputs_sql(
    tree: Tree,
    *,
    key: str | Sequence[str] | None = None,
    table: str = "data",
    name: str = "prediction",
    dialect: str = "standard",
) -> str:
    """A query with a column `name_<target>` for each target, for classes `name_<target>_<class>`, too.

    Parameters
    ----------
    key : str or list of str
        Columns that together are different in each row; they are given back, and rows are sorted by them.
    """
    keys = [key] if isinstance(key, str) else list(key or ())
    if not keys:
        raise ValueError(
            "a query of several targets needs key=..., a column or columns that are different in each row"
        )
    words = dialect_named(dialect)
    named = [words.name(one) for one in keys]
    said, parts = [f"hb_target_0.{one}" for one in named], list[str]()
    for k, (output, one) in enumerate(zip(tree.outputs, _each(tree), strict=True)):
        own = f"{name}_{output.name}"
        query = sql(one, table=table, name=own, keep=keys, dialect=dialect, key=keys).rstrip("\n")
        same = " AND ".join(f"hb_target_{k}.{key_} = hb_target_0.{key_}" for key_ in named)
        parts.append(f"{'JOIN ' if k else ''}(\n{query}\n) AS hb_target_{k}{f' ON {same}' if k else ''}")
        columns = [own, *words.share_names(own, output.classes or ())]
        said += [f"hb_target_{k}.{words.name(column)}" for column in columns]
    order, from_ = ", ".join(f"hb_target_0.{one}" for one in named), "\n".join(parts)
    return f"SELECT {', '.join(said)}\nFROM {from_}\nORDER BY {order}\n"


def outputs_onnx(tree: Tree) -> bytes:
    """A model with the inputs of a tree's and the outputs of each target, with its name behind them.

    Of classes `label_<target>` and `probabilities_<target>`, of numbers `value_<target>`.
    """
    models = [onnx(one) for one in _each(tree)]  # first: it says what to install
    import onnx as package
    from onnx import compose

    nodes, constants, inputs, outputs = [], [], dict[str, Any](), []
    for k, content in enumerate(models):
        graph = compose.add_prefix_graph(
            package.load_from_string(content).graph, f"hb{k}_", rename_inputs=False, rename_outputs=False
        )
        names = {one.name: f"{one.name}_{tree.outputs[k].name}" for one in graph.output}
        for node in graph.node:
            node.output[:] = [names.get(one, one) for one in node.output]
            node.input[:] = [names.get(one, one) for one in node.input]
        for one in graph.output:
            one.name = names[one.name]
        inputs |= {one.name: one for one in graph.input}
        nodes += list(graph.node)
        constants += list(graph.initializer)
        outputs += list(graph.output)
    joined = package.helper.make_graph(nodes, "tree", list(inputs.values()), outputs, constants)
    opsets = [package.helper.make_opsetid("", 19)]
    model = package.helper.make_model(joined, opset_imports=opsets, ir_version=9, producer_name="hornbeam")
    return bytes(model.SerializeToString())


OUTPUT_FORMATS: Mapping[str, Callable[..., Any]] = {
    "sql": outputs_sql,
    "python": outputs_python,
    "javascript": outputs_javascript,
    "c": outputs_c,
    "onnx": outputs_onnx,
    "json": json,
}
