"""A batch on a cluster of Dask, of which a worker is killed while it works: no result is missing.

The cluster is two processes of this machine. One of many machines differs in a line, that of its client.
"""

import os
import signal
import sys

import numpy as np

import wavetank as wt
from saxpy import SAXPY

SOURCE = wt.Source(SAXPY, kernels=["saxpy(global const f32* x, global f32* y, f32 a, u32 n)"])


def item(seed: int) -> wt.Item:
    """Returns `y += a * x` of random numbers; each tenth expects something else."""
    random = np.random.default_rng(seed)
    x, y = random.standard_normal((2, 256)).astype(np.float32)
    want = (np.float64(2) * x + y).astype(np.float32)
    if seed % 10 == 9:
        want[seed] += 1
    return wt.Item(SOURCE, "saxpy", (x, y, 2.0, 256), grid=256, block=256, chip="gfx906", expect={1: want}, note=seed)


def main(count: int = 200) -> None:
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        print("SKIP: Dask is not installed (pip install 'wavetank[dask]')")
        return
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50) as cluster:
        # Of a cluster that runs already: Client("tcp://scheduler:8786").
        with Client(cluster) as client:
            workers = client.run(os.getpid)
            differ = []
            for number, result in enumerate(wt.batch([item(seed) for seed in range(count)], client)):
                if number == 0:
                    os.kill(next(iter(workers.values())), signal.SIGKILL)
                assert result.status in ("ok", "differs"), result
                if result.difference:
                    assert result.difference.index == (result.item.note,)
                    differ.append(result.item.note)
    assert sorted(differ) == list(range(9, count, 10))
    print(f"{count} results, {len(differ)} of them not as expected, and a worker was killed")


if __name__ == "__main__":
    # A cluster of processes imports this file in each of them.
    sys.exit(main())
