"""Kernels that work along rows: vectors, softmax, layer norm and its gradients, random numbers and dropout."""

import numpy as np
import pytest

from . import formats

triton = pytest.importorskip("triton", minversion="3.9", reason="SKIP Triton: version 3.9 is not installed")

import triton.language as tl  # noqa: E402


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, at < n) + tl.load(y + at, at < n), at < n)


@pytest.mark.checked
@pytest.mark.parametrize("n", [1, 63, 1024, 6159])
def test_vectors(gpu, n):
    x, y = formats.random("fp32", n), formats.random("fp32", n, seed=2)
    out = np.full(n + 8, 7, np.float32)
    add_kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, y, out, n, BLOCK=1024)
    assert (out[:n] == x + y).all() and (out[n:] == 7).all()


@triton.jit
def softmax_kernel(out, x, out_stride, x_stride, rows, columns, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    at = tl.arange(0, BLOCK)
    # Programs take several rows each.
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0), num_stages=STAGES):
        numbers = tl.load(x + row * x_stride + at, at < columns, other=-float("inf")).to(tl.float32)
        above = tl.exp(numbers - tl.max(numbers, axis=0))
        tl.store(out + row * out_stride + at, above / tl.sum(above, axis=0), at < columns)


@pytest.mark.checked
@pytest.mark.parametrize("kind", ["fp32", "fp16", "bf16"])
@pytest.mark.parametrize("columns, warps, stages", [(781, 8, 2), (5, 1, 1), (1024, 4, 3)])
def test_softmax(gpu, kind, columns, warps, stages):
    x = formats.random(kind, 23, columns)
    out = formats.empty(kind, 23, columns)
    softmax_kernel[(4,)](out, x, columns, columns, 23, columns, triton.next_power_of_2(columns), stages, num_warps=warps)
    exact = formats.values(x).astype(np.float64)
    exact = np.exp(exact - exact.max(1, keepdims=True))
    exact /= exact.sum(1, keepdims=True)
    # Results below the normal range of fp16 have an absolute error.
    tolerance = max(4e-6, formats.precision(kind))
    np.testing.assert_allclose(formats.values(out).astype(np.float64), exact, rtol=tolerance, atol=6e-8)


@triton.jit
def norm_kernel(x, y, weight, bias, means, scales, columns, epsilon, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], tl.float32)
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        total += tl.load(x + row * columns + at, at < columns, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0) / columns
    squares = tl.zeros([BLOCK], tl.float32)
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        number = tl.load(x + row * columns + at, at < columns, other=0.0).to(tl.float32)
        distance = tl.where(at < columns, number - mean, 0.0)
        squares += distance * distance
    scale = 1 / tl.sqrt(tl.sum(squares, axis=0) / columns + epsilon)
    tl.store(means + row, mean)
    tl.store(scales + row, scale)
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        inside = at < columns
        number = tl.load(x + row * columns + at, inside, other=0.0).to(tl.float32)
        normal = (number - mean) * scale
        tl.store(y + row * columns + at, normal * tl.load(weight + at, inside) + tl.load(bias + at, inside), inside)


@triton.jit
def norm_gradient_kernel(
    dx, dy, dweight, dbias, x, weight, means, scales, locks, counts, columns, GROUPS: tl.constexpr, BLOCK: tl.constexpr
):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    number = tl.load(x + row * columns + at, inside, other=0.0).to(tl.float32)
    above = tl.load(dy + row * columns + at, inside, other=0.0).to(tl.float32)
    factor = tl.load(weight + at, inside, other=0.0).to(tl.float32)
    scale = tl.load(scales + row)
    normal = tl.where(inside, (number - tl.load(means + row)) * scale, 0.0)
    weighted = factor * above
    along = tl.sum(normal * weighted, axis=0) / columns
    mean = tl.sum(weighted, axis=0) / columns
    tl.store(dx + row * columns + at, (weighted - (normal * along + mean)) * scale, inside)
    # Rows of a group share a sum, one at a time.
    group = row % GROUPS
    while tl.atomic_cas(locks + group, 0, 1) == 1:
        pass
    dweights = above * normal
    dbiases = above
    if tl.load(counts + group) == 0:
        tl.atomic_xchg(counts + group, 1)
    else:
        dweights += tl.load(dweight + group * columns + at, inside, other=0.0)
        dbiases += tl.load(dbias + group * columns + at, inside, other=0.0)
    tl.store(dweight + group * columns + at, dweights, inside)
    tl.store(dbias + group * columns + at, dbiases, inside)
    # All of the program's stores are to be made before the lock is free.
    tl.debug_barrier()
    tl.atomic_xchg(locks + group, 0)


