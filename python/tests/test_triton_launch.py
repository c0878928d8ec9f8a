"""Launches of Triton's kernels: arguments, devices, threads, tuning, hooks, wrong use. Without Triton, they are skipped."""

import collections
import concurrent.futures
import contextlib
import gc
import inspect
import json
import os
import pathlib
import subprocess
import sys
import threading

import numpy as np
import pytest

triton = pytest.importorskip("triton", reason="SKIP Triton: it is not installed")

import triton.language as tl  # noqa: E402

import wavetank as wt  # noqa: E402
import wavetank.triton.driver  # noqa: E402

VERSION = tuple(int(part) for part in triton.__version__.split(".")[:2])


@pytest.fixture
def gpu():
    return wavetank.triton.activate("gfx90a")


@triton.jit
def copy_kernel(source, target, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(target + at, tl.load(source + at, at < n), at < n)


@triton.jit
def double_kernel(x, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + at, 2 * tl.load(x + at, at < n), at < n)


@triton.jit
def optional_kernel(x, bias, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    values = tl.load(x + at)
    if bias is not None:
        values += tl.load(bias + at)
    tl.store(out + at, values)


def numbers(count, dtype=np.float32):
    return np.arange(count).astype(dtype)


# Arguments


def test_views_keep_the_bounds_of_their_array(gpu):
    whole = numbers(96)
    out = np.zeros(64, np.float32)
    copy_kernel[(1,)](whole[32:], out, 64, BLOCK=64)
    assert (out == whole[32:]).all()
    with wavetank.triton.check() as findings:
        copy_kernel[(1,)](whole[48:], out, 64, BLOCK=64)
    assert [finding.rule for finding in findings] == ["memory/out-of-bounds"]
    assert "source (384 bytes" in str(findings[0])


@triton.jit
def strided_kernel(source, target, stride, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(target + at, tl.load(source + at * stride, at < n), at < n)


@pytest.mark.parametrize("step", [-1, -2, 3])
def test_arrays_may_be_strided_backwards(gpu, step):
    view, out = numbers(192)[::step][:60], np.zeros(60, np.float32)
    strided_kernel[(1,)](view, out, view.strides[0] // 4, 60, BLOCK=64)
    assert (out == view).all()


def test_an_array_that_is_given_twice_has_both_names(gpu):
    x = numbers(32)
    copy_kernel[(1,)](x, x, 32, BLOCK=32, num_warps=1)
    assert (x == numbers(32)).all()
    with wavetank.triton.check() as findings:
        copy_kernel[(1,)](x, x, 64, BLOCK=64, num_warps=1)
    assert findings[0].rule == "memory/out-of-bounds" and "source and target (128 bytes" in str(findings[0])


def test_a_read_only_view_does_not_protect_a_view_that_may_be_written(gpu):
    x = numbers(64)
    view = x[:]
    view.flags.writeable = False
    copy_kernel[(1,)](view[32:], x, 32, BLOCK=32, num_warps=1)
    assert (x[:32] == x[32:]).all()
    with wavetank.triton.check() as findings:
        copy_kernel[(1,)](x.copy(), view, 32, BLOCK=32)
    assert findings and "target" in str(findings[0])
    assert (x[:32] == x[32:]).all()


def test_empty_arrays_and_none_are_pointers(gpu):
    x, out = numbers(64), np.zeros(64, np.float32)
    copy_kernel[(1,)](np.zeros(0, np.float32), out, 0, BLOCK=64)
    assert (out == 0).all()
    optional_kernel[(1,)](x, None, out, BLOCK=64)
    assert (out == x).all()
    optional_kernel[(1,)](x, x, out, BLOCK=64)
    assert (out == 2 * x).all()


def test_memory_that_another_array_has_now_has_the_new_bounds(gpu):
    # The allocator of NumPy gives the same address again. Each launch registers what it is given, and nothing stays.
    seen = set()
    for count in [64, 60, 56, 52, 64, 48]:
        x, out = np.ones(count, np.float32), np.zeros(64, np.float32)
        seen.add(x.ctypes.data)
        with wavetank.triton.check() as findings:
            copy_kernel[(1,)](x, out, 64, BLOCK=64)
        assert [finding.rule for finding in findings] == ["memory/out-of-bounds"] * (count < 64)
        if findings:
            assert f"source ({4 * count} bytes" in str(findings[0])
        del x, findings
        gc.collect()


def test_memory_is_not_registered_after_a_fault(gpu):
    x, out = numbers(64), np.zeros(32, np.float32)
    with pytest.raises(wt.Fault):
        copy_kernel[(1,)](x, out, 64, BLOCK=64)
    # `out` is given by its address alone: it is no memory of the device any more.
    compiled = copy_kernel[(1,)](x, out, 32, BLOCK=64)
    kernel = compiled.function
    arguments = [gpu.array(x), out.ctypes.data, 32] + [None] * (kernel.arity - 3)
    with pytest.raises(wt.Fault):
        kernel(*arguments, grid=256, block=256)


Pair = collections.namedtuple("Pair", "source target")


@triton.jit
def pair_kernel(pair, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(pair[1] + at, tl.load(pair[0] + at, at < n), at < n)


@pytest.mark.parametrize("make", [lambda *items: items, Pair])
def test_tuples_of_arrays(gpu, make):
    x, out = numbers(64), np.zeros(64, np.float32)
    pair_kernel[(1,)](make(x, out), 64, BLOCK=64)
    assert (out == x).all()
    with wavetank.triton.check() as findings:
        pair_kernel[(1,)](make(x, out[:32].copy()), 64, BLOCK=64)
    assert findings and "pair (128 bytes" in str(findings[0])


@triton.jit
def scalars_kernel(out, i, f, flag: tl.int1, h: tl.float16, b: tl.bfloat16):
    tl.store(out, i + f + tl.where(flag, 1.0, 0.0) + h + b)


@pytest.mark.parametrize("flag", [True, False])
def test_numbers_of_all_kinds(gpu, flag):
    out = np.zeros(1, np.float32)
    scalars_kernel[(1,)](out, 2**31 + 8, 0.5, flag, 0.25, 1.5)
    assert out[0] == np.float32(2**31 + 8) + np.float32(0.5 + flag + 0.25 + 1.5)


@triton.jit
def block_kernel(source, target, BM: tl.constexpr, BN: tl.constexpr):
    at = [tl.program_id(0) * BM, tl.program_id(1) * BN]
    target.store(at, source.load(at) + 1)


def test_descriptors_made_by_the_program(gpu):
    from triton.tools.tensor_descriptor import TensorDescriptor

    # Aligned as descriptors must be.
    x, out = gpu.array(numbers(60 * 96).reshape(60, 96)), gpu.zeros((60, 96))
    described = [TensorDescriptor.from_tensor(wavetank.triton.tensor(array), [32, 32]) for array in (x, out)]
    block_kernel[(2, 3)](*described, BM=32, BN=32)
    assert (out.numpy() == x.numpy() + 1).all()


# Devices, streams and threads


@pytest.mark.parametrize(
    "text, chips",
    [("mi300x", ["gfx942"]), ("gfx90a:2G", ["gfx90a"]), ("gfx90a, gfx942:512M", ["gfx90a", "gfx942"]), ("", ["gfx90a"])],
)
def test_the_environment_chooses_devices(text, chips, monkeypatch):
    monkeypatch.setenv("WAVETANK_GPU", text)
    driver = wavetank.triton.driver.WavetankDriver()
    assert [device.chip for device in driver.gpus.values()] == chips
    assert driver.get_current_target().arch == chips[0]


def test_a_product_has_its_compute_units():
    assert wavetank.triton.activate("mi210").compute_units == 104
    properties = triton.runtime.driver.active.utils.get_device_properties(0)
    assert properties["multiprocessor_count"] == 104


@triton.jit
def where_kernel(out):
    tl.store(out, tl.program_id(0) + 5)


def test_several_devices_share_memory(monkeypatch):
    first = wavetank.triton.activate("gfx90a,gfx942")
    driver = triton.runtime.driver.active
    one, other = driver.gpus
    out = first.zeros(1, np.int32)
    archs = []
    for number in (one, other, one):
        driver.set_current_device(number)
        assert driver.get_current_device() == number
        compiled = where_kernel[(1,)](out)
        archs.append(compiled.metadata.target.arch)
        assert out.numpy()[0] == 5
        out[0] = 0
    assert archs == ["gfx90a", "gfx942", "gfx90a"]
    with pytest.raises(wt.ArgumentError, match="there is no emulated device 999; there are .*gfx90a.*gfx942"):
        driver.set_current_device(999)


def test_each_thread_has_its_current_device():
    wavetank.triton.activate("gfx90a,gfx942")
    driver = triton.runtime.driver.active
    driver.set_current_device(max(driver.gpus))
    seen = in_threads(1, lambda n: driver.get_current_target().arch)
    assert seen == ["gfx90a"] and driver.get_current_target().arch == "gfx942"


def in_threads(count, work):
    """Runs work in threads, and returns the results in their order."""
    with concurrent.futures.ThreadPoolExecutor(count) as threads:
        return list(threads.map(work, range(count)))


def test_threads_launch_at_once(gpu):
    arrays = [np.full(4096, n + 1, np.int64) for n in range(8)]
    start = threading.Barrier(8)

    def work(n):
        start.wait()
        for _ in range(20):
            double_kernel[(16,)](arrays[n], 4096, BLOCK=256)

    in_threads(8, work)
    assert [set(array) for array in arrays] == [{(n + 1) << 20} for n in range(8)]


def test_findings_are_those_of_the_thread(gpu):
    start = threading.Barrier(4)

    def work(n):
        x, out = numbers(64), np.zeros(64 - n, np.float32)
        start.wait()
        with wavetank.triton.check() as findings:
            for _ in range(5):
                copy_kernel[(1,)](x, out, 64, BLOCK=64)
        return findings

    for n, findings in enumerate(in_threads(4, work)):
        assert len(findings) == (5 if n else 0)
        assert all(f"target ({4 * (64 - n)} bytes" in str(finding) for finding in findings)


def test_any_stream_is_taken(gpu):
    x, out = numbers(64), np.zeros(64, np.float32)
    compiled = copy_kernel.warmup(x, out, 64, BLOCK=64, grid=(1,))
    for stream in [None, 0, 7, object()]:
        out[:] = 0
        constants = [64] if VERSION > (3, 1) else []
        compiled[(1, 1, 1)](x, out, 64, *constants, stream=stream)
        assert (out == x).all()
    assert triton.runtime.driver.active.get_current_stream(0) == 0


# Tuning


def configs(*warps, **settings):
    return [triton.Config({"BLOCK": 64 * n}, num_warps=n, **settings) for n in warps]


def grid(meta):
    return (triton.cdiv(meta["n"], meta["BLOCK"]),)


@pytest.fixture(params=["instructions", "time"])
def how(request, monkeypatch):
    monkeypatch.setenv("WAVETANK_AUTOTUNE", request.param)


@pytest.mark.parametrize("make", [np.asarray, lambda array: wavetank.triton.driver._state.driver().gpu.array(array)])
def test_values_are_restored_after_each_configuration(gpu, how, make):
    tuned = triton.autotune(configs=configs(1, 2, 4), key=["n"], restore_value=["x"])(double_kernel)
    x = make(numbers(500))
    tuned[grid](x, 500)
    assert (np.asarray(x) == 2 * numbers(500)).all()
    tuned[grid](x, 500)
    assert (np.asarray(x) == 4 * numbers(500)).all()


@triton.jit
def count_kernel(counts, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(counts + at % 4, 1, at < n)


def test_values_are_reset_before_each_configuration(gpu, how):
    tuned = triton.autotune(configs=configs(1, 2, 4), key=["n"], reset_to_zero=["counts"])(count_kernel)
    counts = np.full(4, 77, np.int32)
    tuned[grid](counts, 400)
    assert (counts == 100).all()
    # A view with strides, too.
    wide = np.full((4, 2), 9, np.int32)
    tuned = triton.autotune(configs=configs(1, 2), key=["n"], reset_to_zero=["counts"])(count_kernel)
    tuned[grid](wide[:, 0], 400)
    # The kernel counts in the four elements from the pointer on, of which two are those of the view.
    assert (wide[:, 0] == [100, 100, 0, 0]).all() and (wide[2:, 1] == 9).all()
    assert (wide[:2, 1] > 109).all()


def test_hooks_of_the_program_are_given_its_arrays(gpu, how):
    calls = []

    def before(arguments, reset_only=False):
        assert type(arguments["x"]) is np.ndarray
        arguments["x"][:] = 1
        calls.append("before")

    def after(arguments, exception):
        assert exception is None
        calls.append("after")

    tuned = triton.autotune(configs=configs(1, 2), key=["n"], pre_hook=before, post_hook=after)(double_kernel)
    x = numbers(100)
    tuned[grid](x, 100)
    assert (x == 2).all()
    assert calls.count("before") >= 3 and calls.count("after") >= 2


def test_a_configuration_has_a_hook(gpu, how):
    def fill(arguments):
        arguments["x"].fill(arguments["BLOCK"])

    tuned = triton.autotune(configs=configs(1, 2, pre_hook=fill), key=["n"])(double_kernel)
    x = numbers(100)
    tuned[grid](x, 100)
    assert (x == 2 * tuned.best_config.kwargs["BLOCK"]).all()


def test_configurations_are_pruned(gpu, how):
    seen = []

    def early(configs, arguments, **keywords):
        assert type(arguments["x"]) is np.ndarray
        seen.append(len(configs))
        return [config for config in configs if config.num_warps < 8]

    def model(x, n, BLOCK, num_warps, **others):
        return -num_warps

    prune = {"early_config_prune": early, "perf_model": model, "top_k": 1}
    tuned = triton.autotune(configs=configs(1, 2, 4, 8), key=["n"], prune_configs_by=prune)(double_kernel)
    x = numbers(100)
    tuned[grid](x, 100)
    assert seen == [4] and tuned.best_config.num_warps == 4


def test_results_of_tuning_are_kept_on_disk(gpu, how, tmp_path, monkeypatch):
    if "cache_results" not in inspect.signature(triton.autotune).parameters:
        pytest.skip("this version has no such option")
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))

    def tune():
        tuned = triton.autotune(configs=configs(1, 2), key=["n"], cache_results=True, restore_value=["x"])(double_kernel)
        x = numbers(100)
        tuned[grid](x, 100)
        assert (x == 2 * numbers(100)).all()
        return tuned.best_config

    best = tune()
    files = list(tmp_path.rglob("*.autotune.json"))
    assert len(files) == 1
    # The file rules, and nothing is measured: the other configuration is said to be the best one.
    kept = json.loads(files[0].read_text())
    for config, timings in kept["configs_timings"]:
        timings[0] = 100.0 if config["num_warps"] == best.num_warps else 1.0
    files[0].write_text(json.dumps(kept))
    assert tune().num_warps != best.num_warps


@triton.jit
def dot_kernel(a, b, c, S: tl.constexpr):
    row, column = tl.program_id(0) * S + tl.arange(0, S), tl.program_id(1) * S + tl.arange(0, S)
    acc = tl.zeros((S, S), tl.float32)
    for start in range(0, 512, S):
        k = start + tl.arange(0, S)
        left = tl.load(a + row[:, None] * 512 + k[None, :])
        right = tl.load(b + k[:, None] * 128 + column[None, :])
        acc += tl.dot(left, right, input_precision="ieee")
    tl.store(c + row[:, None] * 128 + column[None, :], acc)


def test_a_configuration_with_too_much_lds_or_too_many_waves_is_left_out(gpu, how):
    # Tiles of 128 in four stages are more than the 64 KiB of LDS, and 32 waves more than a work-group has: Triton says so in its
    # own words.
    from triton.runtime.errors import OutOfResources

    a, b, c = np.zeros((128, 512), np.float32), numbers(512 * 128).reshape(512, 128) % 7, np.zeros((128, 128), np.float32)
    a[:, 256:384] = np.eye(128)
    large, small = (triton.Config({"S": size}, num_warps=4, num_stages=4) for size in (128, 32))
    with pytest.raises(OutOfResources, match="shared memory"):
        dot_kernel[(1, 1)](a, b, c, **large.all_kwargs())
    tuned = triton.autotune(configs=[large, small], key=[])(dot_kernel)
    tuned[lambda meta: (128 // meta["S"], 128 // meta["S"])](a, b, c)
    assert tuned.best_config.kwargs == {"S": 32} and (c == b[256:384]).all()
    with pytest.raises(OutOfResources, match="threads"):
        double_kernel[(1,)](numbers(64), 64, BLOCK=64, num_warps=32)


def test_heuristics_choose_constants(gpu):
    chosen = triton.heuristics({"BLOCK": lambda arguments: triton.next_power_of_2(arguments["n"])})(double_kernel)
    x = numbers(100)
    compiled = chosen[(1,)](x, 100)
    assert (x == 2 * numbers(100)).all() and "128" in compiled.asm["ttir"]


# Checks by the environment


SCRIPT = """
import numpy as np, triton, triton.language as tl, wavetank.triton

@triton.jit
def fill(x, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(x + at, n, at < n)

wavetank.triton.activate("gfx90a")
for n in (40, 41, 41):
    fill[(1,)](np.zeros(40, np.int32), n, BLOCK=64)
print("done")
"""


def test_launches_are_checked_as_the_environment_wants(tmp_path):
    # As `wavetank check -- python script.py` does; test_observed.py has the command. The folder is another than that of the script.
    script, folder = tmp_path / "script.py", tmp_path / "elsewhere"
    script.write_text(SCRIPT)
    folder.mkdir()
    package = str(pathlib.Path(wt.__file__).parents[1])
    path = os.pathsep.join([package, os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "WAVETANK_CHECK": "1", "WAVETANK_STATS": "1", "PYTHONPATH": path}
    command = [sys.executable, "-W", "ignore", script]
    ran = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=folder, timeout=300)
    assert (ran.returncode, ran.stdout) == (0, "done\n"), ran.stderr
    assert ran.stderr.count("error[memory/out-of-bounds]") == 1
    for part in [" --> script.py:7:", "7 |     tl.store(x + at, n, at < n)", "the nearest allocation is x (160 bytes"]:
        assert part in ran.stderr
    # One row for the kernel, and a line about the time of the tools.
    table = ran.stderr[ran.stderr.index("    calls") :].splitlines()
    assert table[1].split()[0] == "3" and table[1].endswith(" fill")


# Compiling and hooks


def test_warmup_compiles_and_runs_nothing(gpu):
    x = numbers(100)
    compiled = double_kernel.warmup(x, 100, BLOCK=128, grid=(1,))
    assert "double_kernel" in compiled.asm["amdgcn"] and (x == numbers(100)).all()
    assert double_kernel[(1,)](x, 100, BLOCK=128) is compiled
    assert (x == 2 * numbers(100)).all()


@contextlib.contextmanager
def hooks(**functions):
    """Sets hooks of Triton, however this version has them."""
    runtime = triton.knobs.runtime
    for name, function in functions.items():
        chain = getattr(runtime, name)
        chain.add(function) if hasattr(chain, "add") else setattr(runtime, name, function)
    try:
        yield
    finally:
        for name, function in functions.items():
            chain = getattr(runtime, name)
            chain.remove(function) if hasattr(chain, "remove") else setattr(runtime, name, None)


def described(grid, metadata, arguments):
    x = arguments["x"]
    return {"name": f"double {arguments['n']}", "bytes": x.numel() * x.element_size(), "grid": grid}


@triton.jit(launch_metadata=described)
def described_kernel(x, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(x + at, 2 * tl.load(x + at, at < n), at < n)


def test_launch_hooks_are_called_around_a_launch(gpu):
    x, calls = numbers(100), []
    with hooks(
        launch_enter_hook=lambda data: calls.append(("enter", x[1], data.get())),
        launch_exit_hook=lambda data: calls.append(("exit", x[1], data.get())),
    ):
        described_kernel[(1,)](x, 100, BLOCK=128)
    described_kernel[(1,)](x, 100, BLOCK=128)
    assert [call[:2] for call in calls] == [("enter", 1), ("exit", 2)]
    data = calls[0][2]
    assert (data["name"], data["bytes"], data["grid"]) == ("double 100", 400, (1,))


def test_kernels_are_compiled_from_what_a_hook_has_noted(gpu):
    noted = []
    with hooks(jit_cache_hook=lambda *of, **named: noted.append(named["compile"]["specialization_data"]) and False):
        fresh = triton.jit(double_kernel.fn)
        fresh.warmup(numbers(100), 100, BLOCK=128, grid=(1,))
    assert len(noted) == 1
    other = triton.jit(double_kernel.fn)
    compiled = other.preload(noted[0])
    x = numbers(100)
    if VERSION >= (3, 6):
        assert other[(1,)](x, 100, BLOCK=128) is compiled
    else:
        other[(1,)](x, 100, BLOCK=128)
    assert (x == 2 * numbers(100)).all()


# Wrong use


class Tensor:
    """A tensor of another device."""

    dtype = "torch.float32"

    def __init__(self, device):
        self.device = type("device", (), {"type": device})

    def data_ptr(self):
        return 4096


@pytest.mark.parametrize("device", ["cuda", "meta", "xpu"])
def test_tensors_of_other_devices_are_refused(gpu, device):
    with pytest.raises(wt.ArgumentError, match=f"the tensor `source` is on the device `{device}`"):
        copy_kernel[(1,)](Tensor(device), numbers(64), 64, BLOCK=64)


def test_wrong_arrays_are_refused(gpu):
    x = numbers(64)
    freed = gpu.array(x)
    freed.free()
    with pytest.raises(wt.Error, match="the array has been freed"):
        double_kernel[(1,)](freed, 64, BLOCK=64)
    for wrong in [x.astype(np.complex64), np.array(["a", "b"]), np.array([{}]), x.astype("datetime64[s]"), x.astype(">f4")]:
        with pytest.raises(wt.ArgumentError, match="Triton has no type for the elements of an array of "):
            double_kernel[(1,)](wrong, 64, BLOCK=64)
    with wt.Device("gfx90a") as other:
        foreign = other.array(x)
        with pytest.raises(wt.ArgumentError, match="an array of another device"):
            double_kernel[(1,)](foreign, 64, BLOCK=64)
    with pytest.raises(wt.Error, match="closed"):
        double_kernel[(1,)](foreign, 64, BLOCK=64)


def test_tensors_of_torch_without_memory_are_refused(gpu):
    torch = pytest.importorskip("torch")
    from torch._subclasses.fake_tensor import FakeTensorMode

    freed = torch.zeros(64)
    freed.untyped_storage().resize_(0)
    with FakeTensorMode():
        fake = [torch.zeros(64), torch.zeros(64, device="cuda")]
    for tensor, sentence in [
        (freed, "`x` has no memory"),
        (fake[0], "`x` has no memory"),
        (fake[1], "on the device `cuda`"),
        (torch.zeros(64, device="meta"), "on the device `meta`"),
        (torch.zeros(64, dtype=torch.complex64), "no type for the elements of an array of complex64"),
    ]:
        with pytest.raises(wt.ArgumentError, match=sentence):
            double_kernel[(1,)](tensor, 64, BLOCK=64)
    double_kernel[(1,)](torch.zeros(0), 0, BLOCK=64)


def test_views_of_torch_keep_the_bounds_of_their_storage(gpu):
    torch = pytest.importorskip("torch")
    whole, out = torch.arange(96.0), torch.zeros(64)
    copy_kernel[(1,)](whole[32:], out, 64, BLOCK=64)
    assert (out == whole[32:]).all()
    with wavetank.triton.check() as findings:
        copy_kernel[(1,)](whole[48:], out, 64, BLOCK=64)
    assert len(findings) == 1 and "source (384 bytes" in str(findings[0])


def test_wrong_arguments_are_those_of_python(gpu):
    x = numbers(64)
    with pytest.raises(TypeError, match="n"):
        double_kernel[(1,)](x, BLOCK=64)
    with pytest.raises(TypeError):
        double_kernel[(1,)](x, 64, 64, 64, 64)
    with pytest.raises(KeyError, match="BLOKC"):
        double_kernel[(1,)](x, 64, BLOCK=64, BLOKC=64)


@triton.jit
def typed_kernel(out, n: tl.int32):
    tl.store(out, n)


def test_a_number_that_does_not_fit_its_type_is_refused(gpu):
    with pytest.raises(wt.ArgumentError, match="does not fit"):
        typed_kernel[(1,)](np.zeros(1, np.int32), 1 << 40)


@pytest.mark.parametrize(
    "text, sentence", [("gfx900", "makes no code for gfx900"), ("gfx950", "gfx950"), ("h100", "h100"), ("gfx90a,", "names no GPU")]
)
def test_a_wrong_chip_in_the_environment_is_refused_by_name(text, sentence, monkeypatch):
    monkeypatch.setenv("WAVETANK_GPU", text)
    with pytest.raises(wt.ArgumentError, match=f"WAVETANK_GPU: .*{sentence}"):
        wavetank.triton.driver.WavetankDriver()
