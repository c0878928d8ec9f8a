"""Batches in processes of this machine, and in executors."""

import concurrent.futures
import dataclasses
import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import wavetank as wt
from conftest import SAXPY, SIGNATURE, numbers
from wavetank._batch.pool import Pool

SOURCE = wt.Source(SAXPY, kernels=[SIGNATURE])
HANG = wt.Source("hang:\n s_branch hang\n s_endpgm", kernels=["hang()"])
RACE = wt.Source(
    """
race:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    v_lshlrev_b32 v1, 2, v0
    v_sub_u32 v2, 508, v1
    s_mov_b32 m0, -1
    ds_write_b32 v1, v0
    s_waitcnt lgkmcnt(0)
    ds_read_b32 v3, v2
    s_waitcnt lgkmcnt(0)
    global_store_dword v1, v3, s[4:5]
    s_endpgm
""",
    kernels=["race(global u32* out) lds 512"],
)


def saxpy(seed=1, wrong=None, **others):
    """An item that computes `y += 2 * x`, and expects it but for one element."""
    x, y = numbers(64, seed), numbers(64, seed + 1000)
    want = (np.float64(2) * x + y).astype(np.float32)
    if wrong is not None:
        want[wrong] += 1
    settings = dict(grid=64, block=64, chip="gfx906", expect={1: want})
    return wt.Item(SOURCE, "saxpy", (x, y, 2.0, 64), **{**settings, **others})


def results(items, **settings):
    return sorted(wt.batch(items, **settings), key=lambda result: result.index)


def test_each_status_has_its_facts():
    x = np.zeros(64, np.float32)
    items = [
        saxpy(),
        saxpy(2, wrong=5),
        wt.Item(RACE, "race", (np.zeros(128, np.uint32),), grid=128, block=128, check=["race"]),
        wt.Item(SOURCE, "saxpy", (x, x.copy(), 1.0, 128), grid=128, block=64),
        wt.Item(HANG, "hang", grid=64, timeout=0.2),
        wt.Item(wt.Source("s_wrong"), "hang", grid=64),
        wt.Item(SOURCE, "saxpi", (x, x, 1.0, 1), grid=64),
        wt.Item(SOURCE, "saxpy", (x, 1.0), grid=64),
        wt.Item(wt.Source(SAXPY.replace("s_waitcnt vmcnt(0)", ""), kernels=[SIGNATURE]), check=True),
        wt.Item(SOURCE, check=["wait"], chip="gfx906"),
        wt.Item(b"nothing", "saxpy", grid=64),
    ]
    found = results(items, workers=2)
    assert [result.index for result in found] == list(range(len(items)))
    assert all(result.item is item for result, item in zip(found, items))
    statuses = ["ok", "differs", "findings", "fault", "timeout", "error", "error", "error", "findings", "ok", "error"]
    assert [result.status for result in found] == statuses
    assert [result.ok for result in found] == [kind == "ok" for kind in statuses]
    right, differs, race, fault, timeout, assembly, name, arguments, wait, _, code = found
    # The 13 instructions of one wave.
    assert (right.instructions, right.waves, right.message) == (13, 1, "") and right.seconds > 0
    difference = differs.difference
    assert (difference.argument, difference.index, difference.count) == (1, (5,), 1)
    assert difference.want == differs.item.expect[1][5] and "argument 1" in differs.message
    assert {finding.tool for finding in race.findings} == {"race"} and "race/" in race.message
    assert isinstance(fault.error, wt.Fault) and fault.error.lane == 0 and "global_load_dword" in fault.message
    assert isinstance(timeout.error, wt.Timeout) and isinstance(assembly.error, wt.AssemblyError)
    assert "did you mean `saxpy`" in name.message and "takes 4 arguments" in arguments.message
    assert [finding.rule for finding in wait.findings][:1] == ["wait/read-before-load"]
    assert isinstance(code.error, wt.Error)
    for result in found:
        again = pickle.loads(pickle.dumps(result))
        assert (again.status, again.message, again.item) == (result.status, result.message, result.item)


