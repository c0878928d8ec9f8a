"""What the backend keeps: the chosen chip, how launches run, and how they are measured."""

from __future__ import annotations

import os
import sys
import time
from contextvars import ContextVar
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from .. import _wavetank
from .._errors import ArgumentError

# The chips that Triton's newest compiler makes code for, and that are emulated.
CHIPS = ("gfx906", "gfx908", "gfx90a", "gfx942")
DEFAULT = "gfx90a"


def chips() -> Tuple[str, ...]:
    """Returns the chips that the installed version of Triton makes code for: gfx906 from 3.9 on."""
    import triton

    version = tuple(int(part) for part in triton.__version__.split(".")[:2])
    return CHIPS if version >= (3, 9) else CHIPS[1:]

# Findings of the checks that are on, and the tools; ``None`` if launches are not checked.
checks: ContextVar[Optional[Tuple[List[Any], Optional[Sequence[str]]]]] = ContextVar("checks", default=None)

# Wave instructions of the launches so far that were counted, and whether launches are.
_instructions = 0
_counts = False
# Launches measured by their order: for the choice of the first configuration.
_order = 0
_said = False
_activated = False


def is_chosen() -> bool:
    """Whether the environment chooses this backend, or ``activate`` has."""
    return os.environ.get("TRITON_DEFAULT_BACKEND") == "wavetank" or _activated


def note_activated() -> None:
    global _activated
    _activated = True


def devices_of_environment() -> "List[_wavetank.Device]":
    """Returns devices of the chips that the environment names: ``WAVETANK_GPU``, or one gfx90a."""
    try:
        return devices_of(os.environ.get("WAVETANK_GPU", "").strip() or DEFAULT)
    except ArgumentError as error:
        raise ArgumentError(f"WAVETANK_GPU: {error}") from None


def devices_of(chips: Any) -> "List[_wavetank.Device]":
    """Returns devices of chips that Triton compiles for. Those of several chips access the same memory.

    ``chips`` is a device, or text as ``WAVETANK_GPU`` has it: names of chips or products, parted by commas.
    """
    if isinstance(chips, _wavetank.Device):
        return [_compiled_for(chips)]
    devices: List[_wavetank.Device] = []
    for name in _wavetank.gpus_named(str(chips)):
        first = devices[0] if devices else None
        devices.append(_compiled_for(_wavetank.Device(name, memory=first)))
    return devices


def _compiled_for(device: "_wavetank.Device") -> "_wavetank.Device":
    if device.chip not in chips():
        raise ArgumentError(f"this version of Triton makes no code for {device.chip}; there are {', '.join(chips())}")
    return device


def driver() -> Any:
    """Returns the active driver."""
    from triton.runtime.driver import driver as configured

    return configured.active


def launch(
    kernel: "_wavetank.Kernel",
    arguments: List[Any],
    *,
    grid: Tuple[int, int, int],
    block: int,
    lds: int,
    cooperative: bool,
) -> None:
    """Runs a kernel, with the tools that are on."""
    global _instructions
    checking = checks.get()
    if checking is not None:
        findings, tools = checking
        findings.extend(
            _wavetank.check(kernel, *arguments, grid=grid, block=block, lds=lds, tools=tools, cooperative=cooperative)
        )
        return
    run = kernel(*arguments, grid=grid, block=block, lds=lds, cooperative=cooperative, count=_counts)
    if _counts:
        _instructions += run.instructions or 0


def benchmark(
    call: Callable[[], Any], *, quantiles: Optional[Sequence[float]] = None, **options: Any
) -> Any:
    """Measures a call for the autotuner. ``WAVETANK_AUTOTUNE`` says how.

    ``time`` (the default): seconds of this computer, as milliseconds; ``instructions``: wave instructions; ``first``: nothing is run,
    and the first configuration is the best.
    """
    global _counts, _order, _said
    how = os.environ.get("WAVETANK_AUTOTUNE", "time")
    if how not in ("time", "instructions", "first"):
        raise ArgumentError(f"WAVETANK_AUTOTUNE is first, instructions or time, not `{how}`")
    if how == "first":
        _order += 1
        values = [float(_order)]
    elif how == "instructions":
        before, _counts = _instructions, True
        try:
            call()
        finally:
            _counts = False
        values = [float(_instructions - before)]
    else:
        if not _said:
            _said = True
            print("wavetank: Triton's measured times are those of this computer, not of a GPU", file=sys.stderr)
        values = [_milliseconds(call) for _ in range(4)][1:]
    if quantiles is None:
        return float(np.mean(values))
    return [float(np.quantile(values, q)) for q in quantiles]


def _milliseconds(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return 1e3 * (time.perf_counter() - start)
