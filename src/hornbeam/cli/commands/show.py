"""`hornbeam show`: a tree or its rules in the terminal."""

from __future__ import annotations

from typing import Any

import click

from hornbeam.cli.exit_codes import Failure
from hornbeam.cli.models import open_model
from hornbeam.cli.options import argument, make_command, option
from hornbeam.cli.tables import Answer, Header, column_rows, print_answer, tree_text
from hornbeam.cli.terminal import Messages


@make_command(
    "show",
    "hornbeam fit demo:tennis -o tennis.tree.json",
    "hornbeam show tennis.tree.json",
    "hornbeam show tennis.tree.json --rules",
)
def show_command(
    messages: Messages,
    *,
    model: str = argument(),
    depth: int | None = option("Largest depth shown; deeper nodes are counted.", least=0),
    node: int = option(
        "Only this node and what is below it.", default=0, least=0, metavar="ID", show_default=False
    ),
    bars: int = option("Length of the bars; 0 for none.", default=16, type=click.IntRange(0, 200)),
    rules: bool = option("One rule per leaf instead of the tree."),
    full: bool = option("Shorten nothing: lines are as long as their names and sets of values."),
    form: str,
) -> None:
    """Print the tree of MODEL.

    Each line is a node: the branch that leads to it, its test or prediction, the class shares as a bar, and
    its number of rows. With --format json the output is one object with all nodes.
    """
    opened = open_model(model, only_tree=True)
    tree, target = opened.tree, opened.facts.get("target")
    if node >= len(tree):
        raise Failure(f"there is no node {node}: {model} has the nodes 0 to {len(tree) - 1}")
    messages.detail((f"{len(tree)} nodes", "dim"))
    look = {"bars": False if tree.outputs else bars, "target": target, "full": full}  # bars show one target
    print_answer(_rules(tree, node, target) if rules else _nodes(tree, node, depth, look), form)


def _answers_of_outputs(tree: Any, node: int) -> dict[str, Any]:
    """What a node of a tree of several targets answers, by their names."""
    each = {output.name: tree.output(k) for k, output in enumerate(tree.outputs)}
    return {
        name: float(one.answers()[node]) if one.classes is None else one.classes[int(one.label[node])]
        for name, one in each.items()
    }


def _nodes(tree: Any, root: int, depth: int | None, look: dict[str, Any]) -> Answer:
    from hornbeam.tree import answers as tree_answers
    from hornbeam.tree.arrays import LEAF
    from hornbeam.tree.words import branch_text, question_text, signs_of

    signs, answers = signs_of("ascii"), tree.answers()
    spreads = tree_answers.spreads(tree) if tree.task.has_spread else None
    rows = []
    for node, level in tree.walk(root):
        if depth is not None and level > depth:
            continue
        parent = int(tree.parent[node])
        leaf = tree.kind[node] == LEAF
        row: dict[str, Any] = {"id": int(node), "parent": None if parent < 0 else parent, "depth": level}
        branch = node - int(tree.first_child[parent]) if parent >= 0 else 0
        row["branch"] = branch_text(tree, parent, branch, signs) if parent >= 0 else None
        row["test"] = None if leaf else question_text(tree, node)
        row["gain"] = None if leaf else float(tree.gain[node])
        row["n"] = int(tree.n_rows[node])
        if tree.outputs:
            row["answers"] = _answers_of_outputs(tree, node)
        elif tree.classes is not None:
            label = int(tree.label[node])
            row |= {"answer": tree.classes[label], "share": float(answers[node, label])}
            row["counts"] = tree.stats[node].tolist()
        else:
            row["answer"] = float(answers[node])
            row["spread"] = None if spreads is None else float(spreads[node])
        row["missing"] = None if leaf else int(tree.missing[node])
        rows.append(row)
    data = {"task": tree.task, "classes": tree.classes, "columns": [c.name for c in tree.columns]}
    data |= {"criterion": tree.meta.get("criterion"), "root": root, "nodes": rows}
    headers = [Header(name) for name in rows[0] if name not in ("counts", "missing")]
    return Answer(
        "show/1",
        data,
        headers,
        rows,
        lambda: [tree_text(tree, node=root, node_ids=True, max_depth=depth, **look)],
    )


def _rules(tree: Any, root: int, target: str | None) -> Answer:
    from hornbeam.reading.rules import Rules, rules

    below = {node for node, _ in tree.walk(root)}
    listed = rules(tree, target=target)
    shown = Rules((rule for rule in listed if rule.leaf in below), listed.notes)
    columns = shown.columns()
    rows = column_rows(columns)
    data = {"task": tree.task, "classes": tree.classes, "rules": rows}
    return Answer("rules/1", data, [Header(name) for name in columns], rows, lambda: str(shown).splitlines())
