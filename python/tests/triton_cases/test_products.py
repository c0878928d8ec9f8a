"""Products of matrices: all types and precisions, orders of programs, split sums, groups, descriptors, scaled blocks, options."""

import numpy as np
import pytest

from . import formats

triton = pytest.importorskip("triton", minversion="3.9", reason="SKIP Triton: version 3.9 is not installed")

import triton.language as tl  # noqa: E402
from triton.tools.tensor_descriptor import TensorDescriptor  # noqa: E402


@triton.jit
def place(number, rows, columns, GROUP: tl.constexpr):
    """Where a program's tile is: groups of rows go along the columns together."""
    in_group = GROUP * columns
    first = number // in_group * GROUP
    height = min(rows - first, GROUP)
    return first + number % in_group % height, number % in_group // height


@triton.jit
def positive(x):
    return tl.where(x >= 0, x, x * 0.5)


@triton.jit
def grouped_kernel(
    a, b, c, M, N, K, a_row, a_column, b_row, b_column,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr,
    SUM: tl.constexpr, HOW: tl.constexpr, ACTIVATION: tl.constexpr,
):  # fmt: skip
    row, column = place(tl.program_id(0), tl.cdiv(M, BM), tl.cdiv(N, BN), GROUP)
    # Rows and columns out of the matrix are others again: they are not stored.
    m = (row * BM + tl.arange(0, BM)) % M
    n = (column * BN + tl.arange(0, BN)) % N
    k = tl.arange(0, BK)
    left = a + m[:, None] * a_row + k[None, :] * a_column
    right = b + k[:, None] * b_row + n[None, :] * b_column
    total = tl.zeros((BM, BN), SUM)
    for step in range(tl.cdiv(K, BK)):
        x = tl.load(left, k[None, :] < K - step * BK, other=0.0)
        y = tl.load(right, k[:, None] < K - step * BK, other=0.0)
        total = tl.dot(x, y, total, input_precision=HOW, out_dtype=SUM)
        left += BK * a_column
        right += BK * b_row
    if ACTIVATION is not None:
        total = ACTIVATION(total)
    m = row * BM + tl.arange(0, BM)
    n = column * BN + tl.arange(0, BN)
    tl.store(c + m[:, None] * N + n[None, :], total.to(c.dtype.element_ty), (m[:, None] < M) & (n[None, :] < N))


