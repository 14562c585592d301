"""Trees of several targets: one tree with one set of tests, whose nodes answer each target.

The arrays of such a Tree are those of its first target; the Stats of all targets stand in the pool "output".
Its `impurity` and `gain` are those of all targets together: their mean, as in scikit-learn. Where some
targets are classes and others numbers, an impurity counts relative to that of its target at the root.

`tree.output("price")` is an ordinary Tree with the same tests that answers one target: whatever reads a tree
of one target reads that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam._base.parameters import did_you_mean, is_whole
from hornbeam._base.types import AnyArray, Floats, Task
from hornbeam.tree import answers
from hornbeam.tree.answer_rule import PLAIN
from hornbeam.tree.arrays import node_weights

if TYPE_CHECKING:
    from hornbeam.tree.tree import Tree


@dataclass(frozen=True)
class Output:
    """One of the targets of a tree: its name, its task, and its classes if it has some."""

    name: str
    task: Task
    classes: tuple[Any, ...] | None = None

    @property
    def width(self) -> int:
        """How many numbers the Stats of a node hold."""
        return self.task.stats_width(len(self.classes or ()))


def is_mixed(outputs: Sequence[Output]) -> bool:
    """Whether some targets are classes and others numbers."""
    return len({output.task for output in outputs}) > 1


def stats_of_outputs(tree: Tree) -> list[Floats]:
    """The Stats of every target, each with a row for each node."""
    widths = [output.width for output in tree.outputs]
    table = tree.output_value.reshape(len(tree), sum(widths))
    parts: list[Floats] = np.split(table, np.cumsum(widths)[:-1], axis=1)
    return parts


def criterion_of(task: Task, criterion: str | None) -> str | None:
    """What measures the impurity of a target in a tree that was grown by a criterion."""
    judges_classes = criterion not in ("variance", "sd")
    return criterion if task.is_classes == judges_classes else task.usual_criterion


def joint_arrays(
    tree: Tree, outputs: Sequence[Output], stats: Sequence[Floats], criterion: str | None
) -> dict[str, Any]:
    """The arrays that follow from the Stats of several targets."""
    table = np.ascontiguousarray(np.concatenate(stats, axis=1))
    width = table.shape[1]
    return {
        "stats": np.ascontiguousarray(stats[0]),
        "label": _labels(outputs[0], stats[0], tree.parent),
        "impurity": joint_impurity(outputs, stats, criterion),
        "output_offset": np.arange(0, table.size + 1, width, dtype=np.int64),
        "output_value": table.ravel(),
    }


def joint_impurity(outputs: Sequence[Output], stats: Sequence[Floats], criterion: str | None) -> Floats:
    """The mean impurity of the targets at every node."""
    total: Floats = np.zeros(len(stats[0]))
    for output, own in zip(outputs, stats, strict=True):
        impurity = answers.impurities(own, output.task, criterion_of(output.task, criterion))
        if is_mixed(outputs):
            impurity = impurity / impurity[0] if impurity[0] > 0 else np.zeros_like(impurity)
        total += impurity / len(outputs)
    return total


def _labels(output: Output, stats: Floats, parent: Any) -> Any:
    if output.task.is_classes:
        return answers.labels(PLAIN, stats, parent)
    return np.full(len(stats), -1, dtype=np.int32)


def place_of_output(tree: Tree, which: Any) -> int:
    """The place of a target among those of a tree, by its name or place."""
    names = [output.name for output in tree.outputs]
    if isinstance(which, str) and which in names:
        return names.index(which)
    if is_whole(which) and 0 <= which < len(names):
        return int(which)
    if not names:
        raise ValueError(f"this tree has one target, so there is no output {which!r}: use the tree itself")
    hint = did_you_mean(which, names) if isinstance(which, str) else ""
    raise ValueError(
        f"the tree has no target {which!r}{hint}: its targets are {', '.join(map(repr, names))},"
        " by name or place"
    )


def output_tree(tree: Tree, which: Any) -> Tree:
    """The tree that answers one of several targets, with the same tests."""
    place = place_of_output(tree, which)
    output, stats = tree.outputs[place], np.ascontiguousarray(stats_of_outputs(tree)[place])
    criterion = criterion_of(output.task, tree.meta.get("criterion"))
    impurity = answers.impurities(stats, output.task, criterion)
    weight = node_weights(stats, output.task)
    arrays = {n: a for n, a in tree.arrays().items() if n not in ("output_offset", "output_value")}
    changed = {
        "stats": stats,
        "label": _labels(output, stats, tree.parent),
        "impurity": impurity,
        "gain": answers.gains(tree.first_child, tree.n_children, weight, impurity, criterion),
    }
    facts = {
        "task": output.task,
        "classes": output.classes,
        "outputs": (),
        "meta": {**tree.meta, "criterion": criterion},
    }
    return type(tree).unchecked(**(tree.attributes() | facts | arrays | changed))


def side_by_side(columns: list[AnyArray]) -> AnyArray:
    """Columns as one array: of their common type if they are of one kind, else of objects.

    >>> side_by_side([np.array([1, 2]), np.array(["u", "v"])]).tolist()
    [[1, 'u'], [2, 'v']]
    """
    kinds = {"n" if column.dtype.kind in "iuf" else column.dtype.kind for column in columns}
    if len(kinds) == 1:
        return np.column_stack(columns)
    table = np.empty((len(columns[0]), len(columns)), dtype=object)
    for k, column in enumerate(columns):
        table[:, k] = column.tolist()
    return table


def check_outputs(tree: Tree) -> None:
    """Raise a ValueError if what is said of several targets does not fit the nodes."""
    outputs = tree.outputs
    if not outputs:
        if len(tree.output_value):
            raise ValueError("the tree has numbers of several targets, but no outputs that say what they are")
        return
    if len(outputs) < 2:
        raise ValueError("outputs say what several targets are: leave them out where there is one")
    names = [output.name for output in outputs]
    if len(set(names)) < len(names):
        raise ValueError("two outputs have the same name")
    for output in outputs:
        if output.task not in (Task.CLASSES, Task.REAL):
            raise ValueError(f"the output {output.name!r} has task={output.task!r}: use 'classes' or 'real'")
        if output.task.is_classes != bool(output.classes):
            raise ValueError(
                f"the output {output.name!r} needs classes if, and only if, its task is 'classes'"
            )
        if output.classes is not None and len(set(output.classes)) < len(output.classes):
            raise ValueError(f"a class of the output {output.name!r} is there twice")
    if (outputs[0].task, outputs[0].classes) != (tree.task, tree.classes):
        raise ValueError("the first output must have the task and the classes of the tree")
    _check_numbers(tree)


def _check_numbers(tree: Tree) -> None:
    width = sum(output.width for output in tree.outputs)
    if (np.diff(tree.output_offset) != width).any():
        raise ValueError(f"every node needs {width} numbers of its outputs")
    for output, stats in zip(tree.outputs, stats_of_outputs(tree), strict=True):
        column = slice(None) if output.task.is_classes else [0, 2]
        if not np.isfinite(stats).all() or (stats[:, column] < 0).any():
            raise ValueError(f"a number of the output {output.name!r} is negative, or not finite")
    if not np.array_equal(stats_of_outputs(tree)[0], tree.stats):
        raise ValueError("the numbers of the first output must be the stats of the nodes")


def outputs_to_plain(outputs: Sequence[Output], plain: Any) -> list[dict[str, Any]]:
    """The targets as JSON can hold them; `plain` makes a class plain."""
    return [
        {
            "name": output.name,
            "task": output.task,
            "classes": None if output.classes is None else [plain(label) for label in output.classes],
        }
        for output in outputs
    ]


def plain_to_output(record: Mapping[str, Any]) -> Output:
    """One target of a document, whose entries were checked."""
    return Output(record["name"], Task(record["task"]), record["classes"])
