"""Devices, arrays and launches."""

import gc
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


def test_arrays_of_the_device_are_computed_in_place(device, saxpy):
    x, y = numbers(1000), numbers(1000, 2)
    on_x, on_y = device.array(x), device.array(y)
    run = saxpy(on_x, on_y, 2.0, 1000, grid=1024, block=64)
    # An FMA rounds once; so does float32 arithmetic on exact products in float64.
    want = (np.float64(2) * x + y).astype(np.float32)
    np.testing.assert_array_equal(on_y.numpy(), want)
    np.testing.assert_array_equal(on_x.numpy(), x)
    assert (run.groups, run.waves) == (16, 16)
    # 13 instructions, but for the last wave all lanes are below n too.
    assert run.instructions == 16 * 13
    assert 0 <= run.compiled <= run.instructions and run.seconds > 0


def test_arrays_of_numpy_are_copied_in_and_out(saxpy):
    x, y = numbers(100), numbers(100, 2)
    before, want = x.copy(), (np.float64(-1) * x + y).astype(np.float32)
    saxpy(x, y, np.float32(-1), np.uint32(100), grid=128, block=64)
    np.testing.assert_array_equal(y, want)
    np.testing.assert_array_equal(x, before)


def test_arrays_with_gaps_are_copied_back_to_their_places(saxpy):
    both = np.zeros((100, 2), np.float32)
    both[:, 1] = 5
    x = np.arange(100, dtype=np.float32)[::-1]
    saxpy(x, both[:, 0], 1, 100, grid=128, block=64)
    np.testing.assert_array_equal(both[:, 0], x)
    assert (both[:, 1] == 5).all()


def test_an_array_given_twice_is_one_array(saxpy):
    x = np.arange(64, dtype=np.float32)
    saxpy(x, x, 2, 64, grid=64, block=64)
    np.testing.assert_array_equal(x, 3 * np.arange(64, dtype=np.float32))


def test_overlapping_arrays_are_refused(saxpy):
    x = np.zeros(100, np.float32)
    with pytest.raises(wt.ArgumentError, match="overlaps"):
        saxpy(x[:64], x[32:], 2, 64, grid=64, block=64)


def test_a_read_only_array_can_only_be_read(saxpy):
    x, y = numbers(64), numbers(64)
    x.flags.writeable = False
    saxpy(x, y, 1, 64, grid=64, block=64)
    y.flags.writeable = False
    with pytest.raises(wt.ArgumentError, match="read-only"):
        saxpy(x, y, 1, 64, grid=64, block=64)


def test_a_view_shares_memory(device):
    array = device.array(np.arange(6, dtype=np.int16).reshape(2, 3))
    view = np.asarray(array)
    assert view.dtype == np.int16 and view.shape == (2, 3)
    view[1, 2] = 70
    assert array[1, 2] == 70
    array[0] = 9
    assert view.tolist() == [[9, 9, 9], [3, 4, 70]]
    assert view.ctypes.data == array.address
    assert np.array(array, copy=True).ctypes.data != array.address
    assert np.asarray(array, np.float64).dtype == np.float64


def test_a_view_keeps_the_memory_of_a_freed_array(device):
    array = device.array(np.arange(100_000, dtype=np.uint32))
    view = np.asarray(array)
    array.free()
    assert array.freed
    with pytest.raises(wt.Error, match="freed"):
        np.asarray(array)
    del array
    device.close()
    gc.collect()
    assert view.sum(dtype=np.uint64) == 100_000 * 99_999 // 2


@pytest.mark.skipif(not hasattr(np, "from_dlpack"), reason="NumPy 1.23 has it")
def test_dlpack_exports_the_memory(device):
    array = device.array(np.arange(5, dtype=np.float32))
    other = np.from_dlpack(array)
    np.asarray(array)[0] = 4
    assert other[0] == 4


@pytest.mark.parametrize("shape", [0, (0, 3), (), (2, 0)])
def test_arrays_without_elements(device, shape):
    array = device.zeros(shape, np.uint8)
    assert np.asarray(array).shape == np.zeros(shape).shape


@pytest.mark.parametrize(
    "values", [np.array([object()]), np.arange(4, dtype=">i4"), np.zeros(3, "O")]
)
def test_elements_that_no_kernel_reads_are_refused(device, values):
    with pytest.raises(wt.ArgumentError):
        device.array(values)


