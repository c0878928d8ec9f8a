"""Captured launches: files with one launch of a kernel each, to be listed and repeated."""

from __future__ import annotations

import io
import json
import os
import pickle
import subprocess
import sys
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple, Union

from . import _wavetank
from ._errors import Error

#: The most processes that try to repeat a launch. Each gets other addresses from the system.
_TRIES = 20


@dataclass(frozen=True)
class Replay:
    """A captured launch that was repeated.

    ``equal`` says whether all memory is as it was after the captured launch, and is ``None`` if that had not ended. ``written`` is
    the number of pages of 4,096 bytes that the captured launch had written; ``different`` has those that are not as they were:
    the address, the name of the allocation, and the offset in it.
    """

    equal: Optional[bool]
    written: Optional[int]
    different: List[Tuple[int, str, int]]
    instructions: int
    seconds: float


class Capture:
    """A captured launch: the file that ``capture=`` of a launch, or ``wavetank run --capture``, has written.

    ``kernel``, ``chip``, ``number``, ``grid`` and ``block`` describe the launch; ``allocations`` has name, address and bytes of the
    memory that it could access. ``pages`` counts the pages that were not zero, and ``written`` those that it wrote (``None`` if it
    did not end). ``failure`` is the sentence about a launch that failed.

    >>> import numpy as np, os, tempfile, wavetank as wt
    >>> gpu = wt.Device("gfx906")
    >>> fill = gpu.load(wt.asm('''fill:
    ...     s_load_dwordx4 s[4:7], s[0:1], 0x0
    ...     v_lshlrev_b32 v0, 2, v0
    ...     s_waitcnt lgkmcnt(0)
    ...     v_mov_b32 v1, s6
    ...     global_store_dword v0, v1, s[4:5]
    ...     s_endpgm''', kernels=["fill(global f32* y, f32 a)"]))["fill"]
    >>> path = os.path.join(tempfile.mkdtemp(), "fill.wtc")
    >>> run = fill(np.zeros(64, np.float32), 2.5, grid=64, block=64, capture=path)
    >>> capture = wt.Capture(path)
    >>> capture.kernel, capture.grid, capture.written
    ('fill', (64, 1, 1), 1)
    >>> capture.replay().equal
    True

    Raises ``wavetank.Error`` for a file that is not a capture, and ``OSError`` for one that cannot be read.
    """

    def __init__(self, path: Union[str, "os.PathLike[str]"]) -> None:
        self.path = os.fspath(path)
        contents: Dict[str, Any] = json.loads(_wavetank.capture_contents(self.path))
        self.kernel: str = contents["kernel"]
        self.chip: str = contents["chip"]
        self.number: int = contents["number"]
        self.grid: Tuple[int, int, int] = tuple(contents["grid"])
        self.block: Tuple[int, int, int] = tuple(contents["block"])
        self.pages: int = contents["pages"]
        self.written: Optional[int] = contents["written"]
        self.failure: Optional[str] = contents["failure"]
        self.allocations: List[Tuple[str, int, int]] = [
            (found["name"], found["address"], found["bytes"]) for found in contents["allocations"]
        ]

    def replay(self, timeout: Optional[float] = None) -> Replay:
        """Repeats the launch in a process of its own, where its memory lies at the same addresses, and compares the memory.

        What the kernel prints is printed here. Raises ``wavetank.Fault`` for a kernel that stops, and ``wavetank.Timeout`` for one
        that takes longer than ``timeout`` seconds.
        """
        command = [sys.executable, "-m", "wavetank._capture", self.path, repr(timeout)]
        # The process finds the package where this one has found it.
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        for _ in range(_TRIES):
            ran = subprocess.run(command, stdout=subprocess.PIPE, env=environment, check=False)
            if ran.returncode != 0:
                raise Error(f"{self.path}: the process that repeats it has ended with {ran.returncode}")
            result, text = pickle.loads(ran.stdout)
            sys.stdout.write(text)
            if isinstance(result, Exception):
                raise result
            if result is not None:
                instructions, seconds, written, different = result
                equal = None if written is None else not different
                return Replay(equal, written, different, instructions, seconds)
        raise Error(f"{self.path}: no process had the addresses of the launch free")

    def __repr__(self) -> str:
        return f"Capture({self.kernel!r}, grid={self.grid}, block={self.block})"


def _repeat(path: str, timeout: Optional[float]) -> Tuple[Any, str]:
    """Repeats a launch in this process; returns the result or the exception, and what was printed."""
    sys.stdout = text = io.StringIO()
    try:
        result: Any = _wavetank.replay(path, timeout)
    except Exception as error:
        result = error
    return result, text.getvalue()


if __name__ == "__main__":
    _out = sys.stdout.buffer
    _out.write(pickle.dumps(_repeat(sys.argv[1], None if sys.argv[2] == "None" else float(sys.argv[2]))))
