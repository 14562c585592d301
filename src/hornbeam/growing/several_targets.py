"""Growth for several targets: what goes with it, and the Tree of what the core has grown.

The core grows such a tree by presorted lists, as it does where the order of y judges splits; it hands over
the Stats of each target.
"""

from __future__ import annotations

from typing import Any

from hornbeam.data.target import Target
from hornbeam.growing.missing import MissingRule
from hornbeam.growing.plan import Plan
from hornbeam.growing.selections import Best
from hornbeam.tree.answer_rule import PLAIN, AnswerRule
from hornbeam.tree.arrays import NODE_ARRAYS
from hornbeam.tree.outputs import Output, joint_arrays
from hornbeam.tree.tree import Tree

CRITERIA = ("gini", "entropy", "root", "error", "variance")  # whose impurities add up over targets


def outputs_of(target: Target) -> tuple[Output, ...]:
    """What a tree says of its targets; nothing if there is one.

    >>> from hornbeam.data.target_columns import reals_of_columns
    >>> [output.name for output in outputs_of(reals_of_columns([("a", [1, 2]), ("b", [3, 4])]))]
    ['a', 'b']
    """
    return tuple(
        Output(one.name, one.task, one.classes if one.task.is_classes else None) for one in target.outputs
    )


def grown_tree(arrays: dict[str, Any], facts: dict[str, Any], target: Target) -> Tree:
    """The Tree of compact arrays that the core has grown."""
    stats = arrays.pop("output_stats")
    bare = Tree.grown(arrays | {"stats": stats[0]}, **facts)
    outputs = outputs_of(target)
    joint = joint_arrays(bare, outputs, stats, bare.meta["criterion"])
    kept = {name: getattr(bare, name) for name in NODE_ARRAYS} | bare.arrays()
    return Tree.unchecked(**(bare.attributes() | {"outputs": outputs} | kept | joint))


def refuse_for_outputs(plan: Plan, *, by_core: bool) -> None:
    """Raise for choices that have no meaning for several targets, or none yet."""
    because = None
    if plan.criterion.name not in CRITERIA:
        names = [name for name in CRITERIA if (name == "variance") != plan.criterion.task.is_classes]
        because = f"criterion={plan.criterion!r} judges one target: use {' or '.join(map(repr, names))}"
    elif not isinstance(plan.selection, Best):
        because = f"selection={plan.selection!r} compares tests of one target: use 'best'"
    elif plan.search.method != "core":
        because = f"search={plan.search!r} looks for trees of one target: use 'greedy'"
    elif not by_core:
        because = (
            f"split={plan.split!r} is searched for one target: use 'binary', 'one-vs-rest' or 'multiway', and"
            " a dense table"
        )
    elif plan.missing.core_rule in (MissingRule.FRACTIONAL, MissingRule.SURROGATES):
        because = (
            f"missing={plan.missing!r} is not possible: use 'learn', 'branch', 'majority' or 'all-paths'"
        )
    elif plan.constraints.functionals:
        because = "monotonic_cst orders the answers of one target: leave it out"
    elif plan.limits.get("min_variation", 0) > 0 or plan.limits.get("min_sd_share", 0) > 0:
        because = "min_variation and min_sd_share measure one target: use min_impurity_decrease"
    elif plan.leaf.name != "constant":
        because = f"leaf={plan.leaf!r} fits one target: use 'constant'"
    if because:
        raise ValueError(f"with several targets {because}, or fit one model for each target")


def refuse_rule(rule: AnswerRule) -> None:
    """Raise unless nodes answer several targets with plain shares and means."""
    if rule is PLAIN:
        return
    given = "priors" if rule.priors is not None else "costs" if rule.costs is not None else "leaf"
    raise ValueError(
        f"with several targets {given} would have to be said of each: leave {given} at its default, or fit"
        " one model for each target"
    )
