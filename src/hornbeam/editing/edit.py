"""`hb.edit` and `hb.replay`: start a Draft from a model, or run a log of edits again on other rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from hornbeam.editing.draft import Draft
from hornbeam.editing.edit_context import EditContext
from hornbeam.editing.edit_words import leaves_text
from hornbeam.editing.history import first_revision
from hornbeam.tree.hooks import open_model


def edit(
    model: Any, X: Any, y: Any, sample_weight: Any = None, counts: Any = None, *, held_out: Any = None
) -> Draft:
    """Edit a tree by hand: split, move cuts, collapse, grow on, lock, prune, undo.

    Parameters
    ----------
    model : fitted estimator, estimator, Tree, or the path of a saved one
        A fitted TreeClassifier or TreeRegressor, or a Tree, is edited from where it stands; if X and y are
        not the rows it was fitted on, its Stats become those of X and y. An estimator that is not fitted
        starts from a single leaf; its parameters say how growing goes on.
    X, y : the rows to edit on
    sample_weight, counts : weight and number of repetitions of each row
        A model fitted with `exposure` is edited with y / exposure and sample_weight=exposure; one fitted with
        `row_costs` is refused.
    held_out : (X, y), (X, y, sample_weight), (X, y, sample_weight, counts) or None
        Other rows, by which methods such as "reduced-error" prune; nothing is grown on them.

    Returns
    -------
    Draft
        Never changed; each operation gives a new one.

    Examples
    --------
    >>> import hornbeam as hb
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> draft = hb.edit(hb.TreeClassifier(max_depth=3), X, y)
    >>> draft = draft.split(0, on="petal width (cm)", at=1.7).lock(2).grow()
    >>> draft.forced[0]["rank"], draft.forced[0]["of"], draft.tree.n_leaves
    (3, 5, 4)
    >>> model = draft.model
    >>> model.predict(X.iloc[:1])
    array([0])
    >>> hb.replay(draft.log, hb.TreeClassifier(max_depth=3), X, y).tree == draft.tree
    True
    """
    context = EditContext.of(open_model(model), X, y, sample_weight, counts, held_out)
    tree = context.start()
    say = f"began with {leaves_text(tree.n_leaves)}"
    if context.given is not None and tree is not context.given:
        say += f", with the counts of these {context.table.n_rows} rows"
    return Draft(context, (first_revision(tree, say),))


def replay(
    log: Iterable[Mapping[str, Any]],
    model: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    counts: Any = None,
    *,
    held_out: Any = None,
) -> Draft:
    """Run the operations of a log again, on the same rows or on others.

    On the same rows the trees are the same, bit by bit.

    Parameters
    ----------
    log : list of dicts, as `Draft.log` gives it, or as JSON brings it back
    model, X, y, sample_weight, counts, held_out : as for `edit`

    Returns
    -------
    Draft

    Examples
    --------
    >>> import hornbeam as hb, json
    >>> tennis = hb.datasets.load("tennis")
    >>> log = [{"op": "split", "node": 0, "on": "Humidity"}, {"op": "grow"}, {"op": "prune", "leaves": 5}]
    >>> draft = replay(json.loads(json.dumps(log)), hb.id3(), tennis.X, tennis.y)
    >>> draft.tree.n_leaves, draft.log[0]["facts"]["rank"]
    (5, 2)
    """
    draft = edit(model, X, y, sample_weight, counts, held_out=held_out)
    for number, operation in enumerate(log):
        try:
            draft = draft.apply(operation)
        except (ValueError, TypeError) as fault:
            raise type(fault)(f"operation {number} of the log cannot be replayed: {fault}") from None
    return draft
