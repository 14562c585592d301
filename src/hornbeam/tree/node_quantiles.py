"""Quantiles of the target at the nodes of a tree: learned from rows, kept in the Tree, read from it.

One idea: quantiles do not add up, so they are kept for every node, in a pool that stays when a node becomes a
leaf. The q-quantile of some rows is the smallest y with at least the share q of their weight at or below it;
if that share is exactly q, the middle between this y and the next, as in the usual median.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam import _core
from hornbeam._base.types import Floats, Longs
from hornbeam.tree.answer_rule import answering_nodes

if TYPE_CHECKING:
    from hornbeam.tree.tree import Tree

_SAME = 1e-9  # levels closer than this are one


def learn_quantiles(
    tree: Tree, leaf: Longs, y: Floats, weight: Floats, levels: Sequence[float]
) -> tuple[dict[str, Any], Floats]:
    """The pool of quantiles of a tree's nodes; and their mean pinball losses, [nodes, levels].

    `leaf`, `y` and `weight` are those of the rows in its leaves; a row may stand in several. A node without
    rows has the quantiles of the nearest node above it that has some.
    """
    here = weight > 0
    leaf, y, weight = leaf[here], y[here], weight[here]
    order = np.lexsort((weight, y))  # equal rows are interchangeable, so sums do not depend on their order
    ascending = np.array(sorted(levels), dtype=np.float64)
    values, losses = _core.node_quantiles(
        tree.first_child,
        tree.n_children,
        np.ascontiguousarray(leaf[order], dtype=np.int32),
        y[order],
        weight[order],
        ascending,
    )
    n, k = len(tree), len(ascending)
    answering = answering_nodes(tree.parent, (~np.isnan(values[::k])).astype(np.float64))
    pool = {
        "quantile_offset": np.arange(0, n * k + 1, k),
        "quantile_level": np.tile(ascending, n),
        "quantile_value": values.reshape(n, k)[answering].ravel(),
    }
    return pool, losses.reshape(n, k)


def levels_of(tree: Tree) -> tuple[float, ...]:
    """The levels of the quantiles that a tree's nodes keep, ascending; none, if they keep none.

    >>> import hornbeam as hb
    >>> levels_of(hb.TreeRegressor("absolute").fit([[1], [2]], [3, 4]).tree_)
    (0.5,)
    """
    return tuple(tree.quantile_level[: int(tree.quantile_offset[1])].tolist())


def quantiles_at(tree: Tree, levels: Sequence[float]) -> Floats:
    """The quantiles of these levels at every node, [nodes, levels].

    >>> import hornbeam as hb
    >>> quantiles_at(hb.TreeRegressor("absolute").fit([[1], [2]], [3, 4]).tree_, [0.5])
    array([[3.5],
           [3. ],
           [4. ]])
    """
    have = levels_of(tree)
    places = []
    for level in levels:
        near = [k for k, one in enumerate(have) if abs(one - level) <= _SAME]
        if not near:
            stored = f"the levels {', '.join(f'{one:g}' for one in have)}" if have else "no quantiles"
            needed = ", ".join(f"{one:g}" for one in sorted({*have, *levels}))
            raise ValueError(
                f"the quantile of level {level:g} is not known: the nodes of this tree keep {stored}; fit"
                f" with leaf=Quantiles(levels=[{needed}]) of hornbeam.parts"
            )
        places.append(near[0])
    table: Floats = tree.quantile_value.reshape(len(tree), len(have))
    return table[:, places]


def weighted_quantiles(y: Floats, weight: Floats, levels: Sequence[float]) -> list[float]:
    """The weighted quantiles of some values: the first with at least that share of the weight at or below it.

    >>> weighted_quantiles(np.array([3.0, 1.0, 2.0]), np.ones(3), (0.0, 0.5, 1.0))
    [1.0, 2.0, 3.0]
    """
    order = np.argsort(y, kind="stable")
    below = np.cumsum(weight[order])
    places = np.searchsorted(below, np.array(levels) * below[-1] * (1 - 1e-12))
    return [float(v) for v in y[order][np.minimum(places, len(y) - 1)]]
