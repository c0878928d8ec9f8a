"""Misuse is an exception, never a crash: random calls with random arguments, and many loads."""

import gc
import os
import random
import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import wavetank as wt
from conftest import SAXPY, SIGNATURE
from wavetank._batch.judge import judge

ALLOWED = (wt.Error, TypeError, ValueError, KeyError, IndexError, OverflowError, OSError, BufferError)


class Tensor:
    """An array of another library, or what says that it is one."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **settings):
        return self.array.__dlpack__(**settings)

    def __dlpack_device__(self):
        return (1, 0)


def things(gpu, kernel):
    """Arguments, right and wrong ones."""
    freed = gpu.zeros(8)
    freed.free()
    strided = np.zeros((64, 2), np.float32)[:, 0]
    frozen = np.zeros(64, np.float32)
    frozen.flags.writeable = False
    other = wt.Device("gfx803", threads=1)
    return [
        None, True, 0, 1, -1, 64, 2**31, 2**32, 2**64, -(2**70), 0.0, -2.5, float("nan"), "", "s_endpgm", "v0", b"", b"\x7fELF",
        bytes(4096), bytes.fromhex("000081bf"), [], [1], (64,), (64, 1, 1), (1, 2, 3, 4), {}, object(), Ellipsis, slice(None),
        np.float32(1), np.uint32(64), np.float64(2), np.uint64(2**63), np.bool_(True), np.zeros(64, np.float32), strided, frozen,
        np.zeros(0, np.float32), np.zeros((4, 4), ">f4"), np.array("text"), np.zeros(3, "V5"), np.array([None]), np.float32,
        gpu, other, gpu.zeros(64), gpu.zeros(0), other.zeros(4), freed, kernel, wt.asm("s_endpgm"), wt.Wave(gpu, "s_nop 0"),
        wt.dis(bytes(8)), lambda *args: 1 / 0, len, Tensor(np.zeros(64, np.float32)), Tensor("not an array"), Tensor,
        wt.Source("s_wrong"), wt.Item(wt.Source("end:\n s_endpgm", kernels=["end()"]), "end", grid=64),
    ]


def calls(gpu, kernel):
    """Functions and methods of the package."""
    array, wave = gpu.zeros(64), wt.Wave(gpu, "loop:\n v_add_u32 v0, v0, v1\n s_branch loop", lds=64)
    module = gpu.load(wt.asm(SAXPY, kernels=[SIGNATURE]))
    names = ["exec", "vcc", "m0", "scc", "mode"]
    source, x, pool = wt.Source(SAXPY, kernels=[SIGNATURE]), np.zeros(64, np.float32), ThreadPoolExecutor(1)
    return [
        kernel, lambda *a: kernel(*a, grid=64, block=64), lambda *a: kernel(array, array, 1.0, 64, grid=a[0], timeout=0.05),
        lambda *a: kernel(array, array, 1.0, 64, grid=64, block=a[0], lds=a[-1], timeout=0.05),
        lambda *a: wt.check(*a, grid=64), lambda *a: wt.check(kernel, *a, grid=64, block=64),
        gpu.load, gpu.array, gpu.zeros, lambda *a: gpu.zeros(4, *a), wt.Device, lambda *a: wt.Device(memory=a[0]),
        wt.asm, wt.dis, wt.explain, wt.isa, wt.exec, lambda *a: wt.exec("v_add_f32 v0, v1, v2", v1=a[0]),
        wt.check_file, wt.asm_many, wt.dis_many, lambda *a: wt.dis_many(bytes(64), *a), wt.Wave, lambda *a: wt.Wave(gpu, *a),
        np.asarray, lambda *a: np.array(array, *a), array.__getitem__, lambda *a: array.__setitem__(slice(None), a[0]),
        array.__array__, array.__dlpack__, module.__getitem__, module.symbol, wave.vgpr, wave.agpr, wave.sgpr, wave.set_sgpr,
        lambda *a: wave.run(*a[:1], most=3), lambda *a: setattr(wave, names[len(str(type(a[0]))) % 5], a[0]),
        lambda *a: wave.vgpr(0).__setitem__(0, a[0]), lambda *a: wave.step(),
        wt.Item, lambda *a: wt.Item(source, "saxpy", a, grid=64), lambda *a: wt.Item(source, "saxpy", (x, x), grid=64, expect={0: a[0]}),
        lambda *a: wt.Item(source, *a, grid=a[-1]).digest, wt.Source, lambda *a: wt.batch(a[0], client=a[-1]),
        lambda *a: list(wt.batch(a, client=pool, progress=False)), lambda *a: judge(wt.Item(source, "saxpy", a, grid=64, timeout=0.05)),
    ]


def call_at_random(chosen, functions, arguments, count):
    """Calls functions with arguments. Returns how many calls had a result."""
    worked = 0
    for _ in range(count):
        function = chosen.choice(functions)
        args = chosen.choices(arguments, k=chosen.choice([1, 1, 1, 2, 2, 3, 4]))
        try:
            function(*args)
            worked += 1
        except ALLOWED + (ZeroDivisionError, AttributeError, MemoryError):
            pass
    return worked


@pytest.fixture
def loaded():
    gpu = wt.Device("gfx906", threads=1)
    return gpu, gpu.load(wt.asm(SAXPY, kernels=[SIGNATURE]))["saxpy"]


@pytest.mark.parametrize("seed", range(4))
def test_random_calls_end_with_results_or_exceptions(seed, loaded):
    gpu, kernel = loaded
    assert call_at_random(random.Random(seed), calls(gpu, kernel), things(gpu, kernel), 1000) > 50
    # The device still works.
    x, y = np.ones(64, np.float32), np.zeros(64, np.float32)
    kernel(x, y, 2.0, 64, grid=64, block=64)
    assert (y == 2).all()


@pytest.mark.parametrize("seed", range(2))
def test_random_calls_of_threads_while_arrays_are_freed_and_devices_closed(seed, loaded):
    gpu, kernel = loaded
    arguments, functions = things(gpu, kernel), calls(gpu, kernel)
    arrays = [gpu.array(np.ones(64, np.float32)) for _ in range(20)]
    functions += [lambda *a: kernel(a[0], arrays[0], 1.0, 64, grid=64, block=64)] * 10
    arguments += arrays
    errors = []

    def work(number):
        try:
            call_at_random(random.Random(1000 * seed + number), functions, arguments, 300)
        except BaseException as error:  # noqa: BLE001 - the main thread reports it
            errors.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    views = []
    for array in arrays:
        views.append(np.asarray(array))
        array.free()
    gpu.close()
    for thread in threads:
        thread.join()
    assert not errors
    # Views of freed arrays of a closed device can be read.
    assert sum(view.size for view in views) == 20 * 64 and not any(np.isnan(view).all() for view in views)
    with pytest.raises(wt.Error, match="closed"):
        kernel(np.zeros(64, np.float32), np.zeros(64, np.float32), 1.0, 64, grid=64)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_random_calls_in_a_fork(loaded):
    gpu, kernel = loaded
    arguments, functions = things(gpu, kernel), calls(gpu, kernel)
    # Threads of this process that the child does not have.
    kernel(np.ones(64, np.float32), np.ones(64, np.float32), 1.0, 64, grid=64)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            signal.alarm(120)
            call_at_random(random.Random(2), functions, arguments, 300)
            status = 0
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is read")
def test_loads_do_not_leak():
    def resident():
        gc.collect()
        with open("/proc/self/statm") as statm:
            return int(statm.read().split()[1]) * os.sysconf("SC_PAGESIZE")

    gpu = wt.Device("gfx906", threads=1)
    code = bytes(wt.asm(SAXPY, "gfx906", kernels=[SIGNATURE]))
    x = np.ones(64, np.float32)

    def load(count):
        for _ in range(count):
            gpu.load(code)["saxpy"](x, x, 1.0, 64, grid=64, block=64)

    load(1000)
    before = resident()
    load(10_000)
    # A freed piece of memory keeps its address and 40 bytes about it, until 2 GiB of addresses rest.
    assert resident() - before < 4 << 20
