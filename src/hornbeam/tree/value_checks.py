"""Checks of the numbers in a Tree: answers are finite, leaf equations and expressions can be evaluated.

As in `hornbeam.tree.checks`, which makes sure that the arrays are a tree, a rule is a vector of wrong nodes
and a sentence. The rules of pools that a tree does not have are skipped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hornbeam.tree.answer_rule import answer_rule_of
from hornbeam.tree.arrays import EXPRESSION, THRESHOLD, owners
from hornbeam.tree.checks import refuse_nodes
from hornbeam.tree.expressions.language import Expression
from hornbeam.tree.outputs import check_outputs

if TYPE_CHECKING:
    from hornbeam.tree.tree import Tree

_HIGHEST_POWER = 1000


def check_values(tree: Tree) -> None:
    """Raise a ValueError whose sentence names what is wrong."""
    check_outputs(tree)
    with np.errstate(all="ignore"):  # what is not finite is refused by a sentence
        for check in _CHECKS:
            check(tree)
    check_answers(tree)


def check_answers(tree: Tree) -> None:
    """Priors, costs and smoothing fit the classes, and every node answers with something finite."""
    _check_answer_rule(tree)
    with np.errstate(all="ignore"):
        if not np.isfinite(tree.answers()).all():
            raise ValueError("a node answers with something that is no finite number")


def _check_equations(tree: Tree) -> None:
    """The equations of leaves are for trees of numbers; their columns, powers, values and numbers exist."""
    if not tree.has_models:
        return
    if not tree.task.is_real:
        raise ValueError(f"equations are for trees of numbers: a tree with task={tree.task!r} has none")
    nodes = owners(tree.model_offset)
    of_term, of_member = nodes[owners(tree.term_offset)], owners(tree.member_offset)
    refuse_nodes(np.diff(nodes) == 0, "has two equations: one is enough", nodes[1:])
    sound = np.isfinite(tree.model_intercept) & (tree.model_low <= tree.model_high) & (tree.model_size >= 1)
    refuse_nodes(~sound, "needs an equation with a finite intercept, low <= high and size >= 1", nodes)
    column, power, last = tree.term_column, tree.term_power, len(tree.columns) - 1
    refuse_nodes((column < 0) | (column > last), f"names a column outside 0 to {last}", of_term)
    for numbers in (tree.term_coefficient, tree.term_gap, tree.term_center):
        refuse_nodes(~np.isfinite(numbers), "has a term with a number that is not finite", of_term)
    numeric = np.array([c.kind == "numeric" for c in tree.columns])[column]
    mixed = (power < 0) | (numeric != (power > 0))
    refuse_nodes(mixed, "needs powers of numeric columns, values of others", of_term)
    too_high = power > _HIGHEST_POWER  # a power is a loop
    refuse_nodes(too_high, f"has a power above {_HIGHEST_POWER} in its equation", of_term)
    sizes = np.array([len(c.categories) for c in tree.columns])[column[of_member]]
    outside = (tree.member_code < 0) | (tree.member_code >= sizes)
    refuse_nodes(outside, "names a code outside the categories of its column", of_term[of_member])


def _check_expressions(tree: Tree) -> None:
    """Every test of an expression has one, which its columns allow."""
    nodes, tests = list(tree.expressions), np.flatnonzero(tree.kind == EXPRESSION).tolist()
    if nodes != tests:
        raise ValueError(f"expressions are given for the nodes {nodes}, but nodes {tests} test one")
    for text in dict.fromkeys(tree.expressions.values()):  # many nodes may test the same
        Expression.parse(text).check(tree.columns)


def _check_names(tree: Tree) -> None:
    names = [column.name for column in tree.columns]
    if len(set(names)) < len(names):
        raise ValueError("two columns have the same name")
    for column in tree.columns:
        if column.kind == "numeric" and column.categories:
            raise ValueError(f"column {column.name!r} is numeric, but has categories")
        if len(column.code_of) < len(column.categories):
            raise ValueError(f"column {column.name!r} has a category twice")
    if tree.classes is not None and len(set(tree.classes)) < len(tree.classes):
        raise ValueError("a class is there twice")


def _check_numbers(tree: Tree) -> None:
    finite = {"plane": tree.plane_weight, "tuple": tree.entry_value, "cost": tree.cost_value}
    for what, values in finite.items():
        if not np.isfinite(values).all():
            raise ValueError(f"a number of a {what} is not finite")
    refuse_nodes((tree.fraction < 0) | (tree.fraction > 1), "has a fraction outside 0 to 1")
    for name in ("gain", "impurity"):
        refuse_nodes(np.isnan(getattr(tree, name)), f"has no {name}: use 0 where there is none")
    if len(tree.cost_value) and (np.diff(tree.cost_offset) != len(tree.classes or ())).any():
        raise ValueError("costs must be there for every class at every node, or nowhere")
    if not tree.n_rows[0] < 2**53:
        raise ValueError(f"the root has {tree.n_rows[0]} rows: more than 2**53 cannot be counted")


def _check_cuts(tree: Tree) -> None:
    """A cut of ordered categories lies among them, so that it can be said by its name."""
    single = np.flatnonzero((tree.kind == THRESHOLD) & np.isfinite(tree.threshold))
    several = owners(tree.cut_offset)
    imitated = np.flatnonzero(np.diff(tree.surrogate_map_offset) == 0)
    cuts = (
        (single, tree.column[single], tree.threshold[single]),
        (several, tree.column[several], tree.cut_threshold),
        (
            owners(tree.surrogate_offset)[imitated],
            tree.surrogate_column[imitated],
            tree.surrogate_threshold[imitated],
        ),
    )
    sizes = np.array([0 if c.kind == "numeric" else len(c.categories) for c in tree.columns] + [0])
    numeric = np.array([c.kind == "numeric" for c in tree.columns] + [True])
    for nodes, column, cut in cuts:
        outside = ~numeric[column] & ~((cut >= 0) & (cut < sizes[column]))
        refuse_nodes(outside, "cuts its categories outside of them", nodes)


def _check_tuples(tree: Tree) -> None:
    """Where a test names values of several columns, those of categories are codes."""
    if not len(tree.entry_value):
        return
    entry = owners(tree.entry_offset)  # the tuple of each value, then its node, then its place in the tuple
    nodes = owners(tree.tuple_offset)[entry]
    place = np.arange(len(entry)) - tree.entry_offset[entry]
    column = tree.set_column[tree.set_offset[nodes] + place]
    sizes = np.array([len(c.categories) for c in tree.columns])[column]
    value = tree.entry_value
    known = (value >= 0) & (value < sizes) & (value == np.floor(value))
    numeric = np.array([c.kind == "numeric" for c in tree.columns])[column]
    refuse_nodes(~numeric & ~known, "tests a code outside the categories of its column", nodes)


def _check_quantiles(tree: Tree) -> None:
    """All nodes keep the same quantiles, or none."""
    if not len(tree.quantile_level):
        return
    if not tree.task.is_real:
        raise ValueError(f"quantiles are for trees of numbers: a tree with task={tree.task!r} has none")
    width = np.diff(tree.quantile_offset)
    refuse_nodes(width != width[0], "keeps another number of quantiles than the root")
    levels = tree.quantile_level.reshape(len(tree), -1)
    refuse_nodes((levels != levels[0]).any(axis=1), "keeps other quantiles than the root")
    level = levels[0]
    if not ((level > 0) & (level < 1)).all() or (np.diff(level) <= 0).any():
        raise ValueError("the levels of quantiles must ascend, each above 0 and below 1")
    if not np.isfinite(tree.quantile_value).all():
        raise ValueError("a quantile is no finite number")


def _check_curves(tree: Tree) -> None:
    """The event times of each node ascend, and nobody has the event who is not at risk."""
    if not len(tree.curve_time):
        return
    if not tree.task.is_survival:
        raise ValueError(f"curves are for survival: a tree with task={tree.task!r} has none")
    nodes = owners(tree.curve_offset)
    sound = np.isfinite(tree.curve_time) & np.isfinite(tree.curve_at_risk) & (tree.curve_at_risk > 0)
    sound &= (tree.curve_events >= 0) & (tree.curve_events <= tree.curve_at_risk * (1 + 1e-9))
    refuse_nodes(~sound, "has a curve with events of rows that are not at risk", nodes)
    ascending = (nodes[1:] != nodes[:-1]) | (tree.curve_time[1:] > tree.curve_time[:-1])
    refuse_nodes(~ascending, "has a curve whose times do not ascend", nodes[1:])


def _check_boxes(tree: Tree) -> None:
    inside = np.isfinite(tree.box_low) & np.isfinite(tree.box_high) & (tree.box_low <= tree.box_high)
    refuse_nodes(~inside, "has a box that is not low <= high", owners(tree.box_offset))
    if tree.task.is_density:
        weight = tree.weight
        if not weight[0] > 0:
            raise ValueError("the root of a density tree has no weight")
        refuse_nodes(weight > weight[0] * (1 + 1e-9), "weighs more than the root")


def _check_surrogates(tree: Tree) -> None:
    """Their columns hold what they test, and the branches they name are there."""
    if not len(tree.surrogate_column):
        return
    nodes = owners(tree.surrogate_offset)
    categories = np.array([len(c.categories) for c in tree.columns])
    nominal = np.array([c.kind == "nominal" for c in tree.columns])[tree.surrogate_column]
    mapped = np.diff(tree.surrogate_map_offset) > 0
    refuse_nodes(nominal & ~mapped, "has a surrogate that cuts a nominal column", nodes)
    refuse_nodes(
        mapped & (categories[tree.surrogate_column] == 0),
        "has a surrogate that maps values of numbers",
        nodes,
    )
    count = tree.n_children[nodes]
    for side in (tree.surrogate_low, tree.surrogate_high):
        refuse_nodes(
            ~mapped & ((side < 0) | (side >= count)), "has a surrogate to a branch it has not", nodes
        )
    refuse_nodes(
        ~mapped & ~np.isfinite(tree.surrogate_threshold), "has a surrogate without a threshold", nodes
    )
    entry = owners(tree.surrogate_map_offset)
    branch, code = tree.surrogate_map_branch, tree.surrogate_map_code
    refuse_nodes(
        (branch < 0) | (branch >= count[entry]), "has a surrogate to a branch it has not", nodes[entry]
    )
    size = categories[tree.surrogate_column[entry]]
    refuse_nodes((code < 0) | (code >= size), "has a surrogate of a value its column has not", nodes[entry])
    ascending = (entry[1:] != entry[:-1]) | (code[1:] > code[:-1])
    refuse_nodes(~ascending, "has a surrogate whose values do not ascend", nodes[entry][1:])


def _check_answer_rule(tree: Tree) -> None:
    rule, n = answer_rule_of(tree.meta), len(tree.classes or ())
    shapes = {"priors": (n,), "factors": (n,), "costs": (n, n)}
    for name, shape in shapes.items():
        value = getattr(rule, name)
        if value is None:
            continue
        if value.shape != shape or not np.isfinite(value).all() or (value < 0).any():
            raise ValueError(f"meta['answers'] has {name} that are not {shape} numbers of at least 0")
    if isinstance(rule.amount, bool) or not isinstance(rule.amount, int | float):
        raise ValueError(f"meta['answers'] has amount={rule.amount!r}, which is no number")
    if not 0 <= rule.amount < np.inf:
        raise ValueError(f"meta['answers'] has amount={rule.amount!r}, which must be at least 0 and finite")


_CHECKS = (
    _check_equations,
    _check_expressions,
    _check_names,
    _check_numbers,
    _check_boxes,
    _check_cuts,
    _check_tuples,
    _check_quantiles,
    _check_curves,
    _check_surrogates,
)
