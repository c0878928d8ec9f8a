"""The exceptions of the package. Each has a sentence, and facts as attributes."""

from __future__ import annotations

from typing import Any, List, Optional, Tuple


class Error(Exception):
    """The base of all errors of this package.

    ``findings`` are those of the tools up to the error, if a kernel ran.
    """

    findings: List[Any] = []


class ArgumentError(Error, TypeError, ValueError):
    """A wrong argument of a call: a number, type or size that does not fit."""


class AssemblyError(Error, ValueError):
    """Wrong lines of a source.

    ``errors`` has for each of them its number, the column, the sentence and the text of the line.
    """

    errors: List[Tuple[int, int, str, str]] = []


class Timeout(Error):
    """A kernel that did not end in time. ``kernel`` is its name."""

    kernel: str = ""


class Fault(Error):
    """A kernel that stopped: a refused access to memory, a trap, or an instruction that is not supported.

    ``pc`` is the device address of the instruction, ``instruction`` its text, ``file`` and ``line`` its line of source. ``lane``
    and ``address`` are those of the first refused access; ``group`` and ``wave`` say which wave it was. What is not known is
    ``None``.
    """

    kernel: str = ""
    pc: int = 0
    instruction: Optional[str] = None
    file: Optional[str] = None
    line: Optional[int] = None
    lane: Optional[int] = None
    address: Optional[int] = None
    group: List[int] = []
    wave: int = 0


for _class in (Error, ArgumentError, AssemblyError, Timeout, Fault):
    # As users import them.
    _class.__module__ = "wavetank"
