"""What an edit needs: the estimator, its table and rows; and the fitted model of an edited tree.

One idea: an operation is a function of a tree and of this, and of nothing else; so a log of operations says
everything about how a tree came to be. Growing is the estimator's own, asked through its Plan.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from hornbeam._base.parameters import did_you_mean
from hornbeam._base.types import AnyArray, Floats, Longs
from hornbeam.data.table import Table
from hornbeam.data.target import Rows as TargetRows
from hornbeam.data.target import Target
from hornbeam.editing.model_node import target_of
from hornbeam.estimators.auto.base import ordinary_estimator
from hornbeam.estimators.base import TreeModel
from hornbeam.estimators.prune import rows_of
from hornbeam.estimators.tree_estimators import TreeClassifier, TreeRegressor
from hornbeam.growing.candidates.node_rows import growth_of
from hornbeam.growing.finish import learn, reweight_target
from hornbeam.growing.interruption import GrowthInterrupted, Watcher
from hornbeam.growing.plan import Constraints, Plan, features_wanted
from hornbeam.growing.selections import Best
from hornbeam.growing.stepwise_growth import ROOT_KEY, Growth, Node
from hornbeam.tree.annotations import with_entries
from hornbeam.tree.answer_rule import AnswerRule
from hornbeam.tree.certificate import KEY as CERTIFICATE
from hornbeam.tree.refit import in_class_order
from hornbeam.tree.tree import Tree

# What an operation may change of the estimator's parameters: the numbers that stop growth.
LIMITS = (
    *("max_depth", "max_leaf_nodes", "max_nodes", "min_samples_split", "min_samples_leaf"),
    *("min_impurity_decrease", "min_gain", "min_weight_fraction_leaf", "min_variation", "min_sd_share"),
)
BEST_FIRST = ("max_leaf_nodes", "max_nodes")


Rows = tuple[Longs, Floats]  # positions in the table, and the share of each row


class TableGrowth(Growth):
    """A growth whose rows are those of the table: the core's sums do not depend on their order."""

    @staticmethod
    def _order(outcome: AnyArray, weight: Floats, copies: Longs, arrays: Sequence[AnyArray]) -> Longs:
        del outcome, weight, arrays
        return np.arange(len(copies))


