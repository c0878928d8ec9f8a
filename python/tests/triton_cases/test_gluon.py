"""Gluon: kernels whose layouts and shared memory are written out."""

import numpy as np
import pytest

from . import formats

triton = pytest.importorskip("triton", minversion="3.9", reason="SKIP Triton: version 3.9 is not installed")

from triton.experimental import gluon  # noqa: E402
from triton.experimental.gluon import language as gl  # noqa: E402

cdna3 = gl.amd.cdna3


@gluon.jit
def copy_kernel(x, out, n, BLOCK: gl.constexpr, layout: gl.constexpr):
    at = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    gl.store(out + at, gl.load(x + at, at < n), at < n)


@pytest.mark.checked
@pytest.mark.parametrize("each, warps", [(1, 1), (4, 4), (8, 2)])
def test_copies(gpu, each, warps):
    layout = gl.BlockedLayout([each], [64], [warps], [0])
    x, out = formats.random("fp32", 3000), formats.empty("fp32", 3000)
    copy_kernel[(triton.cdiv(3000, 1024),)](x, out, 3000, 1024, layout, num_warps=warps)
    assert (out == x).all()


@gluon.jit
def turn_kernel(
    x, out, M: gl.constexpr, N: gl.constexpr, read: gl.constexpr, write: gl.constexpr, shared: gl.constexpr, SHARED: gl.constexpr
):
    m = gl.arange(0, M, gl.SliceLayout(1, read))
    n = gl.arange(0, N, gl.SliceLayout(0, read))
    tile = gl.load(x + m[:, None] * N + n[None, :])
    rows = gl.arange(0, N, gl.SliceLayout(1, write))
    columns = gl.arange(0, M, gl.SliceLayout(0, write))
    if SHARED:
        # Through memory of the work-group, whose elements are read in another order.
        memory = gl.allocate_shared_memory(tile.dtype, [M, N], shared)
        memory.store(tile)
        turned = memory.permute((1, 0)).load(write)
    else:
        turned = gl.convert_layout(gl.permute(tile, (1, 0)), write)
    gl.store(out + rows[:, None] * M + columns[None, :], turned)


@pytest.mark.checked
@pytest.mark.parametrize("kind", ["fp32", "fp16", "i8", "fp64"])
@pytest.mark.parametrize("how", ["swizzled", "padded", "converted"])
def test_transposes(gpu, kind, how):
    M, N = 64, 32
    read = gl.BlockedLayout([1, 4], [8, 8], [4, 1], [1, 0])
    write = gl.BlockedLayout([1, 4], [4, 16], [4, 1], [1, 0])
    shared = gl.SwizzledSharedLayout(4, 2, 8, order=[1, 0])
    if how == "padded":
        shared = gl.PaddedSharedLayout.with_identity_for([[32, 4]], [M, N], [1, 0])
    x, out = formats.random(kind, M, N), formats.empty(kind, N, M)
    turn_kernel[(1,)](x, out, M, N, read, write, shared, how != "converted")
    np.testing.assert_array_equal(out, x.T)


@gluon.jit
def add(a, b):
    return a + b


@gluon.jit
def sums_kernel(x, of_rows, of_columns, scanned, M: gl.constexpr, N: gl.constexpr, layout: gl.constexpr):
    m = gl.arange(0, M, gl.SliceLayout(1, layout))
    n = gl.arange(0, N, gl.SliceLayout(0, layout))
    at = m[:, None] * N + n[None, :]
    tile = gl.load(x + at)
    gl.store(of_rows + m, gl.sum(tile, 1))
    gl.store(of_columns + n, gl.reduce(tile, 0, add))
    gl.store(scanned + at, gl.associative_scan(tile, 1, add))


