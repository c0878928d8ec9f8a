"""Arguments of Triton's kernels: tensors of the host and of the device, and numbers as the bytes that kernels read."""

from __future__ import annotations

import contextlib
import struct
from typing import Any, Dict, List, Tuple

import numpy as np

from .. import _wavetank
from .._dlpack import imported
from .._errors import ArgumentError

# How integers of Triton's types are packed.
_INTEGERS = {
    "i1": "b",
    "i8": "b",
    "i16": "h",
    "i32": "i",
    "i64": "q",
    "u1": "B",
    "u8": "B",
    "u16": "H",
    "u32": "I",
    "u64": "Q",
}
_FLOATS: Dict[str, Any] = {"fp16": np.float16, "fp32": np.float32, "f32": np.float32, "fp64": np.float64}


class Pointer:
    """An array as Triton sees a tensor: it has a type, an address, a shape and strides."""

    __slots__ = ("array", "dtype", "shape", "_address", "_strides")

    def __init__(self, array: Any) -> None:
        self.array = array
        self.dtype = np.dtype(array.dtype)
        self.shape = tuple(array.shape)
        if isinstance(array, np.ndarray):
            self._address = array.ctypes.data
            self._strides = tuple(n // max(1, array.itemsize) for n in array.strides)
        else:
            self._address = array.address
            strides, step = [], 1
            for size in reversed(self.shape):
                strides.append(step)
                step *= size
            self._strides = tuple(reversed(strides))

    def data_ptr(self) -> int:
        return int(self._address)

    def numel(self) -> int:
        return int(np.prod(self.shape))

    def element_size(self) -> int:
        return int(self.dtype.itemsize)

    def stride(self, dimension: Any = None) -> Any:
        return self._strides if dimension is None else self._strides[dimension]


def adapted(value: Any) -> Any:
    """Returns an argument as Triton takes it: arrays of NumPy, of the device, and of other libraries as pointers."""
    if isinstance(value, (np.ndarray, _wavetank.Array)):
        return Pointer(value)
    if hasattr(value, "__dlpack__") and not hasattr(value, "data_ptr"):
        return Pointer(imported(value))
    if isinstance(value, tuple):
        # A tuple with names has its fields as arguments.
        parts = [adapted(part) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value


def packed(kind: str, value: Any) -> bytes:
    """Returns a number of one of Triton's types as bytes."""
    if kind == "bf16":
        # It is the upper half of a float.
        bits = int.from_bytes(packed("fp32", value), "little")
        if value == value:
            bits += 0x7FFF + (bits >> 16 & 1)
        return struct.pack("<H", bits >> 16 & 0xFFFF)
    if kind in _FLOATS:
        # A number beyond the range of its type is infinite.
        with np.errstate(over="ignore"):
            return bytes(_FLOATS[kind](value).tobytes())
    letter = _INTEGERS.get(kind)
    if letter is None:
        raise ArgumentError(f"an argument has the type `{kind}`, which cannot be passed to a kernel here")
    try:
        return struct.pack("<" + letter, value)
    except struct.error:
        if kind.startswith("i"):
            # Triton gives numbers above the signed range the signed type.
            return packed("u" + kind[1:], value)
        raise


def _storage(tensor: Any) -> Tuple[int, int]:
    """Returns address and size of the memory that a tensor is a view of."""
    if hasattr(tensor, "untyped_storage"):
        storage = tensor.untyped_storage()
        return storage.data_ptr(), storage.nbytes()
    if isinstance(tensor, Pointer) and isinstance(tensor.array, np.ndarray):
        base = tensor.array
        while isinstance(base.base, np.ndarray):
            base = base.base
        # NumPy 2 has it elsewhere.
        bounds = getattr(np, "byte_bounds", None) or np.lib.array_utils.byte_bounds
        low, high = bounds(base)
        return low, high - low
    return tensor.data_ptr(), tensor.numel() * tensor.element_size()


def pointer(
    device: "_wavetank.Device", value: Any, name: str, memory: contextlib.ExitStack
) -> Any:
    """Returns a pointer for a launch. Memory of the host is registered, as long as ``memory`` is open."""
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, Pointer) and isinstance(value.array, _wavetank.Array):
        return value.array
    kind = getattr(getattr(value, "device", None), "type", "cpu")
    if kind not in ("cpu", "meta"):
        raise ArgumentError(
            f"the tensor `{name}` is on the device `{kind}`: kernels that are emulated take tensors of the CPU (`.cpu()`)"
        )
    address = value.data_ptr()
    start, size = _storage(value)
    if size == 0 or address == 0:
        return address
    owner = value.array if isinstance(value, Pointer) else value
    writeable = not isinstance(owner, np.ndarray) or owner.flags.writeable
    memory.enter_context(device.register((start, size), name, owner=owner, writeable=writeable))
    return address


def flattened(signature: Any, values: Any) -> List[Tuple[str, Any]]:
    """Returns the arguments that are not constants with their types; tuples are flattened, descriptors taken apart."""
    result: List[Tuple[str, Any]] = []
    for kind, value in zip(signature, values):
        if isinstance(kind, tuple):
            result.extend(flattened(kind, value))
        elif kind == "constexpr":
            continue
        elif isinstance(kind, str) and kind.startswith("tensordesc"):
            result.extend(_descriptor(kind, value))
        else:
            result.append((kind, value))
    return result


def _descriptor(kind: str, value: Any) -> List[Tuple[str, Any]]:
    """Takes a tensor descriptor apart, as Triton's compiler expects it for chips without descriptors of the hardware."""
    from triton.backends.driver import decompose_descriptor, expand_signature

    kinds = expand_signature([kind], None, "tensordesc")
    return list(zip(kinds, decompose_descriptor(value)))
