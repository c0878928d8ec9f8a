"""A pool of worker processes of this machine.

The pools of Python's own library give up all work when one process dies, and import the caller's program into each process. A
worker here is a program of its own (``worker.py``), with a thread of this process that waits for it. If it dies, that thread starts
another one, and only its own item is tried again.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
from collections import deque
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from typing import Any, Deque, List, Optional, Sequence, Set

from .._errors import Error
from . import result as status
from .item import Item
from .messages import READY, receive, send
from .result import Result

# How often an item is tried that kills its worker.
TRIES = 2
# What a worker may take in addition to the time of a launch, to load code and to check it.
SLACK_SECONDS = 60.0
COMMAND = (sys.executable, "-m", "wavetank._batch.worker")


class Died(Exception):
    """A worker that ended, or that was ended since it took too long."""

    def __init__(self, how: str, is_late: bool) -> None:
        super().__init__(how)
        self.is_late = is_late


class Worker:
    """A worker process, which runs one item at a time."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        # The modules that this process finds, the worker finds too.
        path = os.pathsep.join(os.path.abspath(folder) for folder in sys.path if os.path.exists(folder or "."))
        environment = dict(os.environ, PYTHONPATH=path)
        self.process = subprocess.Popen(
            list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
        )
        assert self.process.stdin is not None and self.process.stdout is not None
        self._input, self._output = self.process.stdin, self.process.stdout
        self._is_ready = False

    def wait_until_ready(self) -> None:
        """Waits until the process takes items.

        Raises ``Died`` if something has killed it, and ``wavetank.Error`` if it ends by itself: then no other one will start.
        """
        if self._is_ready:
            return
        first = self._output.read(len(READY))
        if first == READY:
            self._is_ready = True
            return
        if first:
            self.kill()
        how = self._end()
        if not first and self.process.returncode < 0:
            raise Died(how, False)
        raise Error(f"a worker does not start: `{' '.join(self._command)}` {how}")

    def run(self, data: bytes, seconds: float) -> Result:
        """Runs an item.

        Raises ``Died`` if the worker has no result, because it ended or did not answer in time.
        """
        late = threading.Event()

        def end() -> None:
            late.set()
            self.kill()

        timer = threading.Timer(seconds, end)
        timer.daemon = True
        timer.start()
        try:
            send(self._input, data)
            answer = receive(self._output)
        except OSError:
            answer = None
        finally:
            timer.cancel()
        if answer is None:
            self.kill()
            raise Died(self._end(), late.is_set())
        result = pickle.loads(answer)
        assert isinstance(result, Result)
        return result

    def kill(self) -> None:
        """Ends the process."""
        self.process.kill()

    def _end(self) -> str:
        """Returns how the process ended, as the end of a sentence."""
        code = self.process.wait()
        self._output.close()
        if code >= 0:
            return f"ended with status {code}"
        try:
            return f"was ended by {signal.Signals(-code).name}"
        except ValueError:
            return f"was ended by signal {-code}"


class Pool:
    """Worker processes, each with a thread that waits for it. A process starts when there is work for it."""

    def __init__(self, workers: int, command: Sequence[str] = COMMAND) -> None:
        self._command = command
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="wavetank-batch")
        self._idle: Deque[Worker] = deque()
        self._alive: Set[Worker] = set()
        self._lock = threading.Lock()
        self._closed = False

    @property
    def processes(self) -> List[int]:
        """The processes of the workers that are alive."""
        with self._lock:
            return [worker.process.pid for worker in self._alive]

    def submit(self, item: Item) -> "Future[Result]":
        """Gives an item to the next free worker."""
        return self._threads.submit(self._run, item)

    def _run(self, item: Item) -> Result:
        try:
            data = pickle.dumps(item, protocol=5)
        except Exception as error:  # Pickle raises what the object's own methods raise, too.
            return Result(status.ERROR, f"the item cannot be sent to a worker: {error}", error=error)
        how = ""
        for _ in range(TRIES):
            worker = self._take()
            try:
                worker.wait_until_ready()
                result = worker.run(data, item.timeout + SLACK_SECONDS)
            except Died as died:
                with self._lock:
                    self._alive.discard(worker)
                if died.is_late:
                    allowed = item.timeout + SLACK_SECONDS
                    return Result(status.TIMEOUT, f"its worker had no result after {allowed:g} seconds, and was ended")
                how = str(died)
                continue
            self._idle.append(worker)
            return result
        return Result(status.DIED, f"the worker that ran it {how}, {TRIES} times")

    def _take(self) -> Worker:
        """Returns a free worker, or a new one."""
        try:
            return self._idle.pop()
        except IndexError:
            pass
        with self._lock:
            # Under the lock, so that none is started that `close` does not see.
            if self._closed:
                raise CancelledError()
            worker = Worker(self._command)
            self._alive.add(worker)
        return worker

    def close(self) -> None:
        """Ends all workers; what they have not finished is lost."""
        with self._lock:
            self._closed = True
            alive = list(self._alive)
        for worker in alive:
            worker.kill()
        self._threads.shutdown(wait=True, cancel_futures=True)
        for worker in alive:
            worker.process.wait()
            for pipe in (worker.process.stdin, worker.process.stdout):
                _close(pipe)


def _close(pipe: Optional[Any]) -> None:
    try:
        if pipe is not None:
            pipe.close()
    except OSError:
        # What was not yet written to a process that is gone.
        pass