@dataclass(frozen=True, eq=False)
class EditContext:
    """The estimator, the table and the target; `given` is the fitted model's tree, None if it has none.

    Attributes
    ----------
    estimator : TreeClassifier or TreeRegressor
    table, target : the rows, as the tree reads them
    names : whatever names the columns, for `feature_names_in_`
    held_out : X, y and perhaps weights and counts of rows to prune by, which nothing is grown on
    watcher : asked now and then whether growing is to go on; None: it is
    """

    estimator: TreeModel
    table: Table
    target: Target
    names: Any
    given: Tree | None = None
    held_out: tuple[Any, ...] | None = None
    watcher: Watcher | None = None
    _grown: dict[Any, Tree] = field(default_factory=dict, repr=False)
    ranked: dict[Any, Any] = field(default_factory=dict, repr=False)  # best tests of the last nodes looked at

    @classmethod
    def of(
        cls,
        model: Any,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        counts: Any = None,
        held_out: tuple[Any, ...] | None = None,
    ) -> EditContext:
        """The context of a fitted model, of an estimator that is not fitted, or of a Tree.

        >>> context = EditContext.of(TreeRegressor(), {"x": [1.0, 2.0]}, [3.0, 4.0])
        >>> context.start().text()
        '3.5000(n=2)'
        """
        model = ordinary_estimator(model)
        estimator = _adopted(model) if isinstance(model, Tree) else model
        if not isinstance(estimator, (TreeClassifier, TreeRegressor)):
            raise TypeError(
                f"a {type(model).__name__} cannot be edited: give a TreeClassifier, a TreeRegressor or a Tree"
            )
        tree = getattr(estimator, "tree_", None)
        if tree is None:
            table = estimator.learn_table(X)
            target = target_of(estimator, y, table.n_rows, sample_weight=sample_weight, counts=counts)
        else:
            if len(tree.cost_value):
                raise ValueError(
                    "this tree answers by costs of each row, which editing does not know: fit with costs="
                )
            table, target = rows_of(estimator, tree, X, y, sample_weight, counts)
            table, target = _known(table), in_class_order(tree, target)
        _refuse_chance(estimator, len(table.columns))
        return cls(estimator, table, target, X, tree, _checked_rows(held_out))

    # ---- the estimator's own choices -----------------------------------------------------------------------

    @cached_property
    def plan(self) -> Plan:
        """The plan of the estimator."""
        return self.planned({})

    @cached_property
    def rule(self) -> AnswerRule:
        """How nodes answer."""
        return self.estimator.answer_rule(self.target)

    @cached_property
    def growth_target(self) -> Target:
        """The target as growing looks at it: rows weighed by priors and costs."""
        return reweight_target(self.target, self.rule)

    def planned(self, limits: Mapping[str, Any]) -> Plan:
        """The plan with other limits."""
        return self._with(limits).make_plan(self.table, self.target)

    def grown(self, limits: Mapping[str, Any]) -> Tree:
        """The tree that fitting with these limits would grow, without pruning; grown once."""
        key = _key(limits)
        if key not in self._grown:
            estimator = self._with(limits)
            plan = estimator.make_plan(self.table, self.target)
            try:
                self._grown[key] = learn(plan, self.table, self.target, self.rule, self.watcher)
            except GrowthInterrupted as stopped:  # its Stats were added up in an order of their own
                from hornbeam.editing.fill_nodes import refilled

                return refilled(self, stopped.tree)
        return self._grown[key]

    def has_grown(self, limits: Mapping[str, Any]) -> bool:
        """Whether the tree with these limits stands already."""
        return _key(limits) in self._grown

    def watched(self, watcher: Watcher | None) -> EditContext:
        """The same context, whose growing asks a watcher whether to go on; what is stopped stays as it is."""
        twin = copy.copy(self)
        vars(twin)["watcher"] = watcher
        return twin

    @property
    def is_stopped(self) -> bool:
        """Whether the watcher has stopped the growing."""
        return self.watcher is not None and self.watcher.has_stopped

    def _with(self, limits: Mapping[str, Any]) -> TreeModel:
        known = [name for name in LIMITS if hasattr(self.estimator, name)]
        changed = copy.copy(self.estimator)
        for name, value in limits.items():
            if name not in known:
                raise ValueError(
                    f"growing has no limit {name!r}{did_you_mean(name, known)}: limits are {', '.join(known)}"
                )
            setattr(changed, name, value)
        return changed

    # ---- trees ---------------------------------------------------------------------------------------------

    def start(self) -> Tree:
        """The tree to begin with: the fitted one, with the Stats of these rows, or one leaf."""
        from hornbeam.editing.chosen_split import regained
        from hornbeam.editing.fill_nodes import refilled

        if self.given is None:
            leaf = self.grown({"max_depth": 0})  # what is proven of one leaf is of no use
            return leaf.replace(meta=with_entries(leaf.meta, CERTIFICATE, {}))
        filled = refilled(self, self.given)
        return self.given if _agree(filled, self.given) else regained(self, filled, 0)

    def model(self, tree: Tree) -> TreeModel:
        """A fitted estimator whose tree is this one."""
        model = copy.copy(self.estimator)
        model.tree_, model.pruning_ = tree, None
        if self.given is None:
            model.keep_names(self.names, self.table)
            if isinstance(model, TreeClassifier):
                assert self.target.labels is not None
                model.set_labels(self.target.labels, self.target.classes)
        return model

    # ---- rows ----------------------------------------------------------------------------------------------

    def held_out_rows(self, tree: Tree, method: Any) -> TargetRows:
        """The rows to prune by, as a tree reads them; raise if there are none."""
        if self.held_out is None:
            raise ValueError(
                f"method={method!r} prunes by rows that the tree was not grown on: edit with held_out=(X, y),"
                " or use hb.prune(draft.model, method, X, y) and edit on from there"
            )
        return rows_of(self.estimator, tree, *self.held_out)

    @property
    def arrays(self) -> tuple[AnyArray, ...]:
        """One array per column."""
        return self.table.arrays

    @cached_property
    def weight(self) -> Floats:
        """The weight of each row, repetitions included."""
        return self.target.row_weight

    @cached_property
    def growth(self) -> Growth:
        """The rows, by their positions in the table, as the search of a node reads them.

        Neither limits nor constraints, selections or drawn columns bind a person.
        """
        plan = replace(self.plan, limits={}, max_features=0, constraints=Constraints(), selection=Best())
        return TableGrowth(plan, self.table, self.growth_target)

    @cached_property
    def limited_growth(self) -> Growth:
        """The same with `min_samples_leaf`."""
        growth = copy.copy(self.growth)
        least = self.plan.limits.get("min_rows_leaf", 1)
        growth.plan = replace(growth.plan, limits={"min_rows_leaf": least})
        return growth

    @cached_property
    def search_growth(self) -> Growth:
        """The rows as the estimator's own search of a node reads them: with its limits and selection."""
        return growth_of(self.plan, self.table, self.growth_target)

    def node(self, rows: Rows) -> Node:
        """Some rows as a node of the growth."""
        return self.growth.node(rows[0], rows[1] * self.growth.weight[rows[0]], 0, (), (), ROOT_KEY)

    def column(self, on: Any) -> int:
        """The number of a column, by name or by number."""
        names = [column.name for column in self.table.columns]
        if isinstance(on, str) and on in names:
            return names.index(on)
        if isinstance(on, (int, np.integer)) and not isinstance(on, bool) and 0 <= on < len(names):
            return int(on)
        shown = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
        raise ValueError(f"on={on!r} is no column of the table{did_you_mean(on, names)}: columns are {shown}")