def grouped(a, b, out, how="ieee", activation=None, tile=(32, 64, 32), **options):
    """Multiplies arrays whose elements may be in any order; ``out`` is the type of the result."""
    left, right = (argument.bits if isinstance(argument, formats.Array) else argument for argument in (a, b))
    (M, K), N = left.shape, right.shape[1]
    c = formats.empty(out, M, N)
    strides = [n // array.itemsize for array in (left, right) for n in array.strides]
    total = tl.int32 if out == "i32" else tl.float64 if out == "fp64" else tl.float32
    grid = (triton.cdiv(M, tile[0]) * triton.cdiv(N, tile[1]),)
    compiled = grouped_kernel[grid](a, b, c, M, N, K, *strides, *tile, 3, total, how, activation, **options)
    return formats.values(c), compiled.asm["amdgcn"]


def assert_product(got, a, b, bits, kind=None):
    """The error of a sum is within that of its terms' magnitudes at the precision of their products and of its type."""
    a, b = formats.values(a).astype(np.float64), formats.values(b).astype(np.float64)
    bound = (np.abs(a) @ np.abs(b)) * 2.0**-bits
    exact = a @ b
    if kind:
        bound = bound + np.abs(exact) * formats.precision(kind)
    error = np.abs(got.astype(np.float64) - exact)
    assert (error <= bound).all(), f"{(error / bound).max()} times the bound"


@pytest.mark.checked
@pytest.mark.parametrize("kind, out", [("fp32", "fp32"), ("fp16", "fp16"), ("bf16", "fp32"), ("fp16", "fp32"), ("bf16", "bf16")])
def test_grouped_products_of_floats(gpu, kind, out):
    a, b = formats.random(kind, 75, 90), formats.random(kind, 90, 131, seed=2)
    got, code = grouped(a, b, out)
    assert_product(got, a, b, 20, out if out != "fp32" else None)
    assert ("v_mfma" in code) == (gpu.chip != "gfx906")


def test_a_function_is_an_argument(gpu):
    a, b = formats.random("fp32", 64, 40), formats.random("fp32", 40, 64, seed=2)
    got, _ = grouped(a, b, "fp32", activation=positive)
    plain, _ = grouped(a, b, "fp32")
    assert (got == np.where(plain >= 0, plain, plain * np.float32(0.5))).all() and (got < 0).any()


@pytest.mark.parametrize("kind", ["fp8e4nv", "fp8e5", "fp8e4b8", "fp8e5b16"])
def test_products_of_eight_bits(gpu, kind):
    a, b = formats.random(kind, 64, 96), formats.random(kind, 96, 64, seed=2)
    got, code = grouped(a, b, "fp32", tile=(32, 32, 32))
    assert_product(got, a, b, 20)
    # The chip has instructions for those without a negative zero; others are converted first.
    if gpu.chip == "gfx942":
        assert ("_bf8_bf8" in code or "_fp8_fp8" in code) == (kind in ("fp8e4b8", "fp8e5b16"))


@pytest.mark.checked
def test_products_of_two_types_of_eight_bits(gpu):
    a, b = formats.random("fp8e4b8", 64, 64), formats.random("fp8e5b16", 64, 64, seed=2)
    got, code = grouped(a, b, "fp32", tile=(32, 32, 64))
    assert_product(got, a, b, 20)
    # The compiler may exchange the operands, for the transposed product.
    assert ("fp8_bf8" in code or "bf8_fp8" in code) == (gpu.chip == "gfx942")


@pytest.mark.checked
def test_products_of_integers_are_exact(gpu):
    a, b = formats.random("i8", 70, 100), formats.random("i8", 100, 96, seed=2)
    got, code = grouped(a, b, "i32")
    assert (got == a.astype(np.int64) @ b.astype(np.int64)).all()
    assert ("v_mfma_i32" in code) == (gpu.chip != "gfx906")


def test_products_of_doubles(gpu):
    a, b = formats.random("fp64", 40, 64), formats.random("fp64", 64, 48, seed=2)
    got, code = grouped(a, b, "fp64", tile=(16, 16, 16))
    assert_product(got, a, b, 48)


@pytest.mark.parametrize("how, bits", [("ieee", 20), ("tf32", 9), ("bf16x3", 14), ("bf16x6", 20)])
def test_precisions_of_products(gpu, how, bits):
    a, b = formats.random("fp32", 64, 64), formats.random("fp32", 64, 64, seed=2)
    if how == "tf32" and gpu.chip != "gfx942":
        with pytest.raises(Exception, match="tf32"):
            grouped(a, b, "fp32", how, tile=(32, 32, 32))
        return
    got, code = grouped(a, b, "fp32", how, tile=(32, 32, 32))
    assert_product(got, a, b, bits)
    assert ("xf32" in code) == (how == "tf32")
    if how in ("tf32", "bf16x3"):
        # It is not more exact than it says.
        assert (got != grouped(a, b, "fp32", tile=(32, 32, 32))[0]).any()


@pytest.mark.parametrize("left, right", [("n", "t"), ("t", "n"), ("t", "t")])
@pytest.mark.parametrize("kind", ["fp16", "fp32"])
def test_transposed_operands(gpu, left, right, kind):
    a = formats.random(kind, 80, 70).T if left == "t" else formats.random(kind, 70, 80)
    b = formats.random(kind, 50, 80, seed=2).T if right == "t" else formats.random(kind, 80, 50, seed=2)
    got, _ = grouped(a, b, "fp32", tile=(32, 32, 16))
    assert_product(got, a, b, 20)


OPTIONS = [
    {"num_warps": 1, "num_stages": 1},
    {"num_warps": 2, "num_stages": 2, "matrix_instr_nonkdim": 16},
    {"num_warps": 8, "num_stages": 3, "matrix_instr_nonkdim": 32},
    {"num_warps": 16, "num_stages": 2, "waves_per_eu": 2},
    {"num_warps": 4, "num_stages": 3, "kpack": 2, "matrix_instr_nonkdim": 16},
    {"num_warps": 4, "waves_per_eu": 1, "kpack": 2},
]


@pytest.mark.checked
@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: "-".join(f"{n}{v}" for n, v in options.items()))
def test_options_of_the_compiler(gpu, options):
    a, b = formats.random("fp16", 128, 160), formats.random("fp16", 160, 128, seed=2)
    got, code = grouped(a, b, "fp32", tile=(64, 64, 32), **options)
    assert_product(got, a, b, 20)
    width = options.get("matrix_instr_nonkdim")
    if width and gpu.chip != "gfx906":
        assert f"v_mfma_f32_{width}x{width}x" in code


