"""The driver of a batch: items to the engine, results to the caller."""

from __future__ import annotations

from collections.abc import Sized
from dataclasses import replace
from typing import Any, Dict, Iterable, Iterator, List, Optional, Tuple

from .._errors import ArgumentError
from .engines import Engine, engine_of
from .item import Item
from .progress import Progress
from .result import Result


def batch(
    items: Iterable[Item],
    client: Any = None,
    *,
    workers: Optional[int] = None,
    progress: Optional[bool] = None,
) -> Iterator[Result]:
    """Judges items in many processes, and yields their results as they come; ``index`` of a result is the place of its item.

    Without a client, ``workers`` processes of this machine do the work, one for each processor if the number is not given. ``client``
    is a ``distributed.Client`` of Dask, the module ``ray``, or an executor of ``concurrent.futures``.

    Items that are the same work are run once, and each has a result. Items are taken from an iterator as workers have time for them. An
    item whose worker dies is run again by another one, and has the status ``died`` if that dies as well. A loop that ends early ends the
    batch.

    A bar shows the progress on a terminal and in a notebook if ``tqdm`` is installed; ``progress`` says whether it is wanted.

    >>> import numpy as np, wavetank as wt
    >>> source = '''double:
    ...     s_load_dwordx2 s[4:5], s[0:1], 0x0
    ...     v_lshlrev_b32 v1, 2, v0
    ...     s_waitcnt lgkmcnt(0)
    ...     global_load_dword v2, v1, s[4:5]
    ...     s_waitcnt vmcnt(0)
    ...     v_add_f32 v2, v2, v2
    ...     global_store_dword v1, v2, s[4:5]
    ...     s_endpgm'''
    >>> source = wt.Source(source, kernels=["double(global f32* x)"])
    >>> x = np.arange(64, dtype=np.float32)
    >>> items = [wt.Item(source, "double", (x,), grid=64, expect={0: want}) for want in (2 * x, x + x, 3 * x)]
    >>> for result in sorted(wt.batch(items), key=lambda result: result.index):
    ...     print(result.index, result.status, result.message)
    0 ok 
    1 ok 
    2 differs argument 0 has 2.0 at [1], not 3.0; 63 elements differ
    """
    engine = engine_of(client, workers)
    total = len(items) if isinstance(items, Sized) else None
    return _results(engine, iter(items), total, progress)


def _results(engine: Engine, items: Iterator[Item], total: Optional[int], wanted: Optional[bool]) -> Iterator[Result]:
    bar = Progress(total, wanted)
    done: Dict[str, Result] = {}
    # Those that wait for the result of a digest, and the digests of what the engine has.
    waiting: Dict[str, List[Tuple[int, Item]]] = {}
    handles: Dict[Any, str] = {}
    numbered = enumerate(items)
    more = True
    try:
        while more or handles:
            while more and len(handles) < engine.width:
                index, item = next(numbered, (-1, None))
                if item is None:
                    more = False
                    break
                if not isinstance(item, Item):
                    raise ArgumentError(f"item {index} of the batch is a `{type(item).__name__}`, not a wavetank.Item")
                digest = item.digest
                if digest in done:
                    bar.add(done[digest].status)
                    yield replace(done[digest], index=index, item=item)
                elif digest in waiting:
                    waiting[digest].append((index, item))
                else:
                    waiting[digest] = [(index, item)]
                    handles[engine.submit(item)] = digest
            if not handles:
                continue
            for handle in engine.wait(list(handles)):
                digest = handles.pop(handle)
                done[digest] = engine.result(handle)
                for index, item in waiting.pop(digest):
                    bar.add(done[digest].status)
                    yield replace(done[digest], index=index, item=item)
    finally:
        bar.close()
        engine.close(list(handles))
