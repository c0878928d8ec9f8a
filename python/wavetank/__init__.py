"""Runs and checks AMD GPU kernels on any Linux machine: no GPU, no driver, no root.

>>> import numpy as np, wavetank as wt
>>> source = '''
... double:
...     s_load_dwordx2 s[4:5], s[0:1], 0x0
...     v_lshlrev_b32 v1, 2, v0
...     s_waitcnt lgkmcnt(0)
...     global_load_dword v2, v1, s[4:5]
...     s_waitcnt vmcnt(0)
...     v_add_f32 v2, v2, v2
...     global_store_dword v1, v2, s[4:5]
...     s_endpgm
... '''
>>> gpu = wt.Device("gfx906")
>>> mod = gpu.load(wt.asm(source, kernels=["double(global f32* x)"]))
>>> y = gpu.array(np.arange(64, dtype=np.float32))
>>> run = mod["double"](y, grid=64, block=64)
>>> y.numpy()[:4]
array([0., 2., 4., 6.], dtype=float32)
>>> run.instructions
8

The guide is docs/how-to/python.md.
"""

from ._errors import ArgumentError, AssemblyError, Error, Fault, Timeout
from ._wavetank import (
    Accessed,
    Array,
    Assembly,
    Device,
    Executed,
    Finding,
    HookedWave,
    HostMemory,
    Instruction,
    Kernel,
    Launch,
    Module,
    Registers,
    Run,
    Step,
    Wave,
    asm,
    asm_many,
    asm_surface,
    check,
    check_file,
    dis_many,
    dis_surface,
    explain,
    isa,
)
from ._capture import Capture, Replay
from ._batch import Difference, Item, Result, Source, batch
from ._listing import Listing, dis
from ._state import exec
from ._trace import Trace, trace

__all__ = [
    "Accessed",
    "ArgumentError",
    "Array",
    "Assembly",
    "AssemblyError",
    "Capture",
    "Device",
    "Difference",
    "Error",
    "Executed",
    "Fault",
    "Finding",
    "HookedWave",
    "HostMemory",
    "Instruction",
    "Item",
    "Kernel",
    "Launch",
    "Listing",
    "Module",
    "Registers",
    "Replay",
    "Result",
    "Run",
    "Source",
    "Step",
    "Timeout",
    "Trace",
    "Wave",
    "asm",
    "asm_many",
    "asm_surface",
    "batch",
    "check",
    "check_file",
    "dis",
    "dis_many",
    "dis_surface",
    "exec",
    "explain",
    "isa",
    "trace",
]
