"""Triton's kernels on emulated chips. Without Triton, they are skipped."""

import importlib.metadata
import inspect
import linecache
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

triton = pytest.importorskip("triton", reason="SKIP Triton: it is not installed")

import triton.language as tl  # noqa: E402

import wavetank as wt  # noqa: E402
import wavetank.triton  # noqa: E402

VERSION = tuple(int(part) for part in triton.__version__.split(".")[:2])
CHIPS = ["gfx906"] * (VERSION >= (3, 9)) + ["gfx908", "gfx90a", "gfx942"]


@pytest.fixture(params=CHIPS)
def gpu(request):
    return wavetank.triton.activate(request.param)


@pytest.fixture
def one():
    return wavetank.triton.activate("gfx90a")


def random(*shape, dtype=np.float32, seed=1):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(out + at, tl.load(x + at, inside) + tl.load(y + at, inside), inside)


def test_vectors_are_added(gpu):
    x, y = random(5000), random(5000, seed=2)
    out = np.zeros_like(x)
    add_kernel[lambda meta: (triton.cdiv(5000, meta["BLOCK"]),)](x, y, out, 5000, BLOCK=1024)
    assert (out == x + y).all()


def test_arrays_of_the_device_are_pointers(one):
    x, out = one.array(random(256)), one.zeros(256, np.float32)
    add_kernel[(1,)](x, x, out, 256, BLOCK=256)
    assert (out.numpy() == 2 * x.numpy()).all()


