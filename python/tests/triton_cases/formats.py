"""The types of Triton that NumPy has not, by their published definitions, and arrays of them as arguments."""

import numpy as np

# Name: bits of the exponent, bits of the mantissa, bias, and where codes are no numbers: at both ends, at the exponent's end with
# the infinities, or at the code of -0.
EIGHT_BITS = {
    "fp8e4nv": (4, 3, 7, "ends"),
    "fp8e5": (5, 2, 15, "ieee"),
    "fp8e4b8": (4, 3, 8, "zero"),
    "fp8e5b16": (5, 2, 16, "zero"),
}
NUMPY = {
    "i1": np.bool_,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "u8": np.uint8,
    "u16": np.uint16,
    "u32": np.uint32,
    "u64": np.uint64,
    "fp16": np.float16,
    "fp32": np.float32,
    "fp64": np.float64,
}
SIGNED = ["i8", "i16", "i32", "i64"]
UNSIGNED = ["u8", "u16", "u32", "u64"]
FLOATS = ["fp16", "bf16", "fp32", "fp64"]


class Array:
    """An array whose elements have a type of Triton: its bits are those of a NumPy array."""

    def __init__(self, kind, bits):
        self.kind, self.bits = kind, bits
        self.dtype, self.shape = kind, bits.shape

    def data_ptr(self):
        return self.bits.ctypes.data

    def numel(self):
        return self.bits.size

    def element_size(self):
        return self.bits.itemsize


def table(kind):
    """Returns the values of the 256 codes of a type of eight bits."""
    exponents, mantissas, bias, special = EIGHT_BITS[kind]
    code = np.arange(256)
    exponent = code >> mantissas & (1 << exponents) - 1
    mantissa = code & (1 << mantissas) - 1
    fraction = mantissa / 2.0**mantissas + (exponent > 0)
    value = fraction * 2.0 ** (np.maximum(exponent, 1) - bias) * np.where(code & 128, -1.0, 1.0)
    if special == "ends":
        value[code & 127 == 127] = np.nan
    elif special == "zero":
        value[128] = np.nan
    else:
        top = exponent == (1 << exponents) - 1
        value[top] = np.where(mantissa[top] == 0, np.copysign(np.inf, value[top]), np.nan)
    return value


def encode_eight(kind, values):
    """Returns codes of the nearest values, ties to even codes. Magnitudes beyond the greatest take its code."""
    values = np.asarray(values, np.float64)
    of_code = table(kind)
    codes = np.flatnonzero(np.isfinite(of_code[:128]))
    known = of_code[codes]
    magnitude = np.abs(values)
    above = np.clip(np.searchsorted(known, magnitude), 1, len(known) - 1)
    low, high = known[above - 1], known[above]
    with np.errstate(invalid="ignore"):
        up = (magnitude - low > high - magnitude) | ((magnitude - low == high - magnitude) & (codes[above] % 2 == 0))
    code = np.where(up, codes[above], codes[above - 1])
    sign = np.where(np.signbit(values), 128, 0)
    # Formats without a negative zero have their NaN there.
    sign = np.where((code == 0) & (EIGHT_BITS[kind][3] == "zero"), 0, sign)
    return (code | sign).astype(np.uint8)


def encode_bf16(values):
    """Returns the upper halves of floats, rounded to nearest even from any precision."""
    values = np.asarray(values, np.float64)
    # First to odd at float's precision, so that the second rounding is as if it was the only one.
    with np.errstate(over="ignore", invalid="ignore"):
        single = values.astype(np.float32)
        away = np.abs(single.astype(np.float64)) > np.abs(values)
    bits = single.view(np.uint32).astype(np.int64)
    inexact = (single.astype(np.float64) != values) & ~np.isnan(values)
    bits = np.where(inexact, (bits - away) | 1, bits)
    rounded = bits + 0x7FFF + (bits >> 16 & 1) >> 16
    return np.where(np.isnan(values), bits >> 16 | 64, rounded).astype(np.uint16)


def decode_bf16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def array(kind, values):
    """Returns an argument of a type of Triton, rounded to nearest from the values."""
    if kind == "bf16":
        return Array(kind, encode_bf16(values))
    if kind in EIGHT_BITS:
        return Array(kind, encode_eight(kind, values))
    with np.errstate(over="ignore", invalid="ignore"):
        return np.ascontiguousarray(np.asarray(values).astype(NUMPY[kind]))


def empty(kind, *shape):
    """Returns an argument whose bytes are no zeros, so that a store that is missing is seen."""
    if kind in ("bf16", *EIGHT_BITS):
        return Array(kind, np.full(shape, 0x55, np.uint8 if kind in EIGHT_BITS else np.uint16))
    filled = np.full(shape, 0x55, np.uint8 if kind == "i1" else NUMPY[kind])
    return filled.view(np.bool_) if kind == "i1" else filled


def values(argument):
    """Returns the numbers in an argument: NumPy's own types as they are, the others as floats."""
    if not isinstance(argument, Array):
        return argument
    if argument.kind == "bf16":
        return decode_bf16(argument.bits)
    return table(argument.kind)[argument.bits].astype(np.float32)


def random(kind, *shape, seed=1):
    """Returns normal numbers in a type of floats, or all the range of a type of integers, with its ends."""
    generator = np.random.default_rng(seed)
    if kind in ("i1", *SIGNED, *UNSIGNED):
        if kind == "i1":
            return generator.integers(0, 2, shape).astype(np.bool_)
        limits = np.iinfo(NUMPY[kind])
        numbers = generator.integers(limits.min, limits.max, shape, NUMPY[kind], endpoint=True)
        # Half of them are small: products and quotients of these are not all noise.
        small = generator.integers(0 if kind[0] == "u" else -9, 10, shape).astype(NUMPY[kind])
        numbers = np.where(generator.integers(0, 2, shape) == 1, numbers, small)
        flat = numbers.reshape(-1)
        ends = [limits.min, limits.max, 0, 1, limits.max - 1, limits.min + 1][: flat.size]
        flat[generator.permutation(flat.size)[: len(ends)]] = ends
        return numbers
    return array(kind, generator.standard_normal(shape))


def precision(kind):
    """Returns the relative distance of neighbours in a type of floats."""
    return 2.0 ** -{"fp64": 52, "fp32": 23, "fp16": 10, "bf16": 7}[kind]
