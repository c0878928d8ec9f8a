"""Launches of Triton's kernels: arguments, hooks, tuning, streams, threads, devices and wrong use. Without Triton, they are skipped."""

import collections
import gc

import numpy as np
import pytest

triton = pytest.importorskip("triton", reason="SKIP Triton: it is not installed")

import triton.language as tl  # noqa: E402

import wavetank as wt  # noqa: E402
import wavetank.triton  # noqa: E402

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