@triton.jit
def persistent_kernel(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, FLATTEN: tl.constexpr):
    rows, columns = tl.cdiv(M, BM), tl.cdiv(N, BN)
    for tile in tl.range(tl.program_id(0), rows * columns, tl.num_programs(0), flatten=FLATTEN):
        row, column = place(tile, rows, columns, 2)
        m = row * BM + tl.arange(0, BM)
        n = column * BN + tl.arange(0, BN)
        m = tl.max_contiguous(tl.multiple_of(tl.where(m < M, m, 0), BM), BM)
        n = tl.max_contiguous(tl.multiple_of(tl.where(n < N, n, 0), BN), BN)
        total = tl.zeros((BM, BN), tl.float32)
        for step in range(tl.cdiv(K, BK)):
            k = step * BK + tl.arange(0, BK)
            x = tl.load(a + m[:, None] * K + k[None, :], k[None, :] < K, other=0.0)
            y = tl.load(b + k[:, None] * N + n[None, :], k[:, None] < K, other=0.0)
            total = tl.dot(x, y, total)
        m = row * BM + tl.arange(0, BM)
        n = column * BN + tl.arange(0, BN)
        tl.store(c + m[:, None] * N + n[None, :], total, (m[:, None] < M) & (n[None, :] < N))


@pytest.mark.parametrize("flatten", [False, True])
def test_persistent_products(gpu, flatten):
    a, b = formats.random("fp16", 128, 96), formats.random("fp16", 96, 160, seed=2)
    c = formats.empty("fp32", 128, 160)
    persistent_kernel[(3,)](a, b, c, 128, 160, 96, BM=32, BN=32, BK=32, FLATTEN=flatten)
    assert_product(c, a, b, 20)


@triton.jit
def split_kernel(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.program_id(2) * BK + tl.arange(0, BK)
    total = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK * tl.num_programs(2)):
        at = start + k
        x = tl.load(a + m[:, None] * K + at[None, :], (m[:, None] < M) & (at[None, :] < K), other=0.0)
        y = tl.load(b + at[:, None] * N + n[None, :], (at[:, None] < K) & (n[None, :] < N), other=0.0)
        total = tl.dot(x, y, total)
    inside = (m[:, None] < M) & (n[None, :] < N)
    tl.atomic_add(c + m[:, None] * N + n[None, :], total.to(c.dtype.element_ty), inside, sem="relaxed")


@pytest.mark.checked
@pytest.mark.parametrize("kind", ["fp32", "fp16"])
def test_split_sums_are_added_by_atomics(gpu, kind):
    a, b = formats.random("fp16", 50, 300), formats.random("fp16", 300, 40, seed=2)
    c = np.zeros((50, 40), formats.NUMPY[kind])
    split_kernel[(2, 2, 4)](a, b, c, 50, 40, 300, BM=32, BN=32, BK=32)
    # Each part is rounded to the type, and each of three sums.
    assert_product(c, a, b, 20 if kind == "fp32" else 9)


