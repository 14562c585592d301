"""The studio: a tree grown, questioned, overridden, pruned and handed over in the browser.

`Session` is the studio without a server; the learning is the library's, here it is only asked.
"""

from hornbeam.studio.launch import Studio, studio
from hornbeam.studio.session import Session

__all__ = ["Session", "Studio", "studio"]
