"""Single instructions on a given state: ``exec``."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Union

import numpy as np

from . import _wavetank
from ._errors import ArgumentError


def _words(values: np.ndarray) -> str:
    """Returns elements as bits, in the syntax of ``wavetank exec``."""
    size = values.dtype.itemsize
    if values.dtype.kind not in "iufb":
        raise ArgumentError(f"a register has numbers, not elements of type {values.dtype}")
    if values.dtype.kind == "b":
        values = values.astype(np.uint32)
    elif size < 4 or size > 8:
        kind = {"i": np.int32, "u": np.uint32, "f": np.float32}[values.dtype.kind]
        values = values.astype(kind)
    bits = values.view(np.uint64 if values.dtype.itemsize == 8 else np.uint32)
    return ",".join(hex(int(word)) for word in bits.ravel())


def _value(value: Any) -> str:
    """Returns a value in the syntax of ``wavetank exec``; a string stands as it is."""
    if isinstance(value, str):
        return value
    if isinstance(value, np.generic):
        return _words(np.asarray(value))
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, int):
        return hex(value) if value >= 0 else str(value)
    if isinstance(value, float):
        return repr(value)
    array = np.ascontiguousarray(value)
    if array.dtype == np.float64 and not isinstance(value, np.ndarray):
        # A list of floats of Python is one of the registers' 32 bits.
        array = array.astype(np.float32)
    elif array.dtype == np.int64 and not isinstance(value, np.ndarray):
        array = array.astype(np.uint32) if array.min(initial=0) >= 0 else array.astype(np.int32)
    return _words(array)


def exec(  # noqa: A001 - the name of the command
    text: str,
    state: Union[Mapping[str, Any], None] = None,
    *words: str,
    chip: Optional[str] = None,
    mem: Optional[Mapping[str, Any]] = None,
    **registers: Any,
) -> "_wavetank.Executed":
    """Executes instructions, separated by ``;``, on a state, and returns the state after them.

    Registers are given by name: a number for all lanes, or a list or array of up to 64. What is not given is 0; all lanes are
    active. A list of Python has 32 bits a lane; an array of NumPy has its own bits, so that a pair of registers takes 64-bit
    elements: ``{"v[0:1]": numpy.float64([1.5])}``. A string is a value in the syntax of ``wavetank exec``, such as ``"0..63"`` or
    ``"&a"``. ``mem`` makes buffers. Further words, such as ``"surface T6 2d 32x4 u32 iota"``, are those of ``wavetank exec``.

    ``chip`` is an instruction set: a chip, ``maxwell:52`` for NVIDIA's SUATOM, or ``visa`` for Intel's TYPED_ATOMIC.

    A fault is not an exception: ``fault`` of the result has its sentence.

    >>> import numpy as np, wavetank as wt
    >>> state = wt.exec("v_add_f32 v0, v1, v2", v1=np.arange(64, dtype=np.float32), v2=0.5)
    >>> state["v0"].view(np.float32)[:3]
    array([0.5, 1.5, 2.5], dtype=float32)
    >>> hex(wt.exec("v_cmp_gt_u32 vcc, s6, v0", s6=10, v0="0..63")["vcc"])
    '0x3ff'
    >>> wt.exec("global_load_dword v2, v[0:1], off", {"v[0:1]": "&a"}, mem={"a": [7, 8]})["v2"][:3]
    array([7, 7, 7], dtype=uint32)
    """
    all_words = [f"mem {name}={_value(value)}" for name, value in (mem or {}).items()]
    all_words += [f"{name}={_value(value)}" for name, value in (state or {}).items()]
    all_words += [f"{name}={_value(value)}" for name, value in registers.items()]
    return _wavetank.execute(chip or "gfx900", text, all_words + list(words))