@triton.jit
def column_sums_kernel(out, x, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    column = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    total = tl.zeros([ROWS, COLUMNS], tl.float32)
    for start in range(0, rows, ROWS):
        row = start + tl.arange(0, ROWS)
        inside = (row[:, None] < rows) & (column[None, :] < columns)
        total += tl.load(x + row[:, None] * columns + column[None, :], inside, other=0.0)
    tl.store(out + column, tl.sum(total, axis=0), column < columns)


@pytest.mark.checked
@pytest.mark.parametrize("kind", ["fp32", "fp16"])
def test_layer_norm_and_its_gradients(gpu, kind):
    rows, columns, groups = 19, 391, 3
    x, dy = formats.random(kind, rows, columns), formats.random(kind, rows, columns, seed=2)
    weight, bias = formats.random("fp32", columns, seed=3), formats.random("fp32", columns, seed=4)
    y, dx = formats.empty(kind, rows, columns), formats.empty(kind, rows, columns)
    means, scales = formats.empty("fp32", rows), formats.empty("fp32", rows)
    norm_kernel[(rows,)](x, y, weight, bias, means, scales, columns, 1e-5, BLOCK=128)
    partial = [formats.empty("fp32", groups, columns) for _ in range(2)]
    locks, counts = np.zeros(groups, np.int32), np.zeros(groups, np.int32)
    norm_gradient_kernel[(rows,)](dx, dy, *partial, x, weight, means, scales, locks, counts, columns, groups, BLOCK=512)
    sums = [formats.empty("fp32", columns) for _ in range(2)]
    for total, part in zip(sums, partial):
        column_sums_kernel[(4,)](total, part, groups, columns, ROWS=4, COLUMNS=128)

    number, above = x.astype(np.float64), dy.astype(np.float64)
    scale = 1 / np.sqrt(number.var(1, keepdims=True) + 1e-5)
    normal = (number - number.mean(1, keepdims=True)) * scale
    weighted = above * weight
    gradient = (weighted - normal * (normal * weighted).mean(1, keepdims=True) - weighted.mean(1, keepdims=True)) * scale
    # An error of a rounding, and those of sums of differences.
    close = dict(rtol=formats.precision(kind), atol=4e-6)
    np.testing.assert_allclose(y, normal * weight + bias, **close)
    np.testing.assert_allclose(dx, gradient, **close)
    np.testing.assert_allclose(sums[0], (above * normal).sum(0), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(sums[1], above.sum(0), rtol=1e-5, atol=1e-5)
    assert (locks == 0).all() and (counts == 1).all()


def philox(seed, counter, rounds=10):
    """Philox 4x32 of Salmon and others (2011): the four words of each counter, whose upper half is zero."""
    mask = np.uint64(0xFFFFFFFF)
    shift = np.uint64(32)
    counter = np.asarray(counter).astype(np.uint64)
    words = [counter & mask, counter >> shift, np.zeros_like(counter), np.zeros_like(counter)]
    key = [seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF]
    for _ in range(rounds):
        left, right = words[0] * np.uint64(0xD2511F53), words[2] * np.uint64(0xCD9E8D57)
        words = [
            right >> shift ^ words[1] ^ np.uint64(key[0]),
            right & mask,
            left >> shift ^ words[3] ^ np.uint64(key[1]),
            left & mask,
        ]
        key = [key[0] + 0x9E3779B9 & 0xFFFFFFFF, key[1] + 0xBB67AE85 & 0xFFFFFFFF]
    return [word.astype(np.uint32) for word in words]


def uniform(word):
    """Returns numbers in [0, 1) of words, as Triton defines them: of the magnitude, with a scale that cannot round up to 1."""
    signed = word.view(np.int32)
    return np.where(signed < 0, ~signed, signed).astype(np.float32) * np.float32(4.6566127342e-10)


def test_our_philox_is_the_published_one():
    # Known answers of its authors, for a counter and a key of zeros.
    assert [int(word[0]) for word in philox(0, [0])] == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]


@triton.jit
def words_kernel(words, numbers, normals, seed, first, COUNT: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a, b, c, d = tl.randint4x(seed, first + at)
    tl.store(words + at, a)
    tl.store(words + COUNT + at, b)
    tl.store(words + 2 * COUNT + at, c)
    tl.store(words + 3 * COUNT + at, d)
    tl.store(words + 4 * COUNT + at, tl.randint(seed, first + at))
    tl.store(numbers + at, tl.rand(seed, first + at))
    tl.store(normals + at, tl.randn(seed, first + at))


@pytest.mark.checked
@pytest.mark.parametrize("seed, first", [(0, 0), (2**31 - 1, 5), (0x123456789ABCDEF, (1 << 40) + 3)])
def test_random_numbers(gpu, seed, first):
    words, numbers, normals = np.zeros((5, 512), np.uint32), np.zeros(512, np.float32), np.zeros(512, np.float32)
    words_kernel[(2,)](words, numbers, normals, seed, first, COUNT=512, BLOCK=256)
    expected = philox(seed, np.arange(first, first + 512, dtype=np.int64))
    for got, word in zip(words, expected + expected[:1]):
        assert (got == word).all()
    assert (numbers == uniform(expected[0])).all() and 0 <= numbers.min() and numbers.max() < 1
    first, second = (uniform(word).astype(np.float64) for word in expected[:2])
    exact = np.sqrt(-2 * np.log(np.maximum(first, 1e-7))) * np.cos(2 * np.pi * second)
    np.testing.assert_allclose(normals, exact, rtol=2e-5, atol=4e-6)


@triton.jit
def dropout_kernel(x, out, n, p, seed, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    number = tl.load(x + at, at < n)
    tl.store(out + at, tl.where(tl.rand(seed, at) > p, number / (1 - p), 0.0), at < n)


@pytest.mark.checked
@pytest.mark.parametrize("seed", [123, 512])
def test_dropout_by_a_seed(gpu, seed):
    x, out = formats.random("fp32", 1000), formats.empty("fp32", 1000)
    dropout_kernel[(4,)](x, out, 1000, 0.25, seed, BLOCK=256)
    kept = uniform(philox(seed, np.arange(1000))[0]) > np.float32(0.25)
    np.testing.assert_allclose(out, np.where(kept, x / np.float32(0.75), 0), rtol=2e-7)
    assert 650 < kept.sum() < 850


@triton.jit
def rows_kernel(out, x, x_rows, x_columns, out_rows, out_columns, M, N, BM: tl.constexpr, BN: tl.constexpr, HOW: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)[:, None]
    n = tl.program_id(1) * BN + tl.arange(0, BN)[None, :]
    inside = (m < M) & (n < N)
    if HOW == "scalar":
        tile = tl.load(x + m * x_rows + n * x_columns, inside, other=-3.5)
    elif HOW == "block":
        tile = tl.load(x + m * x_rows + n * x_columns, inside, other=(m * 100 + n).to(tl.float32))
    else:
        tile = tl.load(x + m * x_rows + n * x_columns, inside & ((m + n) % 3 != 0), other=float("nan"))
    tl.store(out + m * out_rows + n * out_columns, tile)


@pytest.mark.checked
@pytest.mark.parametrize("how", ["scalar", "block", "holes"])
@pytest.mark.parametrize("strides", ["rows", "columns", "apart", "backwards", "broadcast"])
def test_strides_masks_and_other_numbers(gpu, how, strides):
    M, N = 37, 53
    x = formats.random("fp32", 2 * M, 2 * N)
    view = {
        "rows": x[:M, :N],
        "columns": np.ascontiguousarray(x[:M, :N].T).T,
        "apart": x[1::2, ::2],
        # A kernel's pointer is to the first element, which is the last in memory.
        "backwards": x[:M, :N][::-1, ::-1],
        "broadcast": np.broadcast_to(x[0, :N], (M, N)),
    }[strides]
    out = formats.empty("fp32", 64, 64)
    of_rows, of_columns = (stride // 4 for stride in view.strides)
    rows_kernel[(2, 4)](out, view, of_rows, of_columns, 1, 64, M, N, BM=32, BN=16, HOW=how)
    m, n = np.indices((64, 64))
    other = {"scalar": -3.5, "block": m * 100.0 + n, "holes": np.nan}[how]
    inside = (m < M) & (n < N) & ((how != "holes") | ((m + n) % 3 != 0))
    padded = np.zeros((64, 64))
    padded[:M, :N] = view
    np.testing.assert_array_equal(out.T, np.where(inside, padded, other))