def test_identical_work_is_done_once():
    calls = []

    class Counting(concurrent.futures.ThreadPoolExecutor):
        def submit(self, function, item):
            calls.append(item)
            return super().submit(function, item)

    items = [saxpy(n % 3, note=n) for n in range(30)]
    with Counting(2) as executor:
        found = results(iter(items), client=executor)
    assert len(calls) == 3 and [result.item.note for result in found] == list(range(30))
    assert all(result.ok for result in found)


def test_what_makes_items_the_same():
    x, y = numbers(64), numbers(64, 2)
    item = wt.Item(SOURCE, "saxpy", (x, y, 2.0, 64), grid=64)
    same = wt.Item(SOURCE, "saxpy", [x.copy(), y.copy(), 2.0, 64], grid=64, note="other")
    assert item == same and hash(item) == hash(same) and pickle.loads(pickle.dumps(item)) == item
    others = [
        wt.Item(SOURCE, "saxpy", (x, x, 2.0, 64), grid=64),
        wt.Item(SOURCE, "saxpy", (x, x.copy(), 2.0, 64), grid=64),
        wt.Item(SOURCE, "saxpy", (x, y.view(np.int32), 2.0, 64), grid=64),
        wt.Item(SOURCE, "saxpy", (x, y.reshape(8, 8), 2.0, 64), grid=64),
        wt.Item(SOURCE, "saxpy", (x, y, np.float32(2), 64), grid=64),
        wt.Item(SOURCE, "saxpy", (x, y, 2.0, 64), grid=(64,)),
        wt.Item(dataclasses.replace(SOURCE, defines={"a": 1}), "saxpy", (x, y, 2.0, 64), grid=64),
        *(dataclasses.replace(item, **change) for change in [
            {"block": 64}, {"chip": "gfx906"}, {"expect": {1: y}}, {"check": True}, {"check": ["race"]}, {"keep": [1]},
            {"timeout": 1}, {"rtol": 0.1}, {"atol": 0.1}, {"lds": 4}, {"strict": True}, {"schedule": "fair"},
        ]),
    ]
    assert len({item, *others}) == 1 + len(others)


def test_arrays_are_left_alone_and_kept_on_demand():
    item = saxpy(keep=[1])
    before = [arg.copy() for arg in item.args[:2]]
    with concurrent.futures.ThreadPoolExecutor(1) as executor:
        (result,) = wt.batch([item], client=executor)
    assert result.ok
    np.testing.assert_array_equal(result.arrays[1], item.expect[1])
    np.testing.assert_array_equal(item.args[0], before[0])
    np.testing.assert_array_equal(item.args[1], before[1])


def test_an_array_that_is_given_twice_is_one():
    x = np.arange(64, dtype=np.float32)
    item = wt.Item(SOURCE, "saxpy", (x, x[:], 2.0, 64), grid=64, block=64, expect={1: 3 * x})
    (result,) = wt.batch([item], workers=1)
    assert result.ok, result


def test_tolerances():
    near = {1: saxpy().expect[1] * np.float32(1.001)}
    nan = np.full(64, np.nan, np.float32)
    both = wt.Item(SOURCE, "saxpy", (nan, nan.copy(), 1.0, 64), grid=64, block=64, expect={1: np.nan})
    items = [saxpy(expect=near), saxpy(expect=near, rtol=0.01), saxpy(expect=near, atol=1e-9), both]
    assert [result.status for result in results(items, workers=1)] == ["differs", "ok", "differs", "ok"]


def test_code_is_taken_in_every_form(tmp_path):
    assembly = wt.asm(SAXPY, "gfx906", kernels=[SIGNATURE])
    path = tmp_path / "saxpy.co"
    path.write_bytes(bytes(assembly))
    codes = [assembly, bytes(assembly), bytearray(bytes(assembly)), path, str(path)]
    items = [wt.Item(code, "saxpy", saxpy().args, grid=64, block=64, chip="gfx906") for code in codes]
    assert len(set(items)) == 1
    path.unlink()
    assert all(result.ok for result in wt.batch(items, workers=1))