@pytest.mark.checked
@pytest.mark.parametrize("threads, warps", [([8, 8], [2, 2]), ([1, 64], [4, 1]), ([64, 1], [1, 4])])
def test_sums(gpu, threads, warps):
    M, N = 64, 128
    layout = gl.BlockedLayout([2, 2], threads, warps, [1, 0])
    x = formats.random("i32", M, N)
    of_rows, of_columns, scanned = formats.empty("i32", M), formats.empty("i32", N), formats.empty("i32", M, N)
    sums_kernel[(1,)](x, of_rows, of_columns, scanned, M, N, layout)
    np.testing.assert_array_equal(of_rows, x.sum(1, dtype=np.int32))
    np.testing.assert_array_equal(of_columns, x.sum(0, dtype=np.int32))
    np.testing.assert_array_equal(scanned, x.cumsum(1, dtype=np.int32))


@gluon.jit
def product_kernel(
    a, b, c, K, M: gl.constexpr, N: gl.constexpr, BK: gl.constexpr, blocked: gl.constexpr, matrix: gl.constexpr, WIDTH: gl.constexpr
):
    """A product by matrix instructions: operands go through shared memory, two tiles at a time."""
    of_left: gl.constexpr = gl.DotOperandLayout(0, matrix, WIDTH)
    of_right: gl.constexpr = gl.DotOperandLayout(1, matrix, WIDTH)
    shared: gl.constexpr = gl.SwizzledSharedLayout(8, 1, 8, order=[1, 0])
    lefts = gl.allocate_shared_memory(a.dtype.element_ty, [2, M, BK], shared)
    rights = gl.allocate_shared_memory(b.dtype.element_ty, [2, BK, N], shared)
    m = gl.arange(0, M, gl.SliceLayout(1, blocked))
    n = gl.arange(0, N, gl.SliceLayout(0, blocked))
    k = gl.arange(0, BK, gl.SliceLayout(0, blocked))
    rows = gl.arange(0, BK, gl.SliceLayout(1, blocked))
    total = gl.zeros([M, N], gl.float32, matrix)
    for step in range(0, K // BK):
        left = cdna3.buffer_load(a, m[:, None] * K + (step * BK + k)[None, :])
        right = cdna3.buffer_load(b, (step * BK + rows)[:, None] * N + n[None, :])
        lefts.index(step % 2).store(left)
        rights.index(step % 2).store(right)
        x = lefts.index(step % 2).load(of_left)
        y = rights.index(step % 2).load(of_right)
        total = cdna3.mfma(x, y, total)
    result = gl.convert_layout(total, blocked)
    cdna3.buffer_store(result, c, m[:, None] * N + n[None, :])


@pytest.mark.checked
@pytest.mark.parametrize("kind, shape, width", [("fp16", [16, 16, 16], 4), ("bf16", [32, 32, 8], 4), ("fp16", [32, 32, 8], 8)])
@pytest.mark.parametrize("transposed", [False, True])
def test_products_with_layouts_of_matrix_instructions(gpu, kind, shape, width, transposed):
    if gpu.chip == "gfx906":
        pytest.skip("the chip has no matrix instructions")
    version = {"gfx90a": 2, "gfx942": 3}[gpu.chip]
    M, N, K = 64, 64, 96
    matrix = gl.amd.AMDMFMALayout(version, shape, transposed, [2, 2])
    blocked = gl.BlockedLayout([1, 8], [16, 4], [4, 1], [1, 0])
    a, b = formats.random(kind, M, K), formats.random(kind, K, N, seed=2)
    c = formats.empty("fp32", M, N)
    compiled = product_kernel[(1,)](a, b, c, K, M, N, 32, blocked, matrix, width)
    assert f"v_mfma_f32_{shape[0]}x{shape[0]}x" in compiled.asm["amdgcn"]
    exact = formats.values(a).astype(np.float64) @ formats.values(b).astype(np.float64)
    np.testing.assert_allclose(c, exact, rtol=1e-4, atol=1e-4)


@gluon.jit
def lanes_kernel(a, b, c, M: gl.constexpr, N: gl.constexpr, K: gl.constexpr, layout: gl.constexpr):
    left: gl.constexpr = gl.DotOperandLayout(0, layout, 0)
    right: gl.constexpr = gl.DotOperandLayout(1, layout, 0)
    m = gl.arange(0, M, gl.SliceLayout(1, left))
    k = gl.arange(0, K, gl.SliceLayout(0, left))
    x = gl.load(a + m[:, None] * K + k[None, :])
    rows = gl.arange(0, K, gl.SliceLayout(1, right))
    columns = gl.arange(0, N, gl.SliceLayout(0, right))
    y = gl.load(b + rows[:, None] * N + columns[None, :])
    total = gl.dot_fma(x, y, gl.zeros([M, N], gl.float32, layout))
    m = gl.arange(0, M, gl.SliceLayout(1, layout))
    n = gl.arange(0, N, gl.SliceLayout(0, layout))
    gl.store(c + m[:, None] * N + n[None, :], total)


@pytest.mark.checked
def test_products_without_matrix_instructions(gpu):
    layout = gl.BlockedLayout([2, 2], [8, 8], [2, 2], [1, 0])
    a, b = formats.random("fp32", 32, 16), formats.random("fp32", 16, 32, seed=2)
    c = formats.empty("fp32", 32, 32)
    lanes_kernel[(1,)](a, b, c, 32, 32, 16, layout)
    np.testing.assert_allclose(c, a.astype(np.float64) @ b, rtol=1e-5, atol=1e-5)


@gluon.jit
def atomics_kernel(x, cells, out, N: gl.constexpr, layout: gl.constexpr):
    at = gl.arange(0, N, layout=layout)
    number = cdna3.buffer_load(x, at, at % 3 != 0, other=5)
    cdna3.buffer_atomic_add(cells, at % 8, number.to(gl.uint32, bitcast=True), mask=at < 100)
    cdna3.buffer_store(number, out, at, mask=at % 2 == 0)


@pytest.mark.checked
def test_buffer_accesses_and_atomics(gpu):
    if gpu.chip == "gfx906":
        pytest.skip("the operations are those of CDNA 3")
    x = np.random.default_rng(1).integers(0, 100, 256, dtype=np.int32)
    cells, out = np.zeros(8, np.uint32), np.full(256, -1, np.int32)
    atomics_kernel[(1,)](x, cells, out, 256, gl.BlockedLayout([1], [64], [4], [0]))
    at = np.arange(256)
    number = np.where(at % 3 != 0, x, 5)
    assert cells.tolist() == [number[(at < 100) & (at % 8 == cell)].sum() for cell in range(8)]
    np.testing.assert_array_equal(out, np.where(at % 2 == 0, number, -1))


@gluon.jit
def gather_kernel(x, index, out, scattered, N: gl.constexpr, layout: gl.constexpr, shared: gl.constexpr):
    at = gl.arange(0, N, layout=layout)
    memory = gl.allocate_shared_memory(x.dtype.element_ty, [N], shared)
    memory.store(gl.load(x + at))
    where = gl.load(index + at)
    found = memory.gather(where, 0)
    gl.store(out + at, found)
    gl.barrier()
    memory.scatter(found * 2, where, 0)
    gl.store(scattered + at, memory.load(layout))


@pytest.mark.checked
def test_shared_memory_is_indexed(gpu):
    x, index = formats.random("i32", 256), np.random.default_rng(1).permutation(256).astype(np.int32)
    out, scattered = formats.empty("i32", 256), formats.empty("i32", 256)
    layout = gl.BlockedLayout([1], [64], [4], [0])
    gather_kernel[(1,)](x, index, out, scattered, 256, layout, gl.SwizzledSharedLayout(1, 1, 1, order=[0]))
    np.testing.assert_array_equal(out, x[index])
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(scattered, x * np.int32(2))
