"""What remains of the standard library: descriptors of more forms, ordered loads and stores, orders of programs, more numbers."""

import numpy as np
import pytest

from . import formats

triton = pytest.importorskip("triton", minversion="3.9", reason="SKIP Triton: version 3.9 is not installed")

import triton.language as tl  # noqa: E402

from . import test_rows  # noqa: E402


@triton.jit
def cube_kernel(x, out, A, B, C, BA: tl.constexpr, BB: tl.constexpr, BC: tl.constexpr, PADDING: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [A, B, C], [B * C, C, 1], [BA, BB, BC], padding_option=PADDING)
    a, b, c = tl.program_id(0) * BA, tl.program_id(1) * BB, tl.program_id(2) * BC
    tile = source.load([a, b, c])
    # All of the tile is stored: what is beyond the array is seen.
    i = a + tl.arange(0, BA)[:, None, None]
    j = b + tl.arange(0, BB)[None, :, None]
    k = c + tl.arange(0, BC)[None, None, :]
    width: tl.constexpr = 4 * BC
    tl.store(out + (i * (2 * BB) + j) * width + k, tile)


@pytest.mark.checked
@pytest.mark.parametrize("padding", ["zero", "nan"])
def test_descriptors_of_three_dimensions(gpu, padding):
    x, out = formats.random("fp32", 3, 5, 52), formats.empty("fp32", 4, 8, 64)
    cube_kernel[(2, 2, 4)](x, out, 3, 5, 52, 2, 4, 16, padding)
    right = np.full((4, 8, 64), np.nan if padding == "nan" else 0, np.float32)
    right[:3, :5, :52] = x
    np.testing.assert_array_equal(out, right)


@triton.jit
def rows_kernel(x, index, out, total, M, N, COUNT: tl.constexpr, BN: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [M, N], [N, 1], [1, BN])
    target = tl.make_tensor_descriptor(out, [M, N], [N, 1], [1, BN])
    sums = tl.make_tensor_descriptor(total, [COUNT, BN], [BN, 1], [COUNT, BN])
    rows = tl.load(index + tl.arange(0, COUNT))
    column = tl.program_id(0) * BN
    tile = source.gather(rows, column)
    target.scatter(tile * 2, rows, column)
    sums.atomic_add([0, 0], tile)


@pytest.mark.checked
def test_descriptors_take_rows_by_index(gpu):
    M, N = 40, 48
    x, out = np.random.default_rng(1).integers(0, 9, (M, N)).astype(np.float32), np.zeros((M, N), np.float32)
    index = np.random.default_rng(2).permutation(M)[:16].astype(np.int32)
    total = np.zeros((16, 16), np.float32)
    rows_kernel[(3,)](x, index, out, total, M, N, COUNT=16, BN=16)
    right = np.zeros((M, N), np.float32)
    right[index] = 2 * x[index]
    np.testing.assert_array_equal(out, right)
    np.testing.assert_array_equal(total, x[index].reshape(16, 3, 16).sum(1))


