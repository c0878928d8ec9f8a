"""What the language has beside operations on tensors: control flow, calls, constants, arguments, grids, addresses, assembly."""

from typing import NamedTuple

import numpy as np
import pytest

from . import formats

triton = pytest.importorskip("triton", minversion="3.9", reason="SKIP Triton: version 3.9 is not installed")

import triton.language as tl  # noqa: E402

OFFSET = tl.constexpr(1000)


@triton.jit
def collatz_kernel(x, steps, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    number = tl.load(x + at, at < n, other=1)
    count = tl.zeros((BLOCK,), tl.int32)
    # The loop ends when all of the program's elements are 1.
    while tl.max(number, 0) > 1:
        more = number > 1
        number = tl.where(more, tl.where(number % 2 == 0, number // 2, 3 * number + 1), number)
        count += more.to(tl.int32)
    tl.store(steps + at, count, at < n)


def collatz(number):
    count = 0
    while number > 1:
        number = number // 2 if number % 2 == 0 else 3 * number + 1
        count += 1
    return count


@pytest.mark.checked
@pytest.mark.parametrize("warps", [1, 2, 4, 8, 16])
def test_loops_until_a_condition(gpu, warps):
    x, steps = np.arange(1, 301, dtype=np.int64), formats.empty("i32", 300)
    collatz_kernel[(3,)](x, steps, 300, BLOCK=128, num_warps=warps)
    assert steps.tolist() == [collatz(int(number)) for number in x]


@triton.jit
def branches_kernel(x, out, last, limit):
    program = tl.program_id(0)
    if program > last:
        return
    number = tl.load(x + program)
    result = 0
    if number < limit:
        if number % 2 == 0:
            if number < 0 and number != -4:
                result = 1
            else:
                result = 2
        elif number > 10 or number == 3:
            result = 3
        else:
            result = 4
            for i in range(number):
                if i == 5:
                    result += 100
                else:
                    result += i if i % 2 == 0 else -i
    else:
        while number > limit:
            number -= 7
            result += 1 if not number % 3 == 0 else 10
    tl.store(out + program, result)


def branches(number, limit):
    if number >= limit:
        result = 0
        while number > limit:
            number -= 7
            result += 1 if number % 3 else 10
        return result
    if number % 2 == 0:
        return 1 if number < 0 and number != -4 else 2
    if number > 10 or number == 3:
        return 3
    return 4 + sum(100 if i == 5 else i if i % 2 == 0 else -i for i in range(number))


@pytest.mark.checked
def test_branches_and_early_returns(gpu):
    # Even negative numbers only: C's remainder of odd ones has a sign.
    x = np.array([-8, -4, -2, 0, 1, 2, 3, 5, 7, 9, 11, 13, 50, 51, 60, 99, 100], np.int32)
    out = np.full(20, -1, np.int32)
    branches_kernel[(17,)](x, out, 15, 40)
    assert out.tolist() == [branches(int(number), 40) for number in x[:16]] + [-1] * 4


@triton.jit
def called(x, y):
    return tl.where(x > y, x * 2, y * 3)


@triton.jit(noinline=True)
def called_with_pointer(pointer, at, count):
    # A real call, whose arguments are scalars.
    total = 0
    for i in range(count):
        total += tl.load(pointer + (at + i) % 16)
    return total


@triton.jit
def two(x):
    return x + 1, x - 1


@triton.jit
def apply(function: tl.constexpr, x, times: tl.constexpr):
    for _ in tl.static_range(times):
        x = function(x)
    return x


@triton.jit
def add_seven(x):
    return x + 7


@triton.jit
def calls_kernel(x, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    number = tl.load(x + at)
    tl.store(out + at, called(number, number % 5))
    tl.store(out + BLOCK + at, called(called(number, 3), called(1, number)))
    more, less = two(number)
    tl.store(out + 2 * BLOCK + at, more * less)
    tl.store(out + 3 * BLOCK + at, apply(add_seven, number, 3))
    tl.store(out + 4 * BLOCK + tl.program_id(0), called_with_pointer(x, tl.program_id(0), 9))


@pytest.mark.checked
@pytest.mark.parametrize("warps", [1, 4])
def test_calls(gpu, warps):
    x = np.random.default_rng(1).integers(0, 100, 128, dtype=np.int32)
    out = formats.empty("i32", 5, 128)
    compiled = calls_kernel[(3,)](x, out, BLOCK=128, num_warps=warps)
    assert "s_swappc_b64" in compiled.asm["amdgcn"]
    call = lambda x, y: np.where(x > y, x * 2, y * 3)  # noqa: E731
    expected = [call(x, x % 5), call(call(x, 3), call(1, x)), (x + 1) * (x - 1), x + 21]
    np.testing.assert_array_equal(out[:4], expected)
    assert out[4, :3].tolist() == [x[at : at + 9].sum() for at in range(3)]


@triton.constexpr_function
def powers(count):
    return [2**i for i in range(count)]


@triton.jit
def constants_kernel(out, SIZE: tl.constexpr, NAMES: tl.constexpr, FLAG: tl.constexpr, BLOCK: tl.constexpr):
    HALF: tl.constexpr = SIZE // 2 if FLAG else SIZE
    tl.static_assert(HALF * 2 >= SIZE, "half is too small")
    tl.static_assert(BLOCK % 4 == 0 and (not FLAG or SIZE > 3))
    at = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.int32)
    for i in tl.static_range(0, SIZE, 3):
        # The bound is known: this is no loop.
        if i % 2 == 0:
            total += i * at
        else:
            total -= i
    for power in tl.static_range(4):
        total += powers(4)[power]
    tl.store(out + at, total)
    tl.store(out + BLOCK + at, at + HALF * len(NAMES) + (SIZE ** 2 << 1) - ~SIZE + OFFSET)
    if NAMES[0] == "first":
        tl.store(out + 2 * BLOCK + at, NAMES[1] + at)


@pytest.mark.parametrize("flag", [True, False])
def test_constants(gpu, flag):
    out = formats.empty("i32", 3, 64)
    constants_kernel[(1,)](out, 10, ("first", 5), flag, BLOCK=64)
    at = np.arange(64)
    np.testing.assert_array_equal(out[0], 6 * at - 3 - 9 + 15)
    np.testing.assert_array_equal(out[1], at + 2 * (5 if flag else 10) + 200 + 11 + 1000)
    np.testing.assert_array_equal(out[2], at + 5)


def test_an_assertion_of_constants_is_a_sentence(gpu):
    with pytest.raises(triton.CompilationError, match="half is too small"):
        constants_kernel[(1,)](formats.empty("i32", 3, 64), -4, ("first", 5), True, BLOCK=64)


class Pair(NamedTuple):
    left: object
    right: object


@triton.jit
def tuples_kernel(arrays, numbers, pair, outs, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for i in tl.static_range(len(arrays)):
        total += tl.load(arrays[i] + at) * numbers[i]
    tl.store(outs[0] + at, total + pair.right)
    inner = outs[1]
    tl.store(inner[0] + at, tl.load(pair.left + at) + (numbers[2] is None))


@pytest.mark.checked
def test_tuples_are_arguments(gpu):
    arrays = tuple(formats.random("fp32", 64, seed=seed) for seed in range(2))
    outs = (formats.empty("fp32", 64), (formats.empty("i32", 64),))
    left = np.arange(64, dtype=np.int32)
    # A number of 1 and None are constants of the code.
    tuples_kernel[(1,)](arrays, (1, 2.5, None), Pair(left, 4), outs, BLOCK=64)
    np.testing.assert_allclose(outs[0], arrays[0] + arrays[1] * np.float32(2.5) + 4, rtol=1e-6, atol=1e-6)
    assert (outs[1][0] == left + 1).all()


@triton.jit
def optional_kernel(x, bias, mask, out, scale=2.0, BLOCK: tl.constexpr = 64):
    at = tl.arange(0, BLOCK)
    number = tl.load(x + at, mask=None)
    if bias is not None:
        number += tl.load(bias + at)
    if mask is None:
        tl.store(out + at, number * scale)
    else:
        tl.store(out + at, number * scale, tl.load(mask + at))


@pytest.mark.checked
@pytest.mark.parametrize("bias, mask", [(False, False), (True, False), (False, True), (True, True)])
def test_none_and_defaults(gpu, bias, mask):
    x, b = formats.random("fp32", 64), formats.random("fp32", 64, seed=2)
    m = formats.random("i1", 64)
    out = np.full(64, 9, np.float32)
    optional_kernel[(1,)](x, b if bias else None, m if mask else None, out)
    expected = (x + b if bias else x) * 2
    np.testing.assert_array_equal(out, np.where(m, expected, 9) if mask else expected)


@triton.jit
def far_kernel(x, out, stride, first, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK).to(tl.int64)
    # Products of these are beyond 32 bits on the way, and within the array at last.
    far = first + at * stride
    tl.store(out + at, tl.load(x + (far - first) // (stride // 4)))
    tl.store(out + BLOCK + at, (far >> 32).to(tl.int32))


@pytest.mark.checked
def test_indices_of_64_bits(gpu):
    x, out = np.arange(400, dtype=np.int32), formats.empty("i32", 2, 64)
    stride, first = 4 << 33, (1 << 40) + 12345
    far_kernel[(1,)](x, out, stride, first, BLOCK=64)
    at = np.arange(64, dtype=np.int64)
    assert (out[0] == 4 * at).all() and (out[1] == first + at * stride >> 32).all()


@triton.jit
def wide_kernel(x, out, row_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    tl.store(out + row * BLOCK + at, tl.load(x + row * row_stride + at))


def test_arrays_beyond_2_gb(gpu):
    # Only the pages that are accessed are there.
    big = np.zeros(3 << 30, np.uint8)
    stride = (1 << 31) + 4096
    for row in range(2):
        big[row * stride : row * stride + 64] = np.arange(64) + row
    last = big[(3 << 30) - 64 :]
    last[:] = 7
    out = formats.empty("u8", 2, 64)
    wide_kernel[(2,)](big, out, stride, BLOCK=64)
    np.testing.assert_array_equal(out, np.arange(64) + np.arange(2)[:, None])
    at_the_end = formats.empty("u8", 2, 64)
    wide_kernel[(2,)](big, at_the_end, (3 << 30) - 64, BLOCK=64)
    assert (at_the_end[1] == 7).all()


@triton.jit
def grid_kernel(out, sizes):
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(axis=2)
    at = (z * tl.num_programs(1) + y) * tl.num_programs(0) + x
    tl.atomic_add(out + at, 1 + x + 10 * y + 100 * z)
    if at == 0:
        tl.store(sizes, tl.num_programs(0))
        tl.store(sizes + 1, tl.num_programs(1))
        tl.store(sizes + 2, tl.num_programs(2))


@pytest.mark.checked
@pytest.mark.parametrize("grid", [(5,), (5, 3), (2, 3, 4), (1, 1, 7), (300, 1, 2)])
def test_grids(gpu, grid):
    full = (*grid, 1, 1)[:3]
    out, sizes = np.zeros(full[::-1], np.int32), np.zeros(3, np.int32)
    grid_kernel[lambda meta: grid](out, sizes)
    z, y, x = np.indices(full[::-1])
    assert (out == 1 + x + 10 * y + 100 * z).all() and sizes.tolist() == list(full)


@triton.jit
def assembly_kernel(x, y, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    a, b = tl.load(x + at), tl.load(y + at)
    bits = tl.inline_asm_elementwise("v_bfrev_b32 $0, $1", "=v,v", [a], dtype=tl.int32, is_pure=True, pack=1)
    tl.store(out + at, bits)
    # One statement has two results.
    total, least = tl.inline_asm_elementwise(
        """
        v_add_u32 $0, $2, $3
        v_min_i32 $1, $2, $3
        """,
        "=&v,=&v,v,v",
        [a, b],
        dtype=(tl.int32, tl.int32),
        is_pure=True,
        pack=1,
    )
    tl.store(out + BLOCK + at, total)
    tl.store(out + 2 * BLOCK + at, least)


@pytest.mark.checked
def test_inline_assembly(gpu):
    x, y = formats.random("i32", 256), formats.random("i32", 256, seed=2)
    out = formats.empty("i32", 3, 256)
    compiled = assembly_kernel[(1,)](x, y, out, BLOCK=256)
    assert "v_bfrev_b32" in compiled.asm["amdgcn"]
    turned = [int(f"{int(number) % 2**32:032b}"[::-1], 2) for number in x]
    np.testing.assert_array_equal(out[0].view(np.uint32), turned)
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(out[1], x + y)
    np.testing.assert_array_equal(out[2], np.minimum(x, y))


@triton.jit
def sign_of(a, b):
    if a < b:
        return -1
    elif a > b:
        return 1
    else:
        return 0


@triton.jit
def mapped_kernel(x, y, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.map_elementwise(sign_of, tl.load(x + at), tl.load(y + at)))


@pytest.mark.checked
def test_functions_of_scalars_are_mapped(gpu):
    x, y = formats.random("i32", 256), formats.random("i32", 256, seed=2)
    y[::3] = x[::3]
    out = formats.empty("i32", 256)
    mapped_kernel[(1,)](x, y, out, BLOCK=256)
    np.testing.assert_array_equal(out, np.where(x < y, -1, np.where(x > y, 1, 0)))


@triton.jit
def pipelined_kernel(x, out, count, BLOCK: tl.constexpr, STAGES: tl.constexpr, UNROLL: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.assume(count > 0)
    total = tl.zeros((BLOCK,), tl.float32)
    for i in tl.range(0, count, num_stages=STAGES, loop_unroll_factor=UNROLL):
        total += tl.load(x + i * BLOCK + at, cache_modifier=".cg", eviction_policy="evict_first")
    tl.store(out + at, total, cache_modifier=".wt")
    tl.store(out + BLOCK + at, tl.load(x + at, volatile=True))


@pytest.mark.checked
@pytest.mark.parametrize("stages, unroll", [(1, 1), (2, 1), (3, 4)])
def test_loops_with_hints(gpu, stages, unroll):
    x = np.random.default_rng(1).integers(0, 100, (11, 128)).astype(np.float32)
    out = formats.empty("fp32", 2, 128)
    pipelined_kernel[(1,)](x, out, 11, 128, stages, unroll)
    np.testing.assert_array_equal(out, [x.sum(0), x[0]])


@triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
@triton.jit
def heuristic_kernel(x, out, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if EVEN:
        tl.store(out + at, tl.load(x + at) + 1)
    else:
        tl.store(out + at, tl.load(x + at, at < n) + 2, at < n)


@pytest.mark.checked
@pytest.mark.parametrize("n", [256, 200])
def test_heuristics(gpu, n):
    x, out = np.arange(n, dtype=np.float32), formats.empty("fp32", n)
    heuristic_kernel[(triton.cdiv(n, 64),)](x, out, n, BLOCK=64)
    np.testing.assert_array_equal(out, x + (1 if n == 256 else 2))


@triton.jit
def scalars_kernel(out, integer, wide, real, flag, BLOCK: tl.constexpr):
    # The values are in registers of the wave, and spread over elements.
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.full((BLOCK,), integer, tl.float64))
    tl.store(out + BLOCK + at, wide.to(tl.float64) + at)
    tl.store(out + 2 * BLOCK + at, real * 2.0)
    tl.store(out + 3 * BLOCK + at, tl.where(flag, 3.0, 4.0))


@pytest.mark.checked
@pytest.mark.parametrize(
    "integer, wide, real, flag", [(1, 1 << 40, 0.5, True), (16, -(1 << 50), -1.25, False), (-(2**31), 2**63 - 1024, 3.0, True)]
)
def test_scalars(gpu, integer, wide, real, flag):
    out = formats.empty("fp64", 4, 64)
    scalars_kernel[(1,)](out, integer, wide, real, flag, BLOCK=64)
    expected = [np.full(64, integer), float(wide) + np.arange(64), np.full(64, real * 2), np.full(64, 3.0 if flag else 4.0)]
    np.testing.assert_array_equal(out, expected)
