"""A worker process: items come on standard input, and results go to standard output."""

from __future__ import annotations

import os
import pickle
import signal
import sys

from .judge import judge
from .messages import READY, receive, send


def main() -> None:
    # What Python or a library prints must not get among the results.
    results = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    # Ctrl+C is for the process that has started this one, which ends it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    results.write(READY)
    results.flush()
    while True:
        data = receive(sys.stdin.buffer)
        if data is None:
            return
        send(results, pickle.dumps(judge(pickle.loads(data)), protocol=5))


if __name__ == "__main__":
    main()
