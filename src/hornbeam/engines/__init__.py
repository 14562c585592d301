"""Engines: where training rows live that are not in memory.

`fit(data, y="column", engine=Files(memory="2GB"))` grows the same tree, bit for bit, as the table in memory.
"""

from hornbeam.engines.dask import Dask
from hornbeam.engines.files import Files
from hornbeam.engines.ray import Ray
from hornbeam.engines.spark import Spark

__all__ = ["Dask", "Files", "Ray", "Spark"]
