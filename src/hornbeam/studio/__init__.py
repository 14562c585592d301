"""The studio: a tree grown, questioned, overridden, pruned and handed over in the browser.

`Session` is the studio without a server; the learning is the library's, here it is only asked. The names are
imported when they are used, so that `launch` can begin to read a table before everything else is imported.
"""

from typing import TYPE_CHECKING

from hornbeam._base.lazy_names import import_when_used

if TYPE_CHECKING:
    from hornbeam.studio.launch import Studio, studio
    from hornbeam.studio.session import Session

__all__ = ["Session", "Studio", "studio"]
_HOMES = {"Session": "studio.session", "Studio": "studio.launch", "studio": "studio.launch"}
__getattr__ = import_when_used(__name__, _HOMES)