def test_wrong_arguments_are_sentences(device, saxpy):
    x = device.zeros(64)
    cases = [
        ((x, x, 1.0), "takes 4 arguments and was given 3"),
        ((x, x, 1.0, 2.5), "was given a float"),
        ((x, x, np.float64(1), 3), "takes 4 bytes and was given an f64"),
        ((x, x, 1.0, np.float32(3)), "was given an f32"),
        ((x, x, 1.0, -1), "was given -1, which does not fit"),
        ((x, x, 1.0, 2**32), "does not fit"),
        ((x, x, 1.0, 10**40), "too large"),
        ((x, x, x, 3), "was given an array"),
        ((x, np.zeros(64), 1.0, 3), "was given an array of float64"),
        ((x, np.zeros(64, np.int32), 1.0, 3), "was given an array of int32"),
        ((x, device.zeros(4, np.uint16), 1.0, 3), "was given an array of uint16"),
        ((x, [1.0], 1.0, 3), "cannot be made of a value of the class `list`"),
        ((x, "y", 1.0, 3), "class `str`"),
        ((x, 1.5, 1.0, 3), "was given a float"),
        ((x, x, None, 3), "was given None"),
    ]
    for args, sentence in cases:
        with pytest.raises(wt.ArgumentError, match=sentence) as caught:
            saxpy(*args, grid=64, block=64)
        # The way out: the signature.
        assert "saxpy(" in str(caught.value)
        assert isinstance(caught.value, (wt.Error, TypeError, ValueError))


@pytest.mark.parametrize("sizes", [{"grid": 0}, {"grid": -1}, {"grid": (1, 2, 3, 4)}, {"grid": "4"},
                                   {"grid": 64, "block": 4096}, {"grid": 2**32}])
def test_wrong_sizes_are_sentences(saxpy, sizes):
    x = np.zeros(64, np.float32)
    with pytest.raises(wt.ArgumentError):
        saxpy(x, x.copy(), 1, 1, **sizes)


def test_unknown_names(device, saxpy):
    module = device.load(wt.asm(SAXPY, kernels=[SIGNATURE]))
    assert list(module) == ["saxpy"] and "saxpy" in module and "other" not in module
    with pytest.raises(KeyError, match="did you mean `saxpy`"):
        module["saxpi"]
    with pytest.raises(wt.ArgumentError, match="gfx9999"):
        wt.Device("gfx9999")
    with pytest.raises(wt.ArgumentError):
        wt.Device("gfx906", engine="fast")
    with pytest.raises(FileNotFoundError):
        device.load("no such file")
    with pytest.raises(wt.Error):
        device.load(b"no code")
    with pytest.raises(wt.ArgumentError, match="int"):
        device.load(7)


def test_a_fault_has_its_facts(device, saxpy):
    x, y = device.zeros(64), device.zeros(64)
    with pytest.raises(wt.Fault) as caught:
        saxpy(x, y, 1.0, 200, grid=256, block=64)
    fault = caught.value
    assert isinstance(fault, wt.Error)
    assert fault.kernel == "saxpy" and "global_load_dword" in fault.instruction
    assert fault.group == [1, 0, 0] and fault.lane == 0
    assert fault.address == x.address + 256
    assert "is outside every allocation" in str(fault) or "which ends" in str(fault)


def test_errors_go_from_process_to_process(saxpy):
    x = np.zeros(64, np.float32)
    with pytest.raises(wt.Fault) as caught:
        saxpy(x, x, 1.0, 128, grid=128, block=64)
    fault = pickle.loads(pickle.dumps(caught.value))
    assert type(fault) is wt.Fault and str(fault) == str(caught.value)
    assert (fault.kernel, fault.pc, fault.lane) == ("saxpy", caught.value.pc, 0)


def test_a_hung_kernel_ends_by_its_limit(device):
    source = "hang:\n s_branch hang\n s_endpgm"
    hang = device.load(wt.asm(source, kernels=["hang()"]))["hang"]
    start = time.monotonic()
    with pytest.raises(wt.Timeout, match="did not end in time"):
        hang(grid=64, timeout=0.2)
    assert time.monotonic() - start < 30


