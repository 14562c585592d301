"""The Tree: immutable arrays of nodes plus column descriptions, never training rows.

One idea: children are contiguous and come after their parent, so a forward loop is a top-down pass, a reverse
loop a bottom-up pass, and every other shape of the tree (a nested structure, a dict, a pruned copy, text) is
a function of the arrays. What the arrays are stands in `hornbeam.tree.arrays`, what makes them a tree in
`hornbeam.tree.checks`, what its values must be in `hornbeam.tree.value_checks`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hornbeam._base.types import AnyArray, Floats, Task
from hornbeam.data.columns import Column
from hornbeam.tree import answers as tree_answers
from hornbeam.tree import canonical_text, dicts, equations, subtrees
from hornbeam.tree.arrays import ARRAY_NAMES, KINDS, POLICY, POOLS, complete, frozen, node_weights, state_of
from hornbeam.tree.checks import check_arrays, check_attributes
from hornbeam.tree.hooks import HOOKS
from hornbeam.tree.outputs import Output, output_tree, place_of_output
from hornbeam.tree.shape import TreeShape, remember
from hornbeam.tree.value_checks import check_answers, check_values

if TYPE_CHECKING:
    from hornbeam.tree.routing import Routing

__all__ = ["KINDS", "Tree"]


class Tree(TreeShape):
    """A decision tree as arrays.

    Parameters
    ----------
    columns : sequence of Column
        What each column number means.
    classes : sequence or None
        The labels in class order; None unless `task` is "classes".
    task : {"classes", "real", "density", "survival"}
    policy : dict or None
        How prediction treats missing values: "missing" ("learn", "branch", "all-paths"), "vote"
        ("distribution", "leaf"), "weights" ("leaf", "branch").
    meta : dict or None
        Facts about how the tree was learned, such as `{"criterion": "gini"}`.
    expressions : dict or None
        Node -> text of the expression it tests; true goes to child 0.
    leaf_models : dict or None
        Node -> the equation it answers with, a plain dict as `hornbeam.tree.equations` describes it; without
        it the arrays of the pool "model" say the same.
    outputs : sequence of Output
        Of a tree of several targets all of them; task, classes and arrays are those of the first.
    **arrays
        The arrays of `hornbeam.tree.arrays`; "kind", "first_child", "n_children" and "stats" must be given.

    Attributes
    ----------
    kind, first_child, n_children, column, threshold, gap, missing, absent, gain, n_rows, stats, label,
    impurity, fraction
        One value, or row of values, per node, as tabulated in `hornbeam.tree.arrays`; a test's children are
        `first_child[n]` up to `first_child[n] + n_children[n]`.
    map_offset, map_code, map_branch, ...
        The pools: value maps, surrogates, hyperplanes, column sets, boxes.

    Examples
    --------
    >>> tree = Tree.from_nested({"column": "petal width", "<=": 0.8, "yes": "setosa", "no": "other"})
    >>> tree.text()
    'petal width[<=0.8: setosa | >0.8: other]'
    >>> tree.statistics()
    {'depth': 1, 'leaves': 2, 'tests': 1, 'nodes': 3, 'reading_size': 3}
    """

    def __init__(
        self,
        *,
        columns: Sequence[Column],
        classes: Sequence[Any] | None = None,
        task: str = "classes",
        policy: Mapping[str, str] | None = None,
        meta: Mapping[str, Any] | None = None,
        expressions: Mapping[int, str] | None = None,
        leaf_models: Mapping[int, Mapping[str, Any]] | None = None,
        outputs: Sequence[Output] = (),
        **arrays: npt.ArrayLike | None,
    ) -> None:
        classes = None if classes is None else tuple(classes)
        check_attributes(task, classes, policy or {})
        if leaf_models:
            arrays |= equations.pools_of(leaf_models, columns, len(np.asarray(arrays.get("kind"))))
        state = complete(arrays)
        check_arrays(state, columns, Task(task), len(classes or ()))
        self._keep(state, columns, classes, task, policy, meta, expressions, outputs)
        check_values(self)

    @classmethod
    def grown(cls, compact: Mapping[str, AnyArray], **attributes: Any) -> Tree:
        """The tree the core grew, of arrays as `hornbeam.tree.arrays` describes them.

        A tree by construction, it is not checked again; its arrays take their full length when they are read.
        """
        tree = cls.__new__(cls)
        tree._keep(state_of(compact), **attributes)
        return tree

    @classmethod
    def unchecked(cls, **arguments: Any) -> Tree:
        """The tree of arguments that follow from those of another tree, such as a part of its nodes.

        What was checked there is not checked again.
        """
        arrays = {name: arguments.pop(name) for name in ARRAY_NAMES & arguments.keys()}
        tree = cls.__new__(cls)
        tree._keep(complete(arrays), **arguments)
        return tree

    def _keep(
        self,
        state: Mapping[str, Any],
        columns: Sequence[Column],
        classes: Sequence[Any] | None,
        task: str,
        policy: Mapping[str, str] | None,
        meta: Mapping[str, Any] | None,
        expressions: Mapping[int, str] | None = None,
        outputs: Sequence[Output] = (),
    ) -> None:
        self.__dict__.update(
            state,
            columns=tuple(columns),
            classes=None if classes is None else tuple(classes),
            task=Task(task),
            policy={name: allowed[0] for name, allowed in POLICY.items()} | dict(policy or {}),
            meta=dict(meta or {}),
            expressions=dict(sorted((expressions or {}).items())),
            outputs=tuple(outputs),
        )

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Tree never changes: build a new one instead of setting {name!r}")

    def __repr__(self) -> str:
        facts = ", ".join(f"{name}={value}" for name, value in self.statistics().items())
        return f"<Tree {self.task}: {facts}>"

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """What notebooks show: the viewer in a frame, or text."""
        del include, exclude
        return HOOKS.notebook(self)

    def __str__(self) -> str:
        return HOOKS.show(self)

    # ---- the same tree in other shapes ---------------------------------------------------------------------

    def arrays(self) -> dict[str, AnyArray]:
        """The arrays by name, without the pools that are empty."""
        empty = {n for p in POOLS if not self.__dict__[p.offset][-1] for n in (p.offset, *p.arrays)}
        return {name: getattr(self, name) for name in sorted(ARRAY_NAMES - empty)}

    def attributes(self) -> dict[str, Any]:
        """Everything that is not an array, as the constructor takes it."""
        names = ("columns", "classes", "task", "policy", "meta", "expressions", "outputs")
        return {name: self.__dict__[name] for name in names}

    def replace(self, **changes: Any) -> Tree:
        """A new tree with some attributes or arrays changed, and checked; this one stays as it is.

        >>> tree = Tree.from_nested({"column": "x", "<=": 1.5, "yes": "a", "no": "b"})
        >>> tree.replace(classes=["left", "right"]).text()
        'x[<=1.5: left | >1.5: right]'
        """
        arguments = self.attributes() | self.arrays() | changes
        if not changes.keys() <= {"policy", "meta"}:
            return type(self)(**arguments)
        check_attributes(self.task, self.classes, arguments["policy"])
        tree = self.unchecked(**arguments)  # the arrays are those of a tree, but answers follow from meta
        check_answers(tree)
        return tree

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (self.__getstate__(),)

    def __getstate__(self) -> dict[str, Any]:
        return self.attributes() | self.arrays() | {"task": self.task.value}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]  # skops sets states, which are checked like any tree

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        mine, theirs = self.arrays(), other.arrays()
        equal = mine.keys() == theirs.keys() and all(
            np.array_equal(array, theirs[name], equal_nan=array.dtype.kind == "f")
            for name, array in mine.items()
        )
        return equal and dicts.attributes_to_dict(self) == dicts.attributes_to_dict(other)

    __hash__ = None  # type: ignore[assignment]

    def to_dict(self) -> dict[str, Any]:
        """A plain dict that JSON can hold; `from_dict` gives back an equal tree, every double exact."""
        return dicts.to_dict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Tree:
        """The tree of a dict made by `to_dict`."""
        return cls(**dicts.from_dict(data))

    @classmethod
    def from_nested(
        cls,
        nested: Any,
        columns: Any = None,
        classes: Sequence[Any] | None = None,
        *,
        task: str | None = None,
        policy: Mapping[str, str] | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> Tree:
        """A tree written by hand; `hornbeam.tree.nested` documents the format.

        `columns` is a table whose columns the tree tests, or a list of `Column`. Without it the tree knows
        the values it names; any other value is simply not equal to those.

        >>> tree = Tree.from_nested(
        ...     {"column": "body", "equals": "square", "yes": "enemy",
        ...      "no": {"column": "neck", "equals": "bow", "yes": "enemy", "no": "ally"}})
        >>> tree.text()
        'body=square[yes: enemy | no: neck=bow[yes: enemy | no: ally]]'
        """
        from hornbeam.tree.nested import parse

        return cls(**parse(nested, columns, classes, task=task, policy=policy, meta=meta))

    def text(self) -> str:
        """The canonical text: `attr[branch: subtree | branch: subtree]`, one line, equal for equal trees."""
        return canonical_text.text(self)

    def collapse(self, nodes: npt.ArrayLike) -> Tree:
        """A smaller tree: the nodes of a boolean mask become leaves, what is below them goes.

        >>> tree = Tree.from_nested({"column": "a", "equals": "u", "yes": {"label": "p", "counts": [2, 1]},
        ...                          "no": {"label": "q", "counts": [1, 3]}}, classes=["p", "q"])
        >>> tree.collapse([True, False, False]).text()
        'q(3:4)'
        """
        return Tree.unchecked(**subtrees.collapsed(self, nodes))

    def output(self, which: str | int) -> Tree:
        """The tree that answers one of several targets, by its name or place; its tests are the same.

        >>> import hornbeam as hb
        >>> X = {"size": [1, 2], "price": [10.0, 12.0], "days": [9.0, 5.0]}
        >>> hb.TreeRegressor().fit(X, y=["price", "days"]).tree_.output("days").text()
        'size[<=1.5: 9.0000(n=1) | >1.5: 5.0000(n=1)]'
        """
        place = place_of_output(self, which)
        return remember(self, f"_output_{place}", lambda: output_tree(self, place))

    # ---- what the nodes answer -----------------------------------------------------------------------------

    @property
    def has_models(self) -> bool:
        """Whether some node answers with an equation."""
        return bool(self.model_offset[-1])

    @property
    def leaf_models(self) -> Mapping[int, dict[str, Any]]:
        """Node -> the equation it answers with as a plain dict, of all nodes that have one.

        >>> X, y = {"x": [1, 2, 3, 4, 5, 6]}, [10, 12, 14, 30, 32, 35]
        >>> import hornbeam as hb
        >>> tree = hb.TreeRegressor("sd", leaf="linear", max_depth=1).fit(X, y).tree_
        >>> model = tree.leaf_models[1]
        >>> round(model["intercept"], 6), [(t["column"], round(t["coefficient"], 6)) for t in model["terms"]]
        (8.0, [('x', 2.0)])
        """
        return equations.Models(self)

    @cached_property
    def weight(self) -> Floats:
        """The training weight in each node."""
        return frozen(node_weights(self.stats, self.task).copy())

    @property
    def uncounted(self) -> bool:
        """Whether the tree was written by hand without counts: its nodes answer, but have no rows."""
        return bool(self.n_rows[0] == 0 and self.weight[0] > 0)

    def answers(self) -> Floats:
        """What each node answers: class shares (a row per node, in class order), means, or densities.

        Of a node that answers with an equation (`leaf_models`) this is still the mean.
        An empty leaf answers as its parent; a leaf written by hand without counts gives its label probability
        1.
        """
        return self._answers

    @cached_property
    def _answers(self) -> Floats:
        answers = tree_answers.answers(self)
        answers.flags.writeable = False
        return answers

    def feature_importances(self, *, normalize: bool = True) -> Floats:
        """Per column, the weighted impurity decrease of its tests over the weight of the root, shared equally
        among the columns of a test on several.
        """
        return tree_answers.importances(self, normalize=normalize)

    # ---- using it on rows ----------------------------------------------------------------------------------

    def route(self, table: Any) -> Routing:
        """The leaves each row reaches, with weights; a Table, or anything a Table can be made of."""
        from hornbeam.tree.routing import route

        return route(self, table)

    def predict(self, table: Any) -> AnyArray:
        """The label, or the value, of each row; several targets side by side."""
        from hornbeam.tree import routing

        return routing.predict(self, table)

    def predict_proba(self, table: Any) -> Any:
        """The probability of each class for each row, columns in class order; of several targets a list."""
        from hornbeam.tree import routing

        return routing.predict_proba(self, table)

    def refit(self, table: Any, target: Any) -> Tree:
        """The same tests with counts, labels and impurities recomputed from other rows.

        A value missing at a node that has no branch for it is shared among the branches in proportion to the
        rows that have the value. Equations in the nodes stay as they are.
        """
        from hornbeam.tree.refit import refit

        return refit(self, table, target)


def _rebuild(state: dict[str, Any]) -> Tree:
    return Tree(**state)