@triton.jit
def group_kernel(
    lefts, rights, products, sizes, groups, KIND: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):
    tile = tl.program_id(0)
    before = 0
    for group in range(groups):
        M = tl.load(sizes + 3 * group)
        N = tl.load(sizes + 3 * group + 1)
        K = tl.load(sizes + 3 * group + 2)
        columns = tl.cdiv(N, BN)
        count = tl.cdiv(M, BM) * columns
        while tile >= before and tile < before + count:
            a = tl.load(lefts + group).to(tl.pointer_type(KIND))
            b = tl.load(rights + group).to(tl.pointer_type(KIND))
            c = tl.load(products + group).to(tl.pointer_type(KIND))
            m = (tile - before) // columns * BM + tl.arange(0, BM)
            n = (tile - before) % columns * BN + tl.arange(0, BN)
            total = tl.zeros((BM, BN), tl.float32)
            for start in range(0, K, BK):
                k = start + tl.arange(0, BK)
                x = tl.load(a + m[:, None] * K + k[None, :], (m[:, None] < M) & (k[None, :] < K), other=0.0)
                y = tl.load(b + k[:, None] * N + n[None, :], (k[:, None] < K) & (n[None, :] < N), other=0.0)
                total = tl.dot(x, y, total)
            tl.store(c + m[:, None] * N + n[None, :], total.to(KIND), (m[:, None] < M) & (n[None, :] < N))
            tile += tl.num_programs(0)
        before += count


def test_groups_of_products_by_tables_of_addresses(gpu):
    sizes = np.array([(64, 64, 64), (33, 70, 50), (16, 5, 90)], np.int32)
    # Memory of the device: the kernel has its addresses from a table, not as arguments.
    lefts = [gpu.array(formats.random("fp16", m, k, seed=m)) for m, n, k in sizes]
    rights = [gpu.array(formats.random("fp16", k, n, seed=n)) for m, n, k in sizes]
    products = [gpu.zeros((m, n), np.float16) for m, n, k in sizes]
    tables = [np.array([array.address for array in arrays], np.int64) for arrays in (lefts, rights, products)]
    group_kernel[(3,)](*tables, sizes, 3, KIND=tl.float16, BM=32, BN=32, BK=32)
    for a, b, c in zip(lefts, rights, products):
        assert_product(c.numpy(), a.numpy(), b.numpy(), 20, "fp16")


@triton.jit
def described_kernel(a, b, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM
    n = tl.program_id(1) * BN
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        total = tl.dot(a.load([m, k]), b.load([n, k]).T, total)
    c.store([m, n], total.to(c.dtype))


@triton.jit
def made_kernel(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    left = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
    right = tl.make_tensor_descriptor(b, [N, K], [K, 1], [BN, BK])
    product = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BM, BN])
    described_kernel(left, right, product, K, BM, BN, BK)


@pytest.mark.checked
@pytest.mark.parametrize("host", [True, False])
def test_descriptors(gpu, host):
    M, N, K = 50, 72, 88
    a, b = formats.random("fp16", M, K), formats.random("fp16", N, K, seed=2)
    c = formats.empty("fp16", M, N)
    if host:
        # Descriptors take arrays that have an address for Triton.
        described = [
            TensorDescriptor(Described(array), list(array.shape), [array.shape[1], 1], tile)
            for array, tile in [(a, [32, 32]), (b, [32, 32]), (c, [32, 32])]
        ]
        described_kernel[(2, 3)](*described, K, BM=32, BN=32, BK=32)
    else:
        made_kernel[(2, 3)](a, b, c, M, N, K, BM=32, BN=32, BK=32)
    assert_product(c, a, b.T, 20, "fp16")


class Described:
    """An array as a descriptor takes it: with an address."""

    def __init__(self, array):
        self.array, self.dtype, self.shape = array, array.dtype, array.shape

    def data_ptr(self):
        return self.array.ctypes.data

    def numel(self):
        return self.array.size

    def element_size(self):
        return self.array.itemsize


