"""Traces: what a wave of a launch executed, instruction by instruction."""

from __future__ import annotations

import html
from typing import Any, List, Optional, Tuple

from . import _wavetank


class Trace(List["_wavetank.Step"]):
    """The steps of a wave in their order. ``fault`` is the exception that ended the launch, or ``None``."""

    fault: Optional[Exception] = None

    def __str__(self) -> str:
        return "\n".join(str(step) for step in self)

    def _repr_html_(self) -> str:
        rows = []
        for step in self:
            changes = ", ".join(
                f"{name}={value:#x}" if isinstance(value, int) else name
                for name, value in step.changes.items()
            )
            cells = (f"+{step.offset:#x}", step.text, changes)
            rows.append(
                "<tr>" + "".join(f'<td style="text-align:left">{html.escape(cell)}</td>' for cell in cells) + "</tr>"
            )
        if self.fault is not None:
            rows.append(f'<tr><td colspan="3" style="color:#b00020">{html.escape(str(self.fault))}</td></tr>')
        return f'<table class="wavetank-trace" style="font-family:monospace">{"".join(rows)}</table>'


def trace(
    kernel: "_wavetank.Kernel",
    *args: Any,
    grid: Any,
    block: Any = None,
    lds: int = 0,
    timeout: Optional[float] = None,
    group: Tuple[int, int, int] = (0, 0, 0),
    wave: int = 0,
    most: int = 100_000,
) -> Trace:
    """Launches a kernel as a call of it does, and returns the first ``most`` steps of one wave of one work-group.

    Each step has the registers that have new values, and the accesses to memory. A kernel that faults does not raise: its trace ends
    before the fault, which is ``fault``.

    >>> import wavetank as wt
    >>> gpu = wt.Device("gfx906")
    >>> source = "add:\\n s_add_u32 s4, s2, 5\\n v_mov_b32 v1, s4\\n s_endpgm"
    >>> steps = wt.trace(gpu.load(wt.asm(source, kernels=["add()"]))["add"], grid=256, group=(3, 0, 0))
    >>> steps[0].text, steps[0].changes["s4"]
    ('s_add_u32 s4, s2, 5', 8)
    >>> steps[1].changes["v1"][:3]
    array([8, 8, 8], dtype=uint32)
    """
    steps, fault = _wavetank.trace(kernel, args, grid, block, lds, timeout, group, wave, most)
    result = Trace(steps)
    result.fault = fault
    return result