@triton.jit
def message_kernel(flags, message, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    program = tl.program_id(0)
    if program > 0:
        # The message is there after the program before has said so.
        while tl.atomic_load(flags + program - 1, sem="acquire", scope="gpu") == 0:
            pass
        number = tl.load(message + (program - 1) * BLOCK + at)
    else:
        number = at
    tl.store(message + program * BLOCK + at, number + 1)
    tl.debug_barrier()
    tl.atomic_store(flags + program, 1, sem="release", scope="gpu")
    if program == tl.num_programs(0) - 1:
        tl.store(out + at, number + 1)


# With checks, loads of gfx942 for the scope of the chip (sc1) do not count as ordered, as those of others (glc) do.
@pytest.mark.checked
def test_programs_pass_a_message_on(gpu):
    flags, message, out = np.zeros(6, np.int32), np.zeros(6 * 128, np.int32), np.zeros(128, np.int32)
    message_kernel[(6,)](flags, message, out, BLOCK=128)
    np.testing.assert_array_equal(out, np.arange(128) + 6)


@triton.jit
def library_kernel(x, out, places, M: tl.constexpr, N: tl.constexpr):
    m, n = tl.arange(0, M), tl.arange(0, N)
    at = m[:, None] * N + n[None, :]
    tile = tl.load(x + at)
    tl.store(out + at, tl.softmax(tile, 1))
    tl.store(out + M * N + at, tl.sigmoid(tile) + tl.zeros_like(tile))
    # Two halves in order, of which the second is turned, are one sequence of the merge.
    left = tl.sort(tl.load(x + n))
    right = tl.sort(tl.load(x + N + n), descending=True)
    both = tl.reshape(tl.permute(tl.join(left, right), (1, 0)), (2 * N,))
    tl.store(out + 2 * M * N + tl.arange(0, 2 * N), tl.bitonic_merge(both))
    spread = tl.unsqueeze(tile, 1)
    tl.store(out + 3 * M * N + at, tl.squeeze(spread, 1) * 2)
    i, j = tl.swizzle2d(m[:, None], n[None, :], M, N, 4)
    tl.store(places + at, i * N + j)


def swizzled(i, j, rows, columns, group):
    """Where element i, j of a tile in the order of rows is, when groups of rows go down their columns together."""
    number = i * columns + j
    first = number // (group * columns) * group
    height = min(rows - first, group)
    number %= group * columns
    return first + number % height, number // height


@pytest.mark.checked
def test_the_standard_library(gpu):
    M, N = 8, 32
    x = formats.random("fp32", M, N)
    out, places = formats.empty("fp32", 4, M, N), formats.empty("i32", M, N)
    library_kernel[(1,)](x, out, places, M, N)
    exact = x.astype(np.float64)
    above = np.exp(exact)
    np.testing.assert_allclose(out[0], above / above.sum(1, keepdims=True), rtol=4e-6)
    np.testing.assert_allclose(out[1], 1 / (1 + np.exp(-exact)), rtol=4e-6)
    np.testing.assert_array_equal(out[2].reshape(-1)[: 2 * N], np.sort(x[:2].reshape(-1)))
    np.testing.assert_array_equal(out[3], 2 * x)
    right = [[row * N + column for row, column in (swizzled(i, j, M, N, 4) for j in range(N))] for i in range(M)]
    np.testing.assert_array_equal(places, right)


@triton.jit
def four_kernel(numbers, normals, words, seed, N: tl.constexpr):
    at = tl.arange(0, N)
    a, b, c, d = tl.rand4x(seed, at)
    tl.store(numbers + at, a)
    tl.store(numbers + N + at, b)
    tl.store(numbers + 2 * N + at, c)
    tl.store(numbers + 3 * N + at, d)
    a, b, c, d = tl.randn4x(seed, at)
    tl.store(normals + at, a)
    tl.store(normals + N + at, b)
    tl.store(normals + 2 * N + at, c)
    tl.store(normals + 3 * N + at, d)
    tl.store(words + at, tl.randint(seed, at, 7))


@pytest.mark.checked
def test_four_random_numbers_at_once(gpu):
    N, seed = 256, 987654321
    numbers, normals, words = formats.empty("fp32", 4, N), formats.empty("fp32", 4, N), formats.empty("u32", N)
    four_kernel[(1,)](numbers, normals, words, seed, N)
    expected = test_rows.philox(seed, np.arange(N))
    uniform = [test_rows.uniform(word) for word in expected]
    np.testing.assert_array_equal(numbers, uniform)
    a, b, c, d = (number.astype(np.float64) for number in uniform)
    for one, other, pair in [(a, b, normals[:2]), (c, d, normals[2:])]:
        length, angle = np.sqrt(-2 * np.log(np.maximum(one, 1e-7))), 2 * np.pi * other
        np.testing.assert_allclose(pair, [length * np.cos(angle), length * np.sin(angle)], rtol=2e-5, atol=4e-6)
    # The number of rounds is a choice.
    np.testing.assert_array_equal(words, test_rows.philox(seed, np.arange(N), 7)[0])
