"""Batches on a cluster of Dask, and by an engine with the functions of Ray."""

import os
import signal
import threading
import time
import types

import pytest

import wavetank as wt
from test_batch import HANG, saxpy


@pytest.fixture(scope="module")
def client():
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    settings = dict(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50)
    with distributed.LocalCluster(**settings) as cluster, distributed.Client(cluster) as client:
        yield client


def test_a_cluster_loses_nothing_with_a_worker(client):
    before = client.run(os.getpid)
    assert len(before) == 2
    items = [saxpy(n, note=n) for n in range(60)] + [wt.Item(HANG, "hang", grid=64, timeout=1 + n / 9) for n in range(4)]
    batch = wt.batch(items + items[:5], client=client)
    found = [next(batch)]
    # One works at a hung kernel, if not both.
    os.kill(sorted(before.values())[0], signal.SIGKILL)
    found += batch
    found.sort(key=lambda result: result.index)
    assert [result.index for result in found] == list(range(69))
    assert [result.status for result in found] == ["ok"] * 60 + ["timeout"] * 4 + ["ok"] * 5
    assert set(client.run(os.getpid).values()) != set(before.values())


def test_identical_work_is_done_once_on_a_cluster(client):
    found = list(wt.batch([saxpy(5, wrong=1, note=n) for n in range(20)], client=client))
    assert {result.status for result in found} == {"differs"} and len({result.seconds for result in found}) == 1


def test_a_batch_that_is_left_gives_its_work_back(client):
    batch = wt.batch([saxpy()] + [wt.Item(HANG, "hang", grid=64, timeout=3 + n) for n in range(50)], client=client)
    assert next(batch).ok
    batch.close()
    limit = time.monotonic() + 60
    while any(client.processing().values()):
        assert time.monotonic() < limit
        time.sleep(0.1)


class WorkerCrashedError(Exception):
    """As Ray names it."""


def likeness_of_ray(crashing):
    """An object with the functions of the module `ray` that a batch uses. Each call runs in a thread."""

    class Ref:
        pass

    def remote(function):
        def submit(*args):
            ref = Ref()

            def run():
                ref.value = function(*args)

            ref.thread = threading.Thread(target=run)
            ref.thread.start()
            return ref

        made = types.SimpleNamespace(remote=submit)
        made.options = lambda max_retries: made
        return made

    def wait(refs, num_returns):
        while True:
            done = [ref for ref in refs if not ref.thread.is_alive()]
            if len(done) >= num_returns:
                return done[:num_returns], [ref for ref in refs if ref is not done[0]]
            time.sleep(0.001)

    def get(ref):
        if ref.value.status in crashing:
            raise WorkerCrashedError("a worker died")
        return ref.value

    return types.SimpleNamespace(remote=remote, wait=wait, get=get, cancel=lambda ref, force: None)


def test_an_engine_with_the_functions_of_ray():
    items = [saxpy(1), saxpy(2, wrong=0), wt.Item(HANG, "hang", grid=64, timeout=0.1)]
    ray = likeness_of_ray(crashing=["timeout"])
    found = sorted(wt.batch(items, client=ray), key=lambda result: result.index)
    assert [result.status for result in found] == ["ok", "differs", "died"]
    assert "a worker died" in found[2].message


def test_ray_itself():
    ray = pytest.importorskip("ray", reason="Ray is not installed")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        found = sorted(wt.batch([saxpy(n) for n in range(10)], client=ray), key=lambda result: result.index)
        assert [result.status for result in found] == ["ok"] * 10
    finally:
        ray.shutdown()
