"""Items of a batch: all that a worker on another machine needs, and nothing else."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field, fields
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from .. import _wavetank
from .._dlpack import imported
from .._errors import ArgumentError

Size = Union[int, Tuple[int], Tuple[int, int], Tuple[int, int, int]]


@dataclass(frozen=True)
class Source:
    """A source that the worker assembles, for the chip of its item. The fields are the arguments of ``wavetank.asm``."""

    text: str
    kernels: Sequence[str] = ()
    defines: Mapping[str, int] = field(default_factory=dict)
    dialect: str = "llvm"


@dataclass(frozen=True, eq=False)
class Item:
    """A kernel to run, with its inputs, and with what to compare or to check.

    ``code`` is a ``wavetank.Source``, the result of ``wavetank.asm``, the bytes of a code object, a bundle or a host program, or the
    path of one, which is read at once. ``kernel`` is a name, and ``args`` are those of a call: arrays of NumPy and numbers. Without
    ``kernel``, the code is only read, and checked by ``wavetank.check_file``.

    ``expect`` maps the number of an argument, from 0, to the array that it must be after the run. ``rtol`` and ``atol`` are
    tolerances as in ``numpy.isclose``; without them all numbers must be equal. A NaN equals a NaN.

    ``check=True`` runs the kernel with tools, as ``wavetank.check`` does, and ``check=["race"]`` with these. ``keep`` are the numbers
    of arguments whose arrays the result has; the batch holds them until its end, for items that are the same work. A launch that takes more than ``timeout`` seconds is ended. ``note`` is for the caller:
    items that differ in it alone are the same work.

    Arrays are not copied: do not change them before the batch has ended.

    >>> import numpy as np, wavetank as wt
    >>> source = wt.Source("nothing:\\n s_endpgm", kernels=["nothing(global u32* x)"])
    >>> item = wt.Item(source, "nothing", (np.zeros(4, np.uint32),), grid=64, expect={0: np.zeros(4, np.uint32)})
    >>> item == wt.Item(source, "nothing", (np.zeros(4, np.uint32),), grid=64, expect={0: np.zeros(4, np.uint32)})
    True
    """

    code: Any
    kernel: Optional[str] = None
    args: Sequence[Any] = ()
    grid: Optional[Size] = None
    block: Optional[Size] = None
    lds: int = 0
    chip: str = "gfx900"
    expect: Mapping[int, Any] = field(default_factory=dict)
    rtol: float = 0.0
    atol: float = 0.0
    check: Union[bool, Sequence[str]] = False
    keep: Sequence[int] = ()
    timeout: float = 60.0
    schedule: Optional[str] = None
    strict: Optional[bool] = None
    note: Any = None

    def __post_init__(self) -> None:
        replace = object.__setattr__
        replace(self, "code", _code(self.code, self.chip))
        replace(self, "args", _arguments(self.args))
        replace(self, "expect", {n: self._expected(n, want) for n, want in dict(self.expect).items()})
        replace(self, "keep", tuple(self.keep))
        if isinstance(self.check, str):
            raise ArgumentError(f"check is True, False or a list of tools, not {self.check!r}: write [{self.check!r}]")
        if not isinstance(self.check, bool):
            replace(self, "check", tuple(self.check))
        for n in self.keep:
            self._array(n, "kept")
        if not self.timeout > 0:
            raise ArgumentError(f"the timeout of an item is a number of seconds above 0, not {self.timeout!r}")
        if self.kernel is None:
            if not self.check:
                raise ArgumentError("an item without a kernel checks its code: give check=True, or name a kernel")
            if self.args or self.expect:
                raise ArgumentError("an item without a kernel runs nothing: it has neither args nor expect")
        elif self.grid is None:
            raise ArgumentError(f"the item of kernel `{self.kernel}` needs its grid: grid=1024")

    def _array(self, number: Any, what: str) -> Any:
        if not isinstance(number, (int, np.integer)) or not 0 <= number < len(self.args):
            raise ArgumentError(f"argument {number!r} is {what}, and the item has arguments 0 to {len(self.args) - 1}")
        value = self.args[int(number)]
        if not isinstance(value, np.ndarray):
            raise ArgumentError(f"argument {number} is {what}, and is not an array: a kernel does not change it")
        return value

    def _expected(self, number: int, want: Any) -> np.ndarray[Any, Any]:
        array = self._array(number, "expected")
        wanted = np.asarray(want)
        try:
            np.broadcast_to(wanted, array.shape)
        except ValueError:
            raise ArgumentError(
                f"the expected array of argument {number} has the shape {wanted.shape}, and the argument {array.shape}"
            ) from None
        if wanted.dtype.kind not in "biufc" or array.dtype.kind not in "biufc":
            raise ArgumentError(f"argument {number} has elements of {array.dtype}, which are not compared: view them as numbers")
        return wanted

    @property
    def digest(self) -> str:
        """SHA-256 of everything but ``note``. Items with the same digest are the same work."""
        known = self.__dict__.get("_digest")
        if known is None:
            sha = hashlib.sha256()
            for part in fields(self):
                if part.name != "note":
                    _feed(sha, (part.name, getattr(self, part.name)))
            _feed(sha, ("arrays that are given twice", _first_uses(self.args)))
            known = sha.hexdigest()
            object.__setattr__(self, "_digest", known)
        return str(known)

    def __eq__(self, other: object) -> bool:
        return self.digest == other.digest if isinstance(other, Item) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        note = "" if self.note is None else f", note={self.note!r}"
        return f"Item({self.kernel or 'code'}, {self.chip}, {self.digest[:12]}{note})"


def _code(code: Any, chip: str) -> Any:
    """Returns a source, or the bytes of a file."""
    if isinstance(code, (Source, bytes)):
        return code
    if isinstance(code, _wavetank.Assembly):
        return code.object_for(chip)
    if isinstance(code, (bytearray, memoryview)):
        return bytes(code)
    if isinstance(code, (str, os.PathLike)):
        with open(code, "rb") as file:
            return file.read()
    raise ArgumentError(
        f"the code of an item is a wavetank.Source, bytes, a path or the result of wavetank.asm, not a `{type(code).__name__}`"
    )


def _arguments(values: Sequence[Any]) -> Tuple[Any, ...]:
    """Returns arguments as data. As in a call, an array that is given twice is one piece of memory, and others do not overlap."""
    args: List[Any] = []
    for number, value in enumerate(values):
        value = _argument(number, value)
        if isinstance(value, np.ndarray):
            for other in (arg for arg in args if isinstance(arg, np.ndarray)):
                if _is_same(value, other):
                    value = other
                elif value.flags.c_contiguous and other.flags.c_contiguous and np.may_share_memory(value, other):
                    raise ArgumentError(f"argument {number} overlaps the memory of another one: give a copy of it")
        args.append(value)
    return tuple(args)


def _is_same(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> bool:
    """Whether two arrays are the same elements of the same memory."""
    if a is b:
        return True
    same = a.ctypes.data == b.ctypes.data and a.shape == b.shape and a.strides == b.strides and a.dtype == b.dtype
    return same and a.size > 0


def _first_uses(args: Sequence[Any]) -> List[int]:
    """Returns the number of the first argument with the same array, for each argument."""
    first: Dict[int, int] = {}
    return [first.setdefault(id(arg), number) if isinstance(arg, np.ndarray) else number for number, arg in enumerate(args)]


def _argument(number: int, value: Any) -> Any:
    """Returns an argument as data that goes to another process."""
    if value is None or isinstance(value, (bool, int, float, bytes, np.generic)):
        return value
    if isinstance(value, _wavetank.Array):
        return value.numpy()
    if not isinstance(value, np.ndarray) and not isinstance(value, type) and hasattr(value, "__dlpack__"):
        value = imported(value)
    if isinstance(value, np.ndarray) or hasattr(value, "__array__"):
        array = np.asarray(value)
        if not array.dtype.hasobject:
            return array
    raise ArgumentError(
        f"argument {number} of an item is an array of numbers, a number, bytes or None, not a `{type(value).__name__}`"
    )


def _feed(sha: Any, value: Any) -> None:
    """Adds a value to a digest. Each begins with its type and size, so that no two values have the same bytes."""
    if isinstance(value, (np.ndarray, np.generic)):
        array = np.ascontiguousarray(value)
        sha.update(f"array {array.dtype.str} {array.dtype.descr} {np.shape(value)};".encode())
        # Bytes of any element, also of those without a buffer.
        sha.update(array.view(np.uint8).data if array.size else b"")
    elif isinstance(value, (bytes, str)):
        data = value.encode() if isinstance(value, str) else value
        sha.update(f"{type(value).__name__} {len(data)};".encode())
        sha.update(data)
    elif isinstance(value, Mapping):
        sha.update(f"mapping {len(value)};".encode())
        for key in sorted(value):
            _feed(sha, (key, value[key]))
    elif isinstance(value, (tuple, list)):
        sha.update(f"sequence {len(value)};".encode())
        for part in value:
            _feed(sha, part)
    elif isinstance(value, Source):
        _feed(sha, (value.text, list(value.kernels), value.defines, value.dialect))
    else:
        # Numbers of Python, and None.
        sha.update(f"{type(value).__name__} {value!r};".encode())
