"""Conversions between all types, their rounding, and the same bits as another type."""

import numpy as np
import pytest

from . import formats

triton = pytest.importorskip("triton", minversion="3.9", reason="SKIP Triton: version 3.9 is not installed")

import triton.language as tl  # noqa: E402

N = 1024
INTEGERS = formats.SIGNED + formats.UNSIGNED
EIGHT = list(formats.EIGHT_BITS)


@triton.jit
def to_all_kernel(x, outs, N: tl.constexpr, COUNT: tl.constexpr):
    at = tl.arange(0, N)
    number = tl.load(x + at)
    for i in tl.static_range(COUNT):
        tl.store(outs[i] + at, number.to(outs[i].dtype.element_ty))


def converted(x, kinds):
    """Returns the numbers of an argument in each of the types, by the kernel above."""
    outs = tuple(formats.empty(kind, N) for kind in kinds)
    to_all_kernel[(1,)](x, outs, N, len(kinds))
    return dict(zip(kinds, outs))


@pytest.mark.checked
@pytest.mark.parametrize("kind", ["i1", *INTEGERS])
def test_integers_are_converted(gpu, kind):
    x = formats.random(kind, N)
    outs = converted(x, ["i1", *INTEGERS, *formats.FLOATS])
    for other in ["i1", *INTEGERS]:
        np.testing.assert_array_equal(outs[other], x.astype(formats.NUMPY[other]), other)
    for other in formats.FLOATS:
        # NumPy would round them twice, to doubles and to the type.
        exact = formats.array(other, nearest(x, other))
        np.testing.assert_array_equal(formats.values(outs[other]), formats.values(exact), other)


def nearest(numbers, kind):
    """Returns integers rounded to the precision of a type of floats, ties to even, as doubles."""
    bits = {"fp16": 11, "bf16": 8, "fp32": 24, "fp64": 53}[kind]
    result = []
    for number in numbers:
        number = int(number)
        shift = max(0, abs(number).bit_length() - bits)
        low, half = abs(number) & ((1 << shift) - 1), 1 << shift >> 1
        kept = abs(number) >> shift
        if shift and (low > half or (low == half and kept & 1)):
            kept += 1
        result.append(float(kept << shift) * (-1 if number < 0 else 1))
    return np.array(result)


def all_floats(kind, limit):
    """Returns floats of a type that has not more magnitude than the limit: random ones, small ones and ends of a range."""
    generator = np.random.default_rng(3)
    numbers = generator.uniform(-1, 1, N) * 2.0 ** generator.uniform(-12, np.log2(limit), N)
    numbers = np.clip(numbers, -limit, limit)
    numbers[:12] = [0.0, -0.0, 0.5, -0.5, 0.999, -0.999, 1.0, -1.0, 1.5, -1.5, 2.5, -2.5]
    return formats.array(kind, numbers)


@pytest.mark.checked
@pytest.mark.parametrize("kind", formats.FLOATS)
def test_floats_become_integers_towards_zero(gpu, kind):
    for other in ["i1", *INTEGERS]:
        bits = {"i1": 7}.get(other) or np.iinfo(formats.NUMPY[other]).bits
        # The greatest magnitude that is in the range, in the type's precision.
        limit = min(2.0 ** (bits - (other[0] == "i")) * (1 - formats.precision(kind)), 65504 if kind == "fp16" else 1e300)
        x = all_floats(kind, limit)
        if other[0] == "u":
            x = formats.array(kind, np.abs(formats.values(x)))
        got = converted(x, [other])[other]
        numbers = formats.values(x).astype(np.float64)
        np.testing.assert_array_equal(got, numbers != 0 if other == "i1" else numbers.astype(formats.NUMPY[other]), other)


def special_floats(kind):
    """Returns floats around the boundaries of all narrower types: ends of their ranges, denormals, halves between neighbours."""
    generator = np.random.default_rng(4)
    numbers = generator.standard_normal(N) * 2.0 ** generator.integers(-30, 17, N)
    between = []
    for narrow in EIGHT:
        codes = formats.table(narrow)[:128]
        codes = codes[np.isfinite(codes)]
        between += [(codes[1:] + codes[:-1]) / 2, codes]
    between = np.concatenate(between)
    halves = generator.permutation(between)[:400] * np.where(np.arange(400) % 2, 1, -1)
    numbers[100:500] = halves
    numbers[:9] = [0.0, -0.0, np.inf, -np.inf, np.nan, 65504, 65519, 65520, -65536]
    numbers[9:16] = [2.0**-24, 2.0**-25, 2.0**-26, 1e-7, 1e30, 1e-40, -1e-45]
    return formats.array(kind, numbers)


