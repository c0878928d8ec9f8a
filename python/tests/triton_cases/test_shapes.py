"""Reductions, scans, sorts, gathers, histograms, and tensors in other shapes."""

import numpy as np
import pytest

from . import formats

triton = pytest.importorskip("triton", minversion="3.9", reason="SKIP Triton: version 3.9 is not installed")

import triton.language as tl  # noqa: E402

INTEGERS = formats.SIGNED + formats.UNSIGNED
M, N = 32, 64


@triton.jit
def multiply(a, b):
    return a * b


@triton.jit
def reductions_kernel(x, out, places, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr, INTEGER: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tile = tl.load(x + at)
    SIZE: tl.constexpr = N if AXIS == 0 else M
    to = tl.arange(0, SIZE)
    tl.store(out + to, tl.sum(tile, AXIS))
    tl.store(out + SIZE + to, tl.max(tile, AXIS))
    tl.store(out + 2 * SIZE + to, tl.min(tile, AXIS))
    if INTEGER:
        tl.store(out + 3 * SIZE + to, tl.xor_sum(tile, AXIS))
        tl.store(out + 4 * SIZE + to, tl.reduce_or(tile, AXIS))
    else:
        tl.store(out + 3 * SIZE + to, tl.reduce(tile, AXIS, multiply))
    tl.store(places + to, tl.argmax(tile, AXIS))
    tl.store(places + SIZE + to, tl.argmin(tile, AXIS))
    most, place = tl.max(tile, AXIS, return_indices=True)
    tl.store(places + 2 * SIZE + to, tl.where(most == tl.max(tile, AXIS), place, -1))


@pytest.mark.checked
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("kind", INTEGERS)
def test_reductions_of_integers(gpu, kind, axis):
    x = formats.random(kind, M, N)
    # Ties: the first place counts.
    x[5], x[:, 9] = x[3], x[:, 7]
    size = N if axis == 0 else M
    out, places = formats.empty(kind, 5, size), formats.empty("i32", 3, size)
    reductions_kernel[(1,)](x, out, places, M, N, axis, True)
    expected = [x.sum(axis, dtype=x.dtype), x.max(axis), x.min(axis)]
    expected += [np.bitwise_xor.reduce(x, axis), np.bitwise_or.reduce(x, axis)]
    for got, right in zip(out, expected):
        np.testing.assert_array_equal(got, right)
    for got, right in zip(places, [x.argmax(axis), x.argmin(axis), x.argmax(axis)]):
        np.testing.assert_array_equal(got, right)


@pytest.mark.checked
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("kind", formats.FLOATS)
def test_reductions_of_floats(gpu, kind, axis):
    x = formats.random(kind, M, N)
    size = N if axis == 0 else M
    out, places = formats.empty(kind, 4, size), formats.empty("i32", 3, size)
    reductions_kernel[(1,)](x, out, places, M, N, axis, False, num_warps=8)
    exact, got = formats.values(x).astype(np.float64), formats.values(out)
    tolerance = 64 * formats.precision(kind)
    np.testing.assert_array_less(np.abs(got[0] - exact.sum(axis)), np.abs(exact).sum(axis) * tolerance)
    np.testing.assert_array_equal(got[1], exact.max(axis))
    np.testing.assert_array_equal(got[2], exact.min(axis))
    least = 1e-6 if kind == "fp16" else 0
    np.testing.assert_allclose(got[3].astype(np.float64), exact.prod(axis), rtol=tolerance, atol=least)
    for place, right in zip(places, [exact.argmax(axis), exact.argmin(axis), exact.argmax(axis)]):
        np.testing.assert_array_equal(place, right)


@triton.jit
def combine_moments(mean, squares, count, other_mean, other_squares, other_count):
    total = count + other_count
    share = other_count / total
    distance = other_mean - mean
    return mean + distance * share, squares + other_squares + distance * distance * count * share, total


@triton.jit
def later(place, value, other_place, other_value):
    # The greater place is kept, whatever is combined first.
    keep = place > other_place
    return tl.where(keep, place, other_place), tl.where(keep, value, other_value)


@triton.jit
def moments_kernel(x, out, last, whole, M: tl.constexpr, N: tl.constexpr):
    m, n = tl.arange(0, M), tl.arange(0, N)
    tile = tl.load(x + m[:, None] * N + n[None, :])
    zeros, ones = tl.zeros((M, N), tl.float32), tl.full((M, N), 1.0, tl.float32)
    mean, squares, count = tl.reduce((tile, zeros, ones), 1, combine_moments)
    tl.store(out + m, mean)
    tl.store(out + M + m, squares)
    tl.store(out + 2 * M + m, count)
    place, value = tl.reduce(((n[None, :] * 37 % N) + tl.zeros((M, N), tl.int32), tile), 1, later, keep_dims=True)
    tl.store(last + m[:, None], value)
    tl.store(whole, tl.sum(tile))
    tl.store(whole + 1, tl.max(tile))


@pytest.mark.checked
@pytest.mark.parametrize("warps", [1, 2, 4, 8, 16])
def test_reductions_by_own_functions(gpu, warps):
    x = formats.random("fp32", M, N)
    out, last, whole = formats.empty("fp32", 3, M), formats.empty("fp32", M), formats.empty("fp32", 2)
    moments_kernel[(1,)](x, out, last, whole, M, N, num_warps=warps)
    exact = x.astype(np.float64)
    np.testing.assert_allclose(out[0], exact.mean(1), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(out[1], exact.var(1) * N, rtol=1e-5)
    assert (out[2] == N).all()
    assert (last == x[:, np.argmax(np.arange(N) * 37 % N)]).all()
    np.testing.assert_allclose(whole, [exact.sum(), exact.max()], rtol=1e-5)


@triton.jit
def scans_kernel(x, out, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr, REVERSE: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tile = tl.load(x + at)
    SIZE: tl.constexpr = M * N
    tl.store(out + at, tl.cumsum(tile, AXIS, reverse=REVERSE))
    tl.store(out + SIZE + at, tl.cumprod(tile, AXIS, reverse=REVERSE))
    tl.store(out + 2 * SIZE + at, tl.associative_scan(tile, AXIS, greater, reverse=REVERSE))


@triton.jit
def greater(a, b):
    return tl.maximum(a, b)


def scanned(function, x, axis, reverse):
    if reverse:
        return np.flip(function(np.flip(x, axis), axis), axis)
    return function(x, axis)


@pytest.mark.checked
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("kind", ["i8", "i32", "i64", "u16", "fp32", "fp64"])
def test_scans(gpu, kind, axis, reverse):
    x = formats.random(kind, M, N)
    if kind in INTEGERS:
        # Powers of small odd numbers, whose products do not vanish.
        x = (x % 7) | 1
    out = formats.empty(kind, 3, M, N)
    scans_kernel[(1,)](x, out, M, N, axis, reverse)
    wide = x if kind in INTEGERS else x.astype(np.float64)
    dtype = wide.dtype
    expected = [
        scanned(lambda x, axis: np.cumsum(x, axis, dtype=dtype), wide, axis, reverse),
        scanned(lambda x, axis: np.cumprod(x, axis, dtype=dtype), wide, axis, reverse),
        scanned(np.maximum.accumulate, wide, axis, reverse),
    ]
    for number, (got, right) in enumerate(zip(out, expected)):
        if kind in INTEGERS or number == 2:
            np.testing.assert_array_equal(got, right)
        else:
            np.testing.assert_allclose(got, right, rtol=64 * formats.precision(kind), atol=64 * formats.precision(kind))


@triton.jit
def recurrence(a, b, c, d):
    return a * c, b * c + d


@triton.jit
def recurrence_kernel(a, b, out, M: tl.constexpr, N: tl.constexpr, REVERSE: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    _, state = tl.associative_scan((tl.load(a + at), tl.load(b + at)), 1, recurrence, reverse=REVERSE)
    tl.store(out + at, state)


@pytest.mark.checked
@pytest.mark.parametrize("reverse, warps", [(False, 4), (True, 4), (False, 1), (True, 8)])
def test_scans_of_several_tensors(gpu, reverse, warps):
    a, b = np.random.default_rng(1).uniform(-1, 1, (2, M, N)).astype(np.float32)
    out = formats.empty("fp32", M, N)
    recurrence_kernel[(1,)](a, b, out, M, N, reverse, num_warps=warps)
    state, right = np.zeros(M), np.zeros((M, N))
    for n in range(N)[::-1] if reverse else range(N):
        state = a[:, n].astype(np.float64) * state + b[:, n]
        right[:, n] = state
    np.testing.assert_allclose(out, right, rtol=1e-5, atol=1e-6)


@triton.jit
def sorts_kernel(x, out, most, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tile = tl.load(x + at)
    SIZE: tl.constexpr = M * N
    tl.store(out + at, tl.sort(tile))
    tl.store(out + SIZE + at, tl.sort(tile, descending=True))
    tl.store(out + 2 * SIZE + at, tl.flip(tile))
    tl.store(out + 3 * SIZE + at, tl.flip(tile, 0))
    tl.store(most + tl.arange(0, M)[:, None] * K + tl.arange(0, K)[None, :], tl.topk(tile, K))


@pytest.mark.checked
@pytest.mark.parametrize("kind", ["i8", "i16", "i32", "u32", "i64", "fp16", "bf16", "fp32"])
def test_sorts(gpu, kind):
    M, N = 4, 64
    x = formats.random(kind, M, N)
    out, most = formats.empty(kind, 4, M, N), formats.empty(kind, M, 8)
    sorts_kernel[(1,)](x, out, most, M, N, 8)
    numbers, got = formats.values(x), formats.values(out)
    ordered = np.sort(numbers)
    for result, right in zip(got, [ordered, ordered[:, ::-1], numbers[:, ::-1], numbers[::-1]]):
        np.testing.assert_array_equal(result, right)
    np.testing.assert_array_equal(formats.values(most), ordered[:, ::-1][:, :8])


@triton.jit
def shapes_kernel(x, y, out, M: tl.constexpr, N: tl.constexpr):
    m, n = tl.arange(0, M), tl.arange(0, N)
    at = m[:, None] * N + n[None, :]
    a, b = tl.load(x + at), tl.load(y + at)
    SIZE: tl.constexpr = M * N
    flat = tl.arange(0, SIZE)
    # The transpose, in two ways, and a permutation of three dimensions.
    turned = n[:, None] * M + m[None, :]
    tl.store(out + turned, tl.trans(a))
    tl.store(out + SIZE + turned, tl.permute(a, (1, 0)))
    cube = tl.reshape(a, (M, N // 4, 4))
    i, j, k = tl.arange(0, 4), tl.arange(0, M), tl.arange(0, N // 4)
    order = i[:, None, None] * SIZE // 4 + j[None, :, None] * (N // 4) + k[None, None, :]
    tl.store(out + 2 * SIZE + order, tl.permute(cube, (2, 0, 1)))
    tl.store(out + 3 * SIZE + flat, tl.reshape(a, (SIZE,)))
    tl.store(out + 4 * SIZE + flat, tl.ravel(tl.trans(a)))
    # Pairs: joined, split, interleaved.
    pair = tl.join(a, b)
    twice = at[:, :, None] * 2 + tl.arange(0, 2)[None, None, :]
    tl.store(out + 5 * SIZE + twice, pair)
    first, second = tl.split(pair)
    tl.store(out + 7 * SIZE + at, first - second)
    wide = m[:, None] * (2 * N) + tl.arange(0, 2 * N)[None, :]
    tl.store(out + 8 * SIZE + wide, tl.interleave(a, b))
    left, right = tl.split(tl.reshape(a, (M, N // 2, 2)))
    half = m[:, None] * (N // 2) + tl.arange(0, N // 2)[None, :]
    tl.store(out + 10 * SIZE + half, left + right)
    # Rows and columns spread over the tile.
    row, column = tl.load(x + n), tl.load(x + m * N)
    tl.store(out + 11 * SIZE + at, tl.broadcast_to(tl.expand_dims(row, 0), (M, N)))
    tl.store(out + 12 * SIZE + at, column[:, None] + row[None, :])
    tl.store(out + 13 * SIZE + at, tl.where((m < M // 2)[:, None], a, row[None, :]))
    tl.store(out + 14 * SIZE + tl.arange(0, 2 * N), tl.cat(row, tl.load(y + n)))


@pytest.mark.checked
@pytest.mark.parametrize("kind", ["i8", "fp16", "i32", "fp64"])
@pytest.mark.parametrize("warps", [1, 4])
def test_shapes(gpu, kind, warps):
    x, y = formats.random(kind, M, N), formats.random(kind, M, N, seed=2)
    out = formats.empty(kind, 15 * M * N)
    shapes_kernel[(1,)](x, y, out, M, N, num_warps=warps)
    with np.errstate(over="ignore"):
        expected = [x.T, x.T, x.reshape(M, N // 4, 4).transpose(2, 0, 1), x, x.T, np.stack([x, y], 2), x - y]
        expected += [np.stack([x, y], 2), x[:, ::2] + x[:, 1::2]]
        spread = [np.broadcast_to(x[0], (M, N)), x[:, :1] + x[:1], np.where(np.arange(M)[:, None] < M // 2, x, x[:1])]
    flat = np.concatenate([np.ravel(part) for part in expected])
    np.testing.assert_array_equal(out[: flat.size], flat)
    np.testing.assert_array_equal(out[11 * M * N : 14 * M * N].reshape(3, M, N), spread)
    np.testing.assert_array_equal(out[14 * M * N :][: 2 * N], np.concatenate([x[0], y[0]]))


@triton.jit
def gather_kernel(x, index, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, AXIS: tl.constexpr):
    source = tl.load(x + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    if AXIS == 0:
        at = tl.arange(0, K)[:, None] * N + tl.arange(0, N)[None, :]
    else:
        at = tl.arange(0, M)[:, None] * K + tl.arange(0, K)[None, :]
    tl.store(out + at, tl.gather(source, tl.load(index + at), AXIS))


@pytest.mark.checked
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("kind, K", [("fp32", 64), ("fp16", 16), ("i64", 128)])
def test_gathers(gpu, kind, K, axis):
    x = formats.random(kind, M, N)
    shape = (K, N) if axis == 0 else (M, K)
    index = np.random.default_rng(1).integers(0, x.shape[axis], shape, dtype=np.int32)
    out = formats.empty(kind, *shape)
    gather_kernel[(1,)](x, index, out, M, N, K, axis)
    np.testing.assert_array_equal(out, np.take_along_axis(x, index, axis))


@triton.jit
def histogram_kernel(x, out, out_masked, N: tl.constexpr, BINS: tl.constexpr):
    at = tl.arange(0, N)
    numbers = tl.load(x + at)
    tl.store(out + tl.arange(0, BINS), tl.histogram(numbers, BINS))
    tl.store(out_masked + tl.arange(0, BINS), tl.histogram(numbers, BINS, mask=at % 5 != 0))


@pytest.mark.checked
@pytest.mark.parametrize("count, bins, warps", [(1024, 16, 4), (256, 256, 8), (2048, 2, 1)])
def test_histograms(gpu, count, bins, warps):
    x = np.random.default_rng(1).integers(0, bins, count, dtype=np.int32)
    out, masked = formats.empty("i32", bins), formats.empty("i32", bins)
    histogram_kernel[(1,)](x, out, masked, count, bins, num_warps=warps)
    np.testing.assert_array_equal(out, np.bincount(x, minlength=bins))
    np.testing.assert_array_equal(masked, np.bincount(x[np.arange(count) % 5 != 0], minlength=bins))
