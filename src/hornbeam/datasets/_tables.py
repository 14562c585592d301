"""The names of the bundled tables, lecture by lecture."""

from __future__ import annotations

from collections.abc import Mapping

from hornbeam.datasets import _kerrigan, _li, _notes, _poczos, _posik
from hornbeam.datasets._entry import Entry

TABLES: Mapping[str, Entry] = {
    **_posik.TABLES,
    **_li.TABLES,
    **_notes.TABLES,
    **_poczos.TABLES,
    **_kerrigan.TABLES,
}