class Lent:
    """What has DLPack and nothing else."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **keywords):
        return self.array.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_arrays_of_other_libraries_are_taken_without_a_copy(one):
    x, out = random(100), np.zeros(100, np.float32)
    add_kernel[(1,)](Lent(x), x, out, 100, BLOCK=128)
    assert (out == 2 * x).all()


def test_tensors_of_torch(one):
    torch = pytest.importorskip("torch")
    for dtype in [torch.float32, torch.float16, torch.bfloat16, torch.int64]:
        x = torch.arange(1000).to(dtype)
        out = torch.zeros_like(x)
        add_kernel[(4,)](x, x, out, 1000, BLOCK=256)
        assert (out == 2 * x).all()


@triton.jit
def softmax_kernel(out, x, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    values = tl.load(x + row * stride + at, at < n, other=-float("inf"))
    values = tl.exp(values - tl.max(values, 0))
    tl.store(out + row * stride + at, values / tl.sum(values, 0), at < n)


def test_softmax_reduces_through_lds(gpu):
    x, out = random(37, 781), np.zeros((37, 781), np.float32)
    softmax_kernel[(37,)](out, x, 781, 781, BLOCK=1024, num_warps=8)
    e = np.exp(x - x.max(1, keepdims=True))
    np.testing.assert_allclose(out, e / e.sum(1, keepdims=True), rtol=2e-6)


@triton.jit
def matmul_kernel(a, b, c, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, HOW: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        left = tl.load(a + m[:, None] * K + (start + k)[None, :])
        right = tl.load(b + (start + k)[:, None] * N + n[None, :])
        acc = tl.dot(left, right, acc, input_precision=HOW)
    tl.store(c + m[:, None] * N + n[None, :], acc)


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_products_use_matrix_instructions(gpu, dtype):
    a, b = random(128, 96, dtype=dtype), random(96, 64, dtype=dtype, seed=2)
    c = np.zeros((128, 64), np.float32)
    # Without this, products of floats are made of 19 bits each (xf32) where the chip can.
    compiled = matmul_kernel[(4, 2)](a, b, c, 64, 96, BM=32, BN=32, BK=32, HOW="ieee")
    np.testing.assert_allclose(c, a.astype(np.float32) @ b.astype(np.float32), rtol=1e-3, atol=1e-3)
    assert ("mfma" in compiled.asm["amdgcn"]) == (gpu.chip != "gfx906")


@triton.jit
def scalars_kernel(out, i, big, f, h, flag, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, i + (big >> 32).to(tl.float32) + f + h + tl.where(flag, 1.0, 0.0))


def test_numbers_have_their_types(one):
    out = np.zeros(64, np.float32)
    for i, big, f, flag in [(-3, 7 << 32, 0.5, True), (2**31 - 1, -(1 << 40), 1e30, False)]:
        scalars_kernel[(1,)](out, i, big, f, 0.25, flag, BLOCK=64)
        expected = np.float32(np.float32(np.float32(i) + np.float32(big >> 32)) + np.float32(f))
        np.testing.assert_allclose(out, expected + np.float32(0.25) + np.float32(flag), rtol=1e-6)


@triton.jit
def number_kernel(out, number):
    tl.store(out, number)


def test_numbers_beyond_their_type_are_infinite(one):
    out = np.zeros(1, np.float32)
    for number in [1e39, -1e39]:
        number_kernel[(1,)](out, number)
        assert out[0] == np.sign(number) * np.inf


def test_a_store_to_a_read_only_array_is_a_fault(one):
    out = np.zeros(1, np.float32)
    out.flags.writeable = False
    with pytest.raises(wt.Fault):
        number_kernel[(1,)](out, 1.0)
    assert out[0] == 0


@triton.jit
def histogram_kernel(x, counts, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(counts + tl.load(x + at, at < n, other=0), 1, at < n)


def test_atomics(gpu):
    x = np.random.default_rng(1).integers(0, 16, 3000, dtype=np.int32)
    counts = np.zeros(16, np.int32)
    histogram_kernel[(6,)](x, counts, 3000, BLOCK=512)
    assert (counts == np.bincount(x, minlength=16)).all()


@triton.jit
def descriptor_kernel(x, out, M, N, BM: tl.constexpr, BN: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [M, N], [N, 1], [BM, BN])
    target = tl.make_tensor_descriptor(out, [M, N], [N, 1], [BM, BN])
    tile = source.load([tl.program_id(0) * BM, tl.program_id(1) * BN])
    target.store([tl.program_id(0) * BM, tl.program_id(1) * BN], tile * 2)


def test_descriptors_made_by_a_kernel(one):
    x, out = random(60, 100), np.zeros((60, 100), np.float32)
    descriptor_kernel[(2, 4)](x, out, 60, 100, BM=32, BN=32)
    assert (out == 2 * x).all()


@triton.jit
def grid_kernel(out):
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    at = (z * tl.num_programs(1) + y) * tl.num_programs(0) + x
    tl.store(out + at, x + 10 * y + 100 * z)


def test_grids_have_three_dimensions(one):
    out = np.zeros((4, 3, 5), np.int32)
    grid_kernel[(5, 3, 4)](out)
    z, y, x = np.indices((4, 3, 5))
    assert (out == x + 10 * y + 100 * z).all()
    grid_kernel[(0, 3, 4)](out)


def test_a_store_out_of_bounds_is_found_at_its_line(one):
    x, out = random(1024), np.zeros(1000, np.float32)
    with wavetank.triton.check() as findings:
        add_kernel[(1,)](x, x, out, 1024, BLOCK=1024)
    (finding,) = findings
    assert finding.rule == "memory/out-of-bounds"
    source, start = inspect.getsourcelines(add_kernel.fn)
    line = start + next(at for at, text in enumerate(source) if "tl.store" in text)
    assert finding.file.endswith("test_triton.py") and finding.line == line
    assert "is out (4000 bytes" in str(finding)
    with wavetank.triton.check() as findings:
        add_kernel[(1,)](x, x, out, 1000, BLOCK=1024)
    assert findings == []
    # Without checks the launch is stopped.
    with pytest.raises(wt.Fault) as fault:
        add_kernel[(1,)](x, x, out, 1024, BLOCK=1024)
    assert fault.value.line == line


@triton.jit
def race_kernel(x, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(x + at, tl.load(x + at) + 1)


def test_a_race_between_programs_is_found(one):
    x = np.zeros(256, np.int32)
    with wavetank.triton.check(["race"]) as findings:
        race_kernel[(2,)](x, BLOCK=256)
    assert {finding.rule.split("/")[0] for finding in findings} == {"race"}
    assert all(finding.file.endswith("test_triton.py") for finding in findings)


@triton.jit
def print_kernel(x, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.device_print("x", tl.load(x + at))


@triton.jit(debug=True)
def assert_kernel(x, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.device_assert(tl.load(x + at) < 60, "too large")


def test_kernels_print(one, capfd):
    x = np.arange(64, dtype=np.int32)
    print_kernel[(1,)](x, BLOCK=64, num_warps=1)
    lines = capfd.readouterr().out.splitlines()
    assert len(lines) == 64 and all("x: " in line for line in lines)
    assert sorted(int(line.rsplit(" ", 1)[1]) for line in lines) == list(range(64))


def test_an_assertion_that_fails_ends_the_launch(one, capfd):
    assert_kernel[(1,)](np.zeros(64, np.int32), BLOCK=64, num_warps=1)
    assert "too large" not in capfd.readouterr().err
    with pytest.raises(wt.Fault):
        assert_kernel[(1,)](np.arange(64, dtype=np.int32), BLOCK=64, num_warps=1)
    out, err = capfd.readouterr()
    assert "too large" in out + err


def configs(*warps):
    return [triton.Config({"BLOCK": 64 * n}, num_warps=n) for n in warps]


tuned_kernel = triton.autotune(configs=configs(1, 2, 4), key=["n"])(add_kernel)


@pytest.mark.parametrize("how", ["first", "instructions", "time"])
def test_autotuning(one, how, monkeypatch):
    monkeypatch.setenv("WAVETANK_AUTOTUNE", how)
    tuned_kernel.cache.clear()
    x, out = random(1000), np.zeros(1000, np.float32)
    tuned_kernel[lambda meta: (triton.cdiv(1000, meta["BLOCK"]),)](x, x, out, 1000)
    assert (out == 2 * x).all()
    if how == "first":
        assert tuned_kernel.best_config.num_warps == 1
    monkeypatch.setenv("WAVETANK_AUTOTUNE", "best")
    tuned_kernel.cache.clear()
    with pytest.raises(wt.ArgumentError, match="WAVETANK_AUTOTUNE"):
        tuned_kernel[(16,)](x, x, out, 1000)


def test_do_bench_measures_this_computer(one):
    x, out = random(64), np.zeros(64, np.float32)
    milliseconds = triton.testing.do_bench(lambda: add_kernel[(1,)](x, x, out, 64, BLOCK=64), warmup=1, rep=2)
    assert milliseconds > 0


def test_configurations_are_checked(one):
    x, out = random(512), np.zeros(512, np.float32)
    grid = lambda meta: (triton.cdiv(512, meta["BLOCK"]),)
    outcome = wavetank.triton.check_configs(tuned_kernel, x, x, out, 512, grid=grid)
    assert len(outcome) == 3
    assert all(findings == [] and difference is None for findings, difference in outcome.values())
    assert (out == 0).all()


@triton.jit
def warps_kernel(out, W: tl.constexpr):
    tl.store(out, W)


def test_chips_and_options_are_compared(one):
    x, out = random(512), np.zeros(512, np.float32)
    same = wavetank.triton.compare(
        add_kernel,
        [x, x, out, 512],
        grid=(4,),
        constants={"BLOCK": 128},
        options=[{"num_warps": 1}, {"num_warps": 4}],
    )
    assert same is None and (out == 0).all()
    out = np.zeros(1, np.int32)
    found = wavetank.triton.compare(warps_kernel, [out], grid=(1,), chips=["gfx90a"], options=[{"W": 1}, {"W": 2}])
    assert (found.argument, found.index, found.values) == (0, (0,), (1, 2))
    assert "argument 0" in str(found)
    assert triton.runtime.driver.active.gpu is one


def test_wrong_use_is_a_sentence(one):
    for chip, sentence in [
        ("gfx900", "this version of Triton makes no code for gfx900; there are gfx9"),
        ("fiji", "no code for gfx803"),
        ("gfx950", "is assembled and disassembled"),
        ("h100", "h100"),
    ]:
        with pytest.raises(wt.Error, match=sentence):
            wavetank.triton.activate(chip)

    class OnCuda:
        dtype = "torch.float32"
        device = type("device", (), {"type": "cuda"})

        def data_ptr(self):
            return 4096

    with pytest.raises(wt.ArgumentError, match="on the device `cuda`"):
        add_kernel[(1,)](OnCuda(), OnCuda(), OnCuda(), 1, BLOCK=64)


SCRIPT = """
import numpy as np, triton, triton.language as tl