def test_an_open_assembly_is_made_for_the_chip_of_the_item():
    assembly = wt.asm(SAXPY, kernels=[SIGNATURE])
    (result,) = wt.batch([wt.Item(assembly, "saxpy", saxpy().args, grid=64, chip="gfx942")], workers=1)
    assert result.ok, result


def test_a_worker_that_dies_loses_nothing():
    items = [saxpy(n) for n in range(40)] + [wt.Item(HANG, "hang", grid=64, timeout=2)]
    killed = []

    def kill(pool):
        while not killed:
            for process in pool.processes[:1]:
                os.kill(process, signal.SIGKILL)
                killed.append(process)
            time.sleep(0.001)

    batch = wt.batch(items, workers=2)
    pool = batch.gi_frame.f_locals["engine"].pool
    thread = threading.Thread(target=kill, args=(pool,))
    thread.start()
    found = sorted(batch, key=lambda result: result.index)
    thread.join()
    assert killed and [result.status for result in found] == ["ok"] * 40 + ["timeout"]


def worker(program):
    """Returns the command of a worker that has another function `judge`."""
    return [sys.executable, "-c", f"from wavetank._batch import worker\nright = worker.judge\n{program}\nworker.main()"]


def test_an_item_that_kills_its_workers_is_told_from_others():
    program = """
import os
def deadly(item):
    if item.note == "deadly":
        os.kill(os.getpid(), 9)
    return right(item)
worker.judge = deadly
"""
    pool = Pool(2, worker(program))
    try:
        items = [saxpy(n, note="deadly" if n == 3 else None) for n in range(6)]
        found = [future.result() for future in [pool.submit(item) for item in items]]
    finally:
        pool.close()
    assert [result.status for result in found] == ["ok"] * 3 + ["died"] + ["ok"] * 2
    assert "SIGKILL" in found[3].message and "2 times" in found[3].message


def test_a_worker_that_hangs_is_ended(monkeypatch):
    monkeypatch.setattr("wavetank._batch.pool.SLACK_SECONDS", 0.2)
    pool = Pool(1, worker("worker.judge = lambda item: __import__('time').sleep(1000)"))
    try:
        result = pool.submit(saxpy(timeout=0.1)).result()
    finally:
        pool.close()
    assert result.status == "timeout" and "was ended" in result.message


@pytest.mark.parametrize(
    "program, end",
    [("raise SystemExit(3)", "ended with status 3"), ("print('not a message, and longer')", "was ended by SIGKILL|status 0")],
)
def test_workers_that_do_not_start_are_an_error(program, end):
    pool = Pool(1, [sys.executable, "-c", program])
    try:
        with pytest.raises(wt.Error, match=f"does not start.*({end})"):
            pool.submit(saxpy()).result()
    finally:
        pool.close()


def test_a_worker_that_is_killed_before_it_begins_is_replaced(tmp_path):
    first = f"import os\nif not os.path.exists({str(tmp_path / 'mark')!r}):\n    open({str(tmp_path / 'mark')!r}, 'w')\n    os.kill(os.getpid(), 9)"
    pool = Pool(1, worker(first))
    try:
        assert pool.submit(saxpy()).result().ok
    finally:
        pool.close()
    assert (tmp_path / "mark").exists()


def test_what_a_worker_prints_is_not_a_result(capfd):
    pool = Pool(1, worker("worker.judge = lambda item: print('printed', flush=True) or right(item)"))
    try:
        assert pool.submit(saxpy()).result().ok
    finally:
        pool.close()
    assert capfd.readouterr() == ("", "printed\n")