def test_other_threads_run_while_a_kernel_does(device):
    source = "hang:\n s_branch hang\n s_endpgm"
    hang = device.load(wt.asm(source, kernels=["hang()"]))["hang"]
    counted = []
    stop = threading.Event()

    def count():
        while not stop.is_set():
            counted.append(1)
            time.sleep(0.01)

    thread = threading.Thread(target=count)
    thread.start()
    with pytest.raises(wt.Timeout):
        hang(grid=64, timeout=0.5)
    stop.set()
    thread.join()
    assert len(counted) > 10


def test_closed_devices_raise(device, saxpy):
    array = device.zeros(64)
    device.close()
    for use in [
        lambda: device.zeros(4),
        lambda: np.asarray(array),
        lambda: array.address,
        lambda: saxpy(array, array, 1.0, 1, grid=64),
        lambda: device.load(b""),
    ]:
        with pytest.raises(wt.Error, match="closed"):
            use()
    device.close()


def test_arrays_of_another_device_are_refused(saxpy, device):
    with wt.Device(device.chip) as other:
        array = other.zeros(64)
        with pytest.raises(wt.ArgumentError, match="another device"):
            saxpy(array, array, 1.0, 1, grid=64, block=64)
    with wt.Device(device.chip, memory=device) as other:
        array = other.array(np.ones(64, np.float32))
        saxpy(array, array, 1.0, 64, grid=64, block=64)
        assert (array.numpy() == 2).all()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_fork_raises(device):
    child = os.fork()
    if child == 0:
        try:
            device.zeros(4)
        except wt.Error as error:
            os._exit(0 if "fork" in str(error) else 1)
        os._exit(2)
    assert os.waitpid(child, 0)[1] == 0


def test_structures_and_vectors_by_value(device):
    source = """
    put:
        s_load_dwordx2 s[4:5], s[0:1], 0x0
        s_load_dwordx2 s[6:7], s[0:1], 0x8
        v_mov_b32 v0, 0
        s_waitcnt lgkmcnt(0)
        v_mov_b32 v2, s6
        v_mov_b32 v3, s7
        global_store_dwordx2 v0, v[2:3], s[4:5]
        s_endpgm
    """
    put = device.load(wt.asm(source, kernels=["put(global u32* out, u64 value)"]))["put"]
    out = np.zeros(2, np.uint32)
    for value, want in [
        (5, [5, 0]),
        (2**64 - 1, [2**32 - 1] * 2),
        (np.uint64(7 << 32), [0, 7]),
        (np.array([3, 4], np.uint32), [3, 4]),
        (bytes(range(8)), [0x03020100, 0x07060504]),
    ]:
        put(out, value, grid=1, block=1)
        assert out.tolist() == want
    with pytest.raises(wt.ArgumentError, match="takes 8 bytes"):
        put(out, b"abc", grid=1)


def test_threads_launch_side_by_side(device, saxpy):
    errors = []

    def work(seed):
        try:
            for _ in range(20):
                x, y = numbers(64, seed), np.zeros(64, np.float32)
                saxpy(x, y, 1, 64, grid=64, block=64)
                np.testing.assert_array_equal(x, y)
        except BaseException as error:  # noqa: BLE001 - the main thread reports it
            errors.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


def test_an_interrupt_ends_a_launch():
    program = """
import signal, wavetank as wt
gpu = wt.Device("gfx906", threads=1)
hang = gpu.load(wt.asm("hang:\\n s_branch hang\\n s_endpgm", kernels=["hang()"]))["hang"]
print("ready", flush=True)
try:
    hang(grid=64)
except KeyboardInterrupt:
    print("interrupted")
try:
    hang(grid=64, timeout=0.1)
except wt.Timeout:
    print("goes on")
"""
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "ready\n"
    time.sleep(0.3)
    child.send_signal(signal.SIGINT)
    assert child.communicate(timeout=60)[0] == "interrupted\ngoes on\n"


def test_a_fork_makes_devices_of_its_own(device, saxpy):
    x = np.ones(64, np.float32)
    saxpy(x, x.copy(), 1.0, 64, grid=64, block=64)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            with wt.Device("gfx906", threads=1) as gpu:
                kernel = gpu.load(wt.asm(SAXPY, kernels=[SIGNATURE]))["saxpy"]
                y = np.zeros(64, np.float32)
                kernel(x, y, 3.0, 64, grid=64, block=64)
                status = 0 if (y == 3).all() else 2
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