@pytest.mark.checked
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("kind", formats.FLOATS)
def test_floats_become_floats_to_nearest(gpu, kind):
    x = special_floats(kind)
    numbers = formats.values(x)
    for other, got in converted(x, formats.FLOATS).items():
        right = formats.values(formats.array(other, numbers))
        np.testing.assert_array_equal(formats.values(got), right, other)
        np.testing.assert_array_equal(np.signbit(formats.values(got))[numbers == 0], np.signbit(numbers)[numbers == 0])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("kind", ["fp32", "fp16", "bf16"])
@pytest.mark.parametrize("other", EIGHT)
def test_floats_become_eight_bits(gpu, kind, other):
    x = special_floats(kind)
    numbers = formats.values(x).astype(np.float64)
    got = converted(x, [other])[other]
    codes = formats.table(other)
    # Numbers beyond the range are left out: chips differ there.
    inside = np.abs(numbers) <= np.nanmax(codes[np.isfinite(codes)])
    right = formats.array(other, numbers)
    np.testing.assert_array_equal(formats.values(got)[inside], formats.values(right)[inside])


@pytest.mark.checked
@pytest.mark.parametrize("kind", EIGHT)
def test_eight_bits_become_floats(gpu, kind):
    x = formats.Array(kind, np.arange(N).astype(np.uint8))
    for other, got in converted(x, ["fp16", "bf16", "fp32"]).items():
        got, right = formats.values(got), formats.values(x)
        if other == "bf16" and kind in ("fp8e4nv", "fp8e5"):
            # Triton's code has a shift and a product: infinities and what is no number become finite.
            got, right = got[np.isfinite(right)], right[np.isfinite(right)]
        np.testing.assert_array_equal(got, right, other)


@triton.jit
def rounding_kernel(x, out, N: tl.constexpr, HOW: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out + at, tl.load(x + at).to(out.dtype.element_ty, fp_downcast_rounding=HOW))


def towards_zero(kind, numbers):
    """Returns the numbers of a type of 16 bits that are nearest and not of greater magnitude."""
    rounded = formats.array(kind, numbers)
    greater = np.abs(formats.values(rounded)) > np.abs(numbers)
    if kind == "fp16":
        return (rounded.view(np.uint16) - greater).view(np.float16)
    return formats.decode_bf16(rounded.bits - greater)


@pytest.mark.parametrize("kind", ["fp16", "bf16"])
@pytest.mark.parametrize("how", ["rtne", "rtz"])
def test_rounding_is_chosen(gpu, kind, how):
    x = formats.random("fp32", N)
    out = formats.empty(kind, N)
    rounding_kernel[(1,)](x, out, N, how)
    right = towards_zero(kind, x) if how == "rtz" else formats.values(formats.array(kind, x))
    np.testing.assert_array_equal(formats.values(out), right)


@triton.jit
def bits_kernel(x, outs, N: tl.constexpr, COUNT: tl.constexpr):
    at = tl.arange(0, N)
    number = tl.load(x + at)
    for i in tl.static_range(COUNT):
        # There and back again, so that both directions are seen.
        other = number.to(outs[2 * i].dtype.element_ty, bitcast=True)
        tl.store(outs[2 * i] + at, other)
        tl.store(outs[2 * i + 1] + at, other.to(number.dtype, bitcast=True))


@pytest.mark.checked
@pytest.mark.parametrize("width", [8, 16, 32, 64])
def test_bits_as_another_type(gpu, width):
    kinds = [f"i{width}", f"u{width}", *{8: EIGHT, 16: ["fp16", "bf16"], 32: ["fp32"], 64: ["fp64"]}[width]]
    x = formats.random(f"u{width}", N)
    outs = tuple(formats.empty(to, N) for kind in kinds for to in (kind, f"u{width}"))
    bits_kernel[(1,)](x, outs, N, len(kinds))
    for out in outs:
        bits = out.bits if isinstance(out, formats.Array) else out
        np.testing.assert_array_equal(bits.view(x.dtype), x)
