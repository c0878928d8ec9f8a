"""Batches: many kernels judged by a pool of processes, or by the engine of a cluster.

An item is pure data (``item.py``), and so is its result (``result.py``). ``judge.py`` makes the one of the other, in a worker.
``engines.py`` has what runs workers: processes of this machine (``pool.py``), an executor of Python, Dask, or Ray. ``driver.py`` hands
items to an engine, and results to the caller.
"""

from .driver import batch
from .item import Item, Source
from .result import Difference, Result

__all__ = ["Difference", "Item", "Result", "Source", "batch"]