@triton.jit
def double(x, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(x + at, 2 * tl.load(x + at))

x = np.ones(256, np.float32)
double[(1,)](x, BLOCK=256)
print(x.sum(), triton.runtime.driver.active.get_current_target().arch)
"""


def test_an_unmodified_script_runs_by_the_environment(tmp_path):
    if not any(point.name == "wavetank" for point in importlib.metadata.entry_points(group="triton.backends")):
        pytest.skip("the package is not installed")
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    environment = {**os.environ, "TRITON_DEFAULT_BACKEND": "wavetank", "WAVETANK_GPU": "mi300x"}
    ran = subprocess.run([sys.executable, script], capture_output=True, text=True, env=environment, timeout=300)
    assert ran.stdout == "512.0 gfx942\n", ran.stderr


def test_the_driver_says_what_it_is(one):
    driver = triton.runtime.driver.active
    target = driver.get_current_target()
    assert (target.backend, target.arch, target.warp_size) == ("hip", "gfx90a", 64)
    properties = driver.utils.get_device_properties(0)
    assert properties["max_shared_mem"] == 65536 and properties["multiprocessor_count"] == one.compute_units


def test_the_guide_runs(tmp_path, capsys):
    guide = pathlib.Path(__file__).parents[2] / "docs/how-to/triton.md"
    blocks = re.findall(r"```python\n(.*?)```", guide.read_text(), re.S)
    assert len(blocks) == 3
    # Triton reads the source of a kernel, which must be in a file.
    names = {}
    for number, block in enumerate(blocks):
        path = tmp_path / f"block{number}.py"
        path.write_text(block)
        exec(compile(block, str(path), "exec"), names)
        linecache.checkcache()
    printed = capsys.readouterr().out
    assert printed.startswith("10000.0\n")
    assert "error[memory/out-of-bounds]: a store" in printed and "nearest allocation is out" in printed
    assert names["difference"] is None