@triton.jit
def scaled_kernel(
    a, a_scales, b, b_scales, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
    LEFT: tl.constexpr, RIGHT: tl.constexpr, LEFT_PACK: tl.constexpr, RIGHT_PACK: tl.constexpr,
):  # fmt: skip
    m, n = tl.arange(0, M), tl.arange(0, N)
    left, right = tl.arange(0, K // LEFT_PACK), tl.arange(0, K // RIGHT_PACK)
    block = tl.arange(0, K // 32)
    x = tl.load(a + m[:, None] * (K // LEFT_PACK) + left[None, :])
    y = tl.load(b + right[:, None] * N + n[None, :])
    x_scale = tl.load(a_scales + m[:, None] * (K // 32) + block[None, :])
    y_scale = tl.load(b_scales + n[:, None] * (K // 32) + block[None, :])
    total = tl.dot_scaled(x, x_scale, LEFT, y, y_scale, RIGHT)
    tl.store(c + m[:, None] * N + n[None, :], total)


def fp4(codes):
    """Returns the values of codes of four bits, E2M1: a sign, two bits of exponent with the bias 1, one bit of mantissa."""
    return np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])[codes & 7] * np.where(codes & 8, -1, 1)


def scaled_operand(kind, axis, seed):
    """Returns an operand of 64 by 64 with a scale to 32 elements along an axis: bits, scales, and the values."""
    generator = np.random.default_rng(seed)
    scales = generator.integers(122, 132, (64, 2), np.uint8)
    factor = np.repeat(2.0 ** (scales.astype(int) - 127), 32, axis=1)
    if kind == "e2m1":
        codes = generator.integers(0, 16, (64, 64), np.uint8)
        numbers = fp4(codes)
        bits = codes[:, ::2] | codes[:, 1::2] << 4
    else:
        argument = formats.random({"e4m3": "fp8e4nv", "e5m2": "fp8e5"}[kind], 64, 64, seed=seed)
        bits, numbers = argument.bits, formats.values(argument).astype(np.float64)
    if axis == 0:
        return np.ascontiguousarray(bits.T), scales, (numbers * factor).T
    return bits, scales, numbers * factor


@pytest.mark.checked
@pytest.mark.parametrize("left, right", [("e4m3", "e4m3"), ("e2m1", "e2m1"), ("e5m2", "e2m1")])
def test_scaled_blocks(gpu, left, right, capfd):
    a, a_scales, x = scaled_operand(left, 1, 1)
    b, b_scales, y = scaled_operand(right, 0, 2)
    c = np.zeros((64, 64), np.float32)
    packs = [2 if kind == "e2m1" else 1 for kind in (left, right)]
    launch = lambda: scaled_kernel[(1,)](a, a_scales, b, b_scales, c, 64, 64, 64, left, right, *packs)  # noqa: E731
    if gpu.chip == "gfx906":
        # Without matrix instructions there is no code for it.
        with pytest.raises(RuntimeError):
            launch()
        assert "Unsupported DotScaleOp" in capfd.readouterr().err
        return
    launch()
    # These chips multiply the scaled numbers as bf16, which holds them exactly.
    assert_product(c, x, y, 20)


@triton.jit
def batched_kernel(a, b, c, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    i, m, n, k = tl.arange(0, B), tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    x = tl.load(a + i[:, None, None] * M * K + m[None, :, None] * K + k[None, None, :])
    y = tl.load(b + i[:, None, None] * K * N + k[None, :, None] * N + n[None, None, :])
    tl.store(c + i[:, None, None] * M * N + m[None, :, None] * N + n[None, None, :], tl.dot(x, y))


@pytest.mark.parametrize("shape", [(4, 16, 16, 32), (2, 1, 32, 16), (2, 4, 64, 32)])
def test_batches_and_small_shapes(gpu, shape):
    B, M, N, K = shape
    a, b = formats.random("fp16", B, M, K), formats.random("fp16", B, K, N, seed=2)
    c = formats.empty("fp32", B, M, N)
    batched_kernel[(1,)](a, b, c, *shape)
    for left, right, got in zip(a, b, c):
        assert_product(got, left, right, 20)
