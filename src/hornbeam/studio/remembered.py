"""What was read of a session is remembered, so that asking again for the same revision costs nothing."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from hornbeam._base.parameters import Progress
from hornbeam.editing.chosen_split import best_tests
from hornbeam.editing.fill_nodes import rows_at
from hornbeam.studio import reads
from hornbeam.studio.session import Session
from hornbeam.studio.view import View

_MOST = 64  # answers
_MANY_ROWS = 5000  # of a node, from which on its tests are ranked ahead


def _rank_ahead(view: View, node: int) -> None:
    """Rank the tests of a node: whoever looks at its candidates will perhaps choose one."""
    context = view.chapter.draft.context
    best_tests(context, view.tree, node, rows_at(context, view.tree, node))


class Remembered:
    """Answers by what was asked: revisions never change, so they stay true until another table is opened."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._answers: OrderedDict[tuple[Any, ...], Any] = OrderedDict()
        self._lock = threading.Lock()

    def document(self, view: View) -> str:
        """The document of a revision, as JSON text, with its stability if that was measured."""
        measured = self._answers.get((self._session.generation, "stability", view.number))

        def make() -> str:
            return json.dumps(reads.document(self._session, view, stable=measured))

        return str(self._get(("document", view.number, measured is None), make))

    def quality(self, view: View) -> dict[str, Any]:
        """How good the tree of a revision is."""
        made: dict[str, Any] = self._get(("quality", view.number), lambda: reads.quality(view))
        return made

    def measure_stability(self, view: View, progress: Progress) -> int:
        """Grow the tree of a revision again and again; returns the number of the revision."""
        self._get(("stability", view.number), lambda: reads.stability_of(view, progress))
        return view.number

    def candidate_list(self, view: View, node: int) -> dict[str, Any]:
        """The candidates of a node."""
        made: dict[str, Any] = self._get(
            ("candidates", view.number, node), lambda: reads.candidate_list(view, node)
        )
        if view.tree.n_rows[node] > _MANY_ROWS:
            threading.Thread(target=_rank_ahead, args=(view, node), daemon=True).start()
        return made

    def path(self, view: View, folds: int) -> dict[str, Any]:
        """The pruning path."""
        made: dict[str, Any] = self._get(("path", view.number, folds), lambda: reads.path(view, folds=folds))
        return made

    def _get(self, asked: tuple[Any, ...], make: Callable[[], Any]) -> Any:
        key = (self._session.generation, *asked)
        with self._lock:
            if key in self._answers:
                self._answers.move_to_end(key)
                return self._answers[key]
        made = make()
        with self._lock:
            self._answers[key] = made
            while len(self._answers) > _MOST:
                self._answers.popitem(last=False)
        return made
