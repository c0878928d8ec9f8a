"""Triton's kernels on emulated AMD chips: no GPU, no ROCm.

With ``TRITON_DEFAULT_BACKEND=wavetank`` and ``WAVETANK_GPU=gfx942`` in the environment, or after ``activate("gfx942")``, the kernels
of a script run here: Triton's own compiler for AMD makes the code. Arguments are tensors of the CPU, arrays of NumPy and of a
``wavetank.Device``, and what has DLPack; nothing is copied.

The guide is docs/how-to/triton.md.
"""

from __future__ import annotations

import contextlib
from typing import Any, Dict, Iterator, List, Optional, Sequence

from . import _state

__all__ = ["Disagreement", "activate", "check", "check_configs", "compare", "restored", "tensor"]


def activate(chip: Any = "gfx90a") -> Any:
    """Lets the launches of Triton run on an emulated chip, and returns its ``wavetank.Device``.

    ``chip`` is gfx906, gfx908, gfx90a, gfx942 or a product of these, or a device. Several, parted by commas, are as many devices,
    of which the first is current: ``triton.runtime.driver.active.set_current_device(number)`` chooses another one.
    """
    from triton.runtime.driver import driver

    from .driver import WavetankDriver

    devices = _state.devices_of(chip)
    _state.note_activated()
    driver.set_active(WavetankDriver(devices))
    return devices[0]


@contextlib.contextmanager
def restored() -> Iterator[None]:
    """Restores, at the end of a ``with`` statement, the driver that was active before."""
    from triton.runtime.driver import driver

    try:
        active = driver.active
    except RuntimeError:
        # None was chosen yet.
        active = None
    try:
        yield
    finally:
        driver.set_active(active)


def tensor(array: Any) -> Any:
    """Returns an array of NumPy or of a device as a tensor, for what asks for one before a launch: ``TensorDescriptor`` of Triton,
    ``triton.reinterpret``. It has the memory of the array.
    """
    from ._arguments import adapted

    return adapted(array)


@contextlib.contextmanager
def check(tools: Optional[Sequence[str]] = None) -> Iterator[List[Any]]:
    """Checks the launches in a ``with`` statement, and gives the list of their findings.

    A finding's ``line`` is that of the Python source. ``tools`` is as for ``wavetank.check``.
    """
    findings: List[Any] = []
    token = _state.checks.set((findings, tools))
    try:
        yield findings
    finally:
        _state.checks.reset(token)


class Disagreement:
    """The first element in which two runs of a kernel differ."""

    def __init__(self, one: Any, other: Any, argument: int, index: Any, values: Any) -> None:
        self.one, self.other, self.argument, self.index, self.values = one, other, argument, index, values

    def __str__(self) -> str:
        return (
            f"argument {self.argument} at {self.index} is {self.values[0]} with {self.one}, "
            f"and {self.values[1]} with {self.other}"
        )

    def __repr__(self) -> str:
        return f"Disagreement({self})"


def compare(
    kernel: Any,
    args: Sequence[Any],
    *,
    grid: Any,
    chips: Optional[Sequence[str]] = None,
    options: Sequence[Dict[str, Any]] = ({},),
    constants: Optional[Dict[str, Any]] = None,
    tolerance: float = 0.0,
) -> Optional[Disagreement]:
    """Runs a kernel as it is compiled for several chips and with several options, each on copies of the arguments.

    Returns the first difference from the first run that is larger than ``tolerance`` (relative), or ``None``. ``constants`` are the
    kernel's keyword arguments; ``options`` those of the compiler, such as ``{"num_warps": 8}``. Without ``chips``, all are taken that
    this version of Triton compiles for.
    """
    from triton.runtime.driver import driver

    from .driver import WavetankDriver

    runs, results = [], []
    with restored():
        for chip in chips or _state.chips():
            driver.set_active(WavetankDriver(_state.devices_of(chip)))
            for option in options:
                copies = _copies(args)
                kernel[grid](*copies, **(constants or {}), **option)
                runs.append((chip, option))
                results.append(copies)
    for run, result in zip(runs[1:], results[1:]):
        found = _first_difference(runs[0], run, results[0], result, tolerance)
        if found is not None:
            return found
    return None


def check_configs(kernel: Any, *args: Any, grid: Any, tolerance: float = 0.0, **constants: Any) -> Dict[str, Any]:
    """Runs every configuration of an autotuned kernel with the tools of ``check`` on, each on copies of the arguments.

    Returns for each configuration, by its text, its findings and its difference from the first one, or ``None``.
    """
    first: Optional[List[Any]] = None
    outcome: Dict[str, Any] = {}
    configs = kernel.configs
    for config in configs:
        copies = _copies(args)
        with check() as findings:
            kernel.fn[grid](*copies, **constants, **config.all_kwargs())
        difference = None
        if first is None:
            first = copies
        else:
            difference = _first_difference(configs[0], config, first, copies, tolerance)
        outcome[str(config)] = (findings, difference)
    return outcome


def _copies(args: Sequence[Any]) -> List[Any]:
    """Returns copies of the arguments that are arrays. One that is given twice stays one."""
    copies = {id(arg): _copy(arg) for arg in args}
    return [copies[id(arg)] for arg in args]


def _copy(arg: Any) -> Any:
    import numpy as np

    from .. import _wavetank

    if isinstance(arg, np.ndarray):
        return np.copy(arg, order="K")
    if isinstance(arg, _wavetank.Array):
        return arg.numpy()
    return arg.clone() if hasattr(arg, "clone") else arg


def _first_difference(one: Any, other: Any, expected: Sequence[Any], got: Sequence[Any], tolerance: float) -> Optional[Disagreement]:
    import numpy as np

    from .._batch.judge import is_same

    for number, (left, right) in enumerate(zip(expected, got)):
        if not hasattr(left, "dtype"):
            continue
        left, right = _numbers(left), _numbers(right)
        same = is_same(right, left, tolerance, 0.0)
        if not same.all():
            index = tuple(int(n) for n in np.argwhere(~same)[0])
            return Disagreement(one, other, number, index, (left[index], right[index]))
    return None


def _numbers(array: Any) -> Any:
    import numpy as np

    if hasattr(array, "detach"):
        array = array.detach()
        array = array.float() if str(array.dtype) == "torch.bfloat16" else array
    return np.asarray(array)
