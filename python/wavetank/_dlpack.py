"""Arrays of other libraries as arrays of NumPy, without a copy (DLPack).

NumPy imports a capsule without a version as read-only, since that has no flag for it. By the convention of libraries that export such
capsules, the memory may be written: here it can be.
"""

from __future__ import annotations

from typing import Any, Tuple

import numpy as np

from ._errors import ArgumentError

# Devices whose memory a CPU reaches: kDLCPU, kDLCUDAHost, kDLROCMHost.
_OF_THE_HOST = (1, 3, 11)
# NumPy reads capsules with a version, which say whether they are read-only, from 2.1 on.
_READS_VERSIONS = tuple(int(part) for part in np.__version__.split(".")[:2]) >= (2, 1)


class _Exporter:
    """An object with a capsule that has been made."""

    def __init__(self, capsule: Any, device: Tuple[int, int]) -> None:
        self._capsule = capsule
        self._device = device

    def __dlpack__(self, **_settings: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> Tuple[int, int]:
        return self._device


class _Writeable:
    """The memory of an array that NumPy holds to be read-only."""

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self._array = array
        interface = dict(array.__array_interface__)
        interface["data"] = (array.ctypes.data, False)
        self.__array_interface__ = interface


def imported(value: Any) -> np.ndarray[Any, Any]:
    """Returns the memory of an object with ``__dlpack__`` as an array of NumPy."""
    name = type(value).__name__
    try:
        kind, number = value.__dlpack_device__()
        if int(kind) not in _OF_THE_HOST:
            raise ArgumentError(
                f"the `{name}` is on the device ({int(kind)}, {number}) of DLPack, not on the CPU: move it there first"
            )
        capsule = _capsule(value)
        # Before NumPy renames it.
        has_version = "dltensor_versioned" in repr(capsule)
        array: np.ndarray[Any, Any] = np.from_dlpack(_Exporter(capsule, (1, 0)))
    except ArgumentError:
        raise
    except Exception as error:
        raise ArgumentError(f"the `{name}` cannot be read by DLPack: {error}") from error
    if not has_version and not array.flags.writeable:
        return np.asarray(_Writeable(array))
    return array


def _capsule(value: Any) -> Any:
    if _READS_VERSIONS:
        try:
            return value.__dlpack__(max_version=(1, 0))
        except TypeError:
            # A library that is older than versions.
            pass
    return value.__dlpack__()
