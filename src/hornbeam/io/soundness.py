"""What a tree from a file must obey beyond what makes its arrays a tree, so that every prediction works.

One idea: nobody but a stranger writes a surrogate that leads to a branch the test has not, or costs for two
of three classes. Those rules cost nothing once, at the door, and are not asked of trees made here.
"""

from __future__ import annotations

import numpy as np

from hornbeam._base.types import AnyArray, Bools
from hornbeam.tree.answer_rule import answer_rule_of
from hornbeam.tree.answers import answers
from hornbeam.tree.arrays import THRESHOLD, owners
from hornbeam.tree.tree import Tree

_HIGHEST_POWER = 1000


def check_soundness(tree: Tree) -> None:
    """Raise a ValueError whose sentence names what is wrong."""
    _check_texts(tree)
    _check_numbers(tree)
    _check_cuts(tree)
    _check_tuples(tree)
    _check_terms(tree)
    _check_quantiles(tree)
    _check_surrogates(tree)
    _check_answer_rule(tree)
    if not np.isfinite(answers(tree)).all():
        raise ValueError("a node answers with something that is no finite number")


def _refuse(wrong: Bools, nodes: AnyArray, sentence: str) -> None:
    if wrong.any():
        raise ValueError(f"node {int(nodes[int(np.argmax(wrong))])} {sentence}")


def _check_texts(tree: Tree) -> None:
    names = [column.name for column in tree.columns]
    if len(set(names)) < len(names):
        raise ValueError("two columns have the same name")
    for column in tree.columns:
        if column.kind == "numeric" and column.categories:
            raise ValueError(f"column {column.name!r} is numeric, but has categories")
        if len(column.code_of) < len(column.categories):
            raise ValueError(f"column {column.name!r} has a category twice")
    texts = [*names, *(v for c in tree.columns for v in c.categories), *(tree.classes or ())]
    if tree.classes is not None and len(set(tree.classes)) < len(tree.classes):
        raise ValueError("a class is there twice")
    for text in texts:
        if isinstance(text, str) and not text.isprintable() and _has_surrogates(text):
            raise ValueError(f"the text {text!r} is not Unicode (lone surrogates)")


def _has_surrogates(text: str) -> bool:
    return any("\ud800" <= letter <= "\udfff" for letter in text)


def _check_numbers(tree: Tree) -> None:
    nodes = np.arange(len(tree))
    finite = {"plane": tree.plane_weight, "tuple": tree.entry_value, "cost": tree.cost_value}
    for what, values in finite.items():
        if not np.isfinite(values).all():
            raise ValueError(f"a number of a {what} is not finite")
    fraction = tree.fraction
    with np.errstate(invalid="ignore"):
        _refuse((fraction < 0) | (fraction > 1), nodes, "has a fraction outside 0 to 1")
    for name in ("gain", "impurity"):
        _refuse(np.isnan(getattr(tree, name)), nodes, f"has no {name}: use 0 where there is none")
    if len(tree.cost_value) and (np.diff(tree.cost_offset) != len(tree.classes or ())).any():
        raise ValueError("costs must be there for every class at every node, or nowhere")
    _check_boxes(tree)
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
        _refuse(outside, nodes, "cuts its categories outside of them")


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
    _refuse(~numeric & ~known, nodes, "tests a code outside the categories of its column")


def _check_terms(tree: Tree) -> None:
    """A power is a loop."""
    if not tree.has_models:
        return
    where = owners(tree.model_offset)[owners(tree.term_offset)]
    _refuse(tree.term_power > _HIGHEST_POWER, where, f"has a power above {_HIGHEST_POWER} in its equation")


def _check_quantiles(tree: Tree) -> None:
    """All nodes keep the same quantiles, or none."""
    if not len(tree.quantile_level):
        return
    if tree.task != "real":
        raise ValueError(f"quantiles are for trees of numbers: a tree with task={tree.task!r} has none")
    width = np.diff(tree.quantile_offset)
    _refuse(width != width[0], np.arange(len(tree)), "keeps another number of quantiles than the root")
    levels = tree.quantile_level.reshape(len(tree), -1)
    _refuse((levels != levels[0]).any(axis=1), np.arange(len(tree)), "keeps other quantiles than the root")
    level = levels[0]
    if not ((level > 0) & (level < 1)).all() or (np.diff(level) <= 0).any():
        raise ValueError("the levels of quantiles must ascend, each above 0 and below 1")
    if not np.isfinite(tree.quantile_value).all():
        raise ValueError("a quantile is no finite number")


def _check_boxes(tree: Tree) -> None:
    inside = np.isfinite(tree.box_low) & np.isfinite(tree.box_high) & (tree.box_low <= tree.box_high)
    _refuse(~inside, owners(tree.box_offset), "has a box that is not low <= high")
    if tree.task == "density":
        weight = tree.weight
        if not weight[0] > 0:
            raise ValueError("the root of a density tree has no weight")
        _refuse(weight > weight[0] * (1 + 1e-9), np.arange(len(tree)), "weighs more than the root")


def _check_surrogates(tree: Tree) -> None:
    """Their columns hold what they test, and the branches they name are there."""
    if not len(tree.surrogate_column):
        return
    nodes = owners(tree.surrogate_offset)
    categories = np.array([len(c.categories) for c in tree.columns])
    nominal = np.array([c.kind == "nominal" for c in tree.columns])[tree.surrogate_column]
    mapped = np.diff(tree.surrogate_map_offset) > 0
    _refuse(nominal & ~mapped, nodes, "has a surrogate that cuts a nominal column")
    _refuse(
        mapped & (categories[tree.surrogate_column] == 0),
        nodes,
        "has a surrogate that maps values of numbers",
    )
    count = tree.n_children[nodes]
    for side in (tree.surrogate_low, tree.surrogate_high):
        _refuse(~mapped & ((side < 0) | (side >= count)), nodes, "has a surrogate to a branch it has not")
    _refuse(~mapped & ~np.isfinite(tree.surrogate_threshold), nodes, "has a surrogate without a threshold")
    entry = owners(tree.surrogate_map_offset)
    branch, code = tree.surrogate_map_branch, tree.surrogate_map_code
    _refuse((branch < 0) | (branch >= count[entry]), nodes[entry], "has a surrogate to a branch it has not")
    size = categories[tree.surrogate_column[entry]]
    _refuse((code < 0) | (code >= size), nodes[entry], "has a surrogate of a value its column has not")
    ascending = (entry[1:] != entry[:-1]) | (code[1:] > code[:-1])
    _refuse(~ascending, nodes[entry][1:], "has a surrogate whose values do not ascend")


def _check_answer_rule(tree: Tree) -> None:
    """Priors, costs and smoothing fit the classes."""
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