def _key(limits: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((name, repr(value)) for name, value in limits.items()))


def _known(table: Table) -> Table:
    """A category that the model does not know is missing."""
    if all(array.dtype.kind == "f" or not (array < -1).any() for array in table.arrays):
        return table
    arrays = tuple(a if a.dtype.kind == "f" else np.maximum(a, -1) for a in table.arrays)
    return Table(table.columns, table.n_rows, arrays)


def _checked_rows(held_out: Any) -> tuple[Any, ...] | None:
    if held_out is None:
        return None
    if not isinstance(held_out, (tuple, list)) or not 2 <= len(held_out) <= 4:
        raise ValueError(
            "held_out must be a tuple (X, y), (X, y, sample_weight) or (X, y, sample_weight, counts) of rows"
            " to prune by"
        )
    return tuple(held_out)


def _refuse_chance(estimator: TreeModel, n_columns: int) -> None:
    seed = estimator.random_state
    drawn = features_wanted(estimator.max_features, n_columns) > 0
    if (drawn or seed is not None) and (isinstance(seed, bool) or not isinstance(seed, (int, np.integer))):
        raise ValueError(
            f"random_state={seed!r} draws other columns each time, so no log could be replayed: use a whole"
            " number, such as random_state=0"
        )


def _adopted(tree: Tree) -> TreeModel:
    """A fitted estimator with the usual parameters for a tree that stands alone."""
    if tree.task.is_density:
        raise TypeError("a density tree has no target and cannot be edited")
    criterion = tree.meta.get("criterion") or tree.task.usual_criterion
    model = (TreeClassifier if tree.task.is_classes else TreeRegressor)(criterion)
    model.tree_, model.pruning_, model.n_features_in_ = tree, None, len(tree.columns)
    if isinstance(model, TreeClassifier):
        labels = sorted(tree.classes or (), key=lambda c: (str(type(c)), c))
        model.set_labels(np.array(labels), tree.classes or ())
    return model


def _agree(a: Tree, b: Tree) -> bool:
    """Whether two trees of one shape hold the same rows."""
    return (
        len(a) == len(b)
        and np.array_equal(a.n_rows, b.n_rows)
        and np.allclose(a.stats, b.stats, rtol=1e-9, atol=1e-9 * np.abs(b.stats).max(axis=0))
    )
