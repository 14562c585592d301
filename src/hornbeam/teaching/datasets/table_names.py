"""The names of the bundled tables, lecture by lecture."""

from __future__ import annotations

from collections.abc import Mapping

from hornbeam.teaching.datasets import kerrigan_tables, li_tables, notes_tables, poczos_tables, posik_tables
from hornbeam.teaching.datasets.entry import Entry

TABLES: Mapping[str, Entry] = {
    **posik_tables.TABLES,
    **li_tables.TABLES,
    **notes_tables.TABLES,
    **poczos_tables.TABLES,
    **kerrigan_tables.TABLES,
}
