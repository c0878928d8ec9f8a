"""What runs the items of a batch: processes of this machine, an executor of Python, Dask, or Ray.

All have the same functions; an engine that is not here needs these and no others. None is imported: the caller's client is enough.
"""

from __future__ import annotations

import concurrent.futures
import importlib
import os
from typing import Any, Iterable, List, Optional

from .._errors import ArgumentError
from . import result as status
from .item import Item
from .judge import judge
from .pool import Pool
from .result import Result

# Exceptions by which engines say that a process died: of Dask, of Python's pools, and of Ray.
_DEATHS = {"KilledWorker", "BrokenExecutor", "WorkerCrashedError", "NodeDiedError", "OutOfMemoryError"}


class Engine:
    """An engine: it takes items, and says which of them are done."""

    # How many items are handed over before one must be done.
    width: int = 256

    def submit(self, item: Item) -> Any:
        """Hands an item over. Returns a handle, which can be a key of a mapping."""
        raise NotImplementedError

    def wait(self, handles: List[Any]) -> Iterable[Any]:
        """Waits until one of the handles is done. Returns those that are."""
        raise NotImplementedError

    def value(self, handle: Any) -> Any:
        """Returns the result of a handle that is done, or raises what the engine says."""
        raise NotImplementedError

    def close(self, handles: List[Any]) -> None:
        """Gives up what is left."""

    def result(self, handle: Any) -> Result:
        """Returns the result of a handle that is done: an exception of the engine is one, too."""
        try:
            value = self.value(handle)
        except Exception as error:
            # Those of Ray are subclasses that are made for each error.
            names = {kind.__name__ for kind in type(error).__mro__}
            kind = status.DIED if names & _DEATHS else status.ERROR
            return Result(kind, f"{type(error).__name__}: {error}", error=error)
        assert isinstance(value, Result)
        return value


class Futures(Engine):
    """An executor of ``concurrent.futures``, such as ``MPIPoolExecutor``."""

    def __init__(self, executor: concurrent.futures.Executor) -> None:
        self._executor = executor

    def submit(self, item: Item) -> Any:
        return self._executor.submit(judge, item)

    def wait(self, handles: List[Any]) -> Iterable[Any]:
        return concurrent.futures.wait(handles, return_when=concurrent.futures.FIRST_COMPLETED).done

    def value(self, handle: Any) -> Any:
        return handle.result()

    def close(self, handles: List[Any]) -> None:
        for handle in handles:
            handle.cancel()


class Processes(Futures):
    """The processes of this machine."""

    def __init__(self, workers: int) -> None:
        self.pool = Pool(workers)
        self.width = 4 * workers

    def submit(self, item: Item) -> Any:
        return self.pool.submit(item)

    def result(self, handle: Any) -> Result:
        # No worker starts: this is not about an item.
        return handle.result()  # type: ignore[no-any-return]

    def close(self, handles: List[Any]) -> None:
        self.pool.close()


class Dask(Engine):
    """A client of Dask. Its scheduler gives the items of a worker that dies to another one."""

    def __init__(self, client: Any) -> None:
        if getattr(client, "asynchronous", False):
            raise ArgumentError("an asynchronous client cannot be waited for: take Client(..., asynchronous=False)")
        self._client = client
        self._completed = importlib.import_module("distributed").as_completed(loop=client.loop)

    def submit(self, item: Item) -> Any:
        # Work of the same digest is done once, also in other batches at the same time.
        future = self._client.submit(judge, item, key=f"wavetank-{item.digest}", pure=True)
        self._completed.add(future)
        return future

    def wait(self, handles: List[Any]) -> Iterable[Any]:
        return list(self._completed.next_batch(block=True))

    def value(self, handle: Any) -> Any:
        try:
            return handle.result()
        finally:
            handle.release()

    def close(self, handles: List[Any]) -> None:
        if handles:
            self._client.cancel(handles)


class Ray(Engine):
    """Ray, given as its module after ``ray.init()``."""

    def __init__(self, ray: Any) -> None:
        self._ray = ray
        self._judge = ray.remote(judge).options(max_retries=1)

    def submit(self, item: Item) -> Any:
        return self._judge.remote(item)

    def wait(self, handles: List[Any]) -> Iterable[Any]:
        done, _ = self._ray.wait(handles, num_returns=1)
        return list(done)

    def value(self, handle: Any) -> Any:
        return self._ray.get(handle)

    def close(self, handles: List[Any]) -> None:
        for handle in handles:
            self._ray.cancel(handle, force=True)


def engine_of(client: Any, workers: Optional[int]) -> Engine:
    """Returns the engine of a client; without one, processes of this machine."""
    if client is None:
        count = _processors() if workers is None else workers
        if not isinstance(count, int) or count < 1:
            raise ArgumentError(f"a batch has at least 1 worker, not {count!r}")
        return Processes(count)
    if workers is not None:
        raise ArgumentError("the client has its own workers: leave out workers=")
    if isinstance(client, concurrent.futures.Executor):
        return Futures(client)
    if all(hasattr(client, name) for name in ("submit", "scheduler_info", "cancel", "loop")):
        return Dask(client)
    if all(hasattr(client, name) for name in ("remote", "wait", "get", "cancel")):
        return Ray(client)
    raise ArgumentError(
        "the client of a batch is a distributed.Client, the module ray, or an executor of concurrent.futures, "
        f"not a `{type(client).__name__}`"
    )


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