def test_a_batch_that_is_left_ends_its_workers():
    batch = wt.batch([saxpy()] + [wt.Item(HANG, "hang", grid=64, timeout=1000 + n) for n in range(9)], workers=2)
    pool = batch.gi_frame.f_locals["engine"].pool
    assert next(batch).ok
    while len(pool.processes) < 2:
        time.sleep(0.01)
    workers = list(pool._alive)
    start = time.monotonic()
    batch.close()
    assert time.monotonic() - start < 30
    assert all(worker.process.poll() is not None for worker in workers) and len(workers) == 2


def test_an_interrupt_ends_a_batch_with_its_workers():
    program = """
import wavetank as wt
hang = wt.Source("hang:\\n s_branch hang\\n s_endpgm", kernels=["hang()"])
batch = wt.batch([wt.Item(hang, "hang", grid=64, timeout=1000 + n) for n in range(4)], workers=2)
pool = batch.gi_frame.f_locals["engine"].pool
import threading, time
def tell():
    while len(pool.processes) < 2:
        time.sleep(0.01)
    print(*pool.processes, flush=True)
threading.Thread(target=tell).start()
try:
    list(batch)
except KeyboardInterrupt:
    print("interrupted")
"""
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    workers = [int(number) for number in child.stdout.readline().split()]
    time.sleep(0.5)
    child.send_signal(signal.SIGINT)
    assert child.communicate(timeout=60)[0] == "interrupted\n" and child.returncode == 0
    for worker in workers:
        with pytest.raises(ProcessLookupError):
            os.kill(worker, 0)


def test_items_are_taken_as_there_is_room():
    taken = []

    def items():
        for n in range(100):
            taken.append(n)
            yield saxpy(n)

    batch = wt.batch(items(), workers=1)
    next(batch)
    assert len(taken) < 20
    batch.close()


def test_wrong_items():
    x = np.zeros(64, np.float32)
    wrong = [
        (dict(code=5), "not a `int`"),
        (dict(kernel=None), "check=True"),
        (dict(kernel=None, check=True), "neither args nor expect"),
        (dict(grid=None), "needs its grid"),
        (dict(args=(x, [1], 1.0, 1)), "argument 1 of an item"),
        (dict(args=(x, np.array([None]), 1.0, 1)), "argument 1 of an item"),
        (dict(args=(x, x[:32], 1.0, 1)), "overlaps"),
        (dict(expect={4: x}), "arguments 0 to 3"),
        (dict(expect={2: x}), "not an array"),
        (dict(expect={1: np.zeros(3)}), r"the shape \(3,\)"),
        (dict(expect={1: np.array("a")}), "not compared"),
        (dict(keep=[-1]), "arguments 0 to 3"),
        (dict(check="race"), r"write \['race'\]"),
        (dict(timeout=0), "timeout"),
        (dict(timeout=float("nan")), "timeout"),
    ]
    right = dict(code=SOURCE, kernel="saxpy", args=(x, x.copy(), 1.0, 64), grid=64)
    wt.Item(**right)
    for change, sentence in wrong:
        with pytest.raises(wt.ArgumentError, match=sentence):
            wt.Item(**{**right, **change})
    with pytest.raises(FileNotFoundError):
        wt.Item("no such file", check=True)
    with pytest.raises(wt.ArgumentError, match="item 1 of the batch is a `str`"):
        list(wt.batch([wt.Item(SOURCE, check=True), "text"], workers=1))
    for settings in [{"workers": 0}, {"workers": "2"}, {"client": 5}, {"client": object(), "workers": 2}]:
        with pytest.raises(wt.ArgumentError):
            wt.batch([], **settings)
    assert list(wt.batch([], workers=1)) == []


def test_progress_is_shown_where_it_is_wanted(capsys):
    pytest.importorskip("tqdm")
    items = [saxpy(1), saxpy(2, wrong=3)]
    list(wt.batch(items, workers=1))
    assert capsys.readouterr().err == ""
    list(wt.batch(items, workers=1, progress=True))
    shown = capsys.readouterr().err
    assert "2/2" in shown and "differs=1" in shown
