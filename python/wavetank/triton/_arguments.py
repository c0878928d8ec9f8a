"""Arguments of Triton's kernels: tensors of the host and of the device, and numbers as the bytes that kernels read."""

from __future__ import annotations

import itertools
import math
import struct
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

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
    """An array as Triton sees a tensor: it has a type, an address, a shape and strides, and what the autotuner calls."""

    __slots__ = ("array", "dtype", "address", "_span")

    def __init__(self, array: Any) -> None:
        self.array = array
        if isinstance(array, np.ndarray):
            self.dtype = array.dtype
            self.address: int = array.__array_interface__["data"][0]
        else:
            self.dtype = np.dtype(array.dtype)
            self.address = array.address
        self._span: Any = None

    @property
    def span(self) -> Tuple[int, int]:
        """Address and size of the memory that the array is a view of."""
        if self._span is None:
            self._span = self._find_span()
        return self._span  # type: ignore[no-any-return]

    def _find_span(self) -> Tuple[int, int]:
        array = self.array
        if not isinstance(array, np.ndarray):
            return self.address, array.nbytes
        base = array
        while isinstance(base.base, np.ndarray):
            base = base.base
        if base.flags.c_contiguous:
            return (self.address if base is array else base.__array_interface__["data"][0]), base.nbytes
        low, high = _bounds(base)
        return low, high - low

    @property
    def shape(self) -> Tuple[int, ...]:
        return tuple(self.array.shape)

    def data_ptr(self) -> int:
        return self.address

    def ptr_range(self) -> int:
        """The bytes that offsets from the pointer may span: below 2 GiB, Triton's backend for AMD takes them as 32 bits without sign.

        The pointer to an array that is strided backwards is not to the start of its memory: offsets from it have a sign.
        """
        array = self.array
        if isinstance(array, np.ndarray) and not array.flags.c_contiguous and min(array.strides, default=0) < 0:
            return 1 << 63
        return self.span[1]

    def numel(self) -> int:
        return math.prod(self.shape)

    def element_size(self) -> int:
        return int(self.dtype.itemsize)

    def stride(self, dimension: Any = None) -> Any:
        if isinstance(self.array, np.ndarray):
            strides = tuple(n // max(1, self.dtype.itemsize) for n in self.array.strides)
        else:
            strides = tuple(math.prod(self.shape[n + 1 :]) for n in range(len(self.shape)))
        return strides if dimension is None else strides[dimension]

    def zero_(self) -> "Pointer":
        np.asarray(self.array)[...] = np.zeros((), self.dtype)
        return self

    def clone(self) -> "Pointer":
        return Pointer(np.copy(np.asarray(self.array), order="K"))

    def copy_(self, source: "Pointer") -> "Pointer":
        np.copyto(np.asarray(self.array), np.asarray(source.array))
        return self


# NumPy 2 has it elsewhere.
_bounds: Callable[[np.ndarray], Tuple[int, int]] = getattr(np, "byte_bounds", None) or np.lib.array_utils.byte_bounds


class _Adapters(Dict[type, Optional[Callable[[Any], Any]]]):
    """By class, how an argument becomes what Triton takes; ``None`` if it is taken as it is."""

    def __missing__(self, of: type) -> Optional[Callable[[Any], Any]]:
        how: Optional[Callable[[Any], Any]] = None
        if issubclass(of, (np.ndarray, _wavetank.Array)):
            how = Pointer
        elif issubclass(of, tuple):
            how = _adapted_tuple
        elif hasattr(of, "__dlpack__") and not hasattr(of, "data_ptr"):
            how = _adapted_import
        self[of] = how
        return how


adapters = _Adapters()


def _adapted_tuple(values: Any) -> Any:
    items = [adapted(value) for value in values]
    return type(values)(*items) if hasattr(values, "_fields") else tuple(items)


def _adapted_import(value: Any) -> Any:
    return value if hasattr(value, "data_ptr") else Pointer(imported(value))


def adapted(value: Any) -> Any:
    """Returns an argument as Triton takes it: arrays of NumPy, of the device, and of other libraries as pointers."""
    how = adapters[type(value)]
    return value if how is None else how(value)


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


class Spans:
    """The memory of the host that a launch uses: it is registered while the launch runs, and not longer.

    So no registration is ever that of an array which was freed, and whose address another one has now.
    """

    __slots__ = ("_spans",)

    def __init__(self) -> None:
        # Names, owner and whether it may be written, by address and size.
        self._spans: Dict[Tuple[int, int], Tuple[str, Any, bool]] = {}

    def pointer(self, value: Any, name: str) -> Any:
        """Returns a pointer for a launch, and notes its memory."""
        if type(value) is Pointer:
            owner = value.array
            if isinstance(owner, np.ndarray):
                return self._add(value.address, value.span, name, owner, owner.flags.writeable)
            return owner
        if value is None or isinstance(value, int):
            return value
        if not hasattr(value, "data_ptr"):
            return self.pointer(adapted(value), name)
        kind = getattr(getattr(value, "device", None), "type", "cpu")
        if kind != "cpu":
            raise ArgumentError(
                f"the tensor `{name}` is on the device `{kind}`: kernels that are emulated take tensors of the CPU (`.cpu()`)"
            )
        address = value.data_ptr()
        if hasattr(value, "untyped_storage"):
            storage = value.untyped_storage()
            span = storage.data_ptr(), storage.nbytes()
            if address == 0 and value.numel() != 0:
                raise ArgumentError(f"the tensor `{name}` has no memory: it is a fake one, or its storage has been freed")
        else:
            span = address, value.numel() * value.element_size()
        return self._add(address, span, name, value, True)

    def _add(self, address: int, span: Tuple[int, int], name: str, owner: Any, writeable: bool) -> int:
        known = self._spans.get(span)
        if known is not None:
            # One memory has one registration, with both names.
            self._spans[span] = (f"{known[0]} and {name}", owner, writeable or known[2])
        elif span[1] != 0 and address != 0:
            self._spans[span] = (name, owner, writeable)
        return address

    def register(self, device: "_wavetank.Device", memory: List["_wavetank.HostMemory"]) -> None:
        """Registers the memory, and adds the registrations to a list, which the caller ends."""
        for span, (name, owner, writeable) in self._spans.items():
            memory.append(device.register(span, name, owner=owner, writeable=writeable))


def number(kind: str, value: Any) -> Any:
    """Returns a number as a launch takes it: one of Python if the kernel's argument has its type, and bytes otherwise."""
    if kind in _INTEGERS:
        if type(value) is int or type(value) is bool:
            return value
    elif type(value) is float and kind != "bf16":
        return value
    return packed(kind, value)


def flattened(signature: Any, values: Any, names: Any) -> Iterator[Tuple[str, Any, str]]:
    """Returns the types, values and names of arguments that are not constants: tuples and descriptors are taken apart."""
    for kind, value, name in zip(signature, values, names):
        if isinstance(kind, tuple):
            yield from flattened(kind, value, itertools.repeat(name))
        elif kind == "constexpr":
            continue
        elif kind.startswith("tensordesc"):
            yield from ((part, value, name) for part, value in _descriptor(kind, value))
        else:
            yield kind, value, name


def _descriptor(kind: str, value: Any) -> List[Tuple[str, Any]]:
    """Takes a tensor descriptor apart, as Triton's compiler expects it for chips without descriptors of the hardware."""
    try:
        from triton.backends.driver import decompose_descriptor, expand_signature
    except ImportError:
        # Before 3.9 each launcher had its own: shape and strides come twice, and from 3.6 on, what pads is between them.
        rank = len(value.shape)
        padding = [("i1", value.padding == "nan")] if hasattr(value, "padding") else []
        wide = [("i64", number) for number in (*value.shape, *value.strides)]
        narrow = [("i32", number) for number in value.shape]
        element = kind[len("tensordesc<") :].partition("[")[0]
        return [("*" + element, value.base), *wide, *padding, *narrow, *wide[rank:]]
    kinds = expand_signature([kind], None, "tensordesc")
    return list(zip(kinds, decompose_descriptor(value)))
