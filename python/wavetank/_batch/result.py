"""Results of a batch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, Optional, Tuple

from .. import _wavetank
from .item import Item

OK = "ok"
DIFFERS = "differs"
FINDINGS = "findings"
FAULT = "fault"
TIMEOUT = "timeout"
ERROR = "error"
DIED = "died"


@dataclass(frozen=True)
class Difference:
    """The first element that is not as expected: its argument and place, both values, and the number of elements that differ."""

    argument: int
    index: Tuple[int, ...]
    got: Any
    want: Any
    count: int

    def __str__(self) -> str:
        place = ", ".join(str(n) for n in self.index)
        s = "s differ" if self.count != 1 else " differs"
        return f"argument {self.argument} has {self.got!r} at [{place}], not {self.want!r}; {self.count} element{s}"


@dataclass(frozen=True)
class Result:
    """What became of an item.

    ``status`` is one of these words; ``message`` is a sentence about it, but for ``ok``:

    - ``ok``: the kernel ran, all arrays are as expected, and no tool found a mistake;
    - ``differs``: ``difference`` is the first element that is not as expected;
    - ``findings``: ``findings`` has what the tools found;
    - ``fault``: the kernel stopped, and ``error`` is the ``wavetank.Fault``;
    - ``timeout``: it did not end in its time;
    - ``error``: code or arguments are wrong, and ``error`` says how;
    - ``died``: the process that ran it died, more than once.

    ``index`` is the place of the item among those of the batch. ``instructions`` and ``waves`` are those of ``wavetank.Run``, or
    ``None`` if tools watched the run. ``seconds`` is the time that the worker took. ``arrays`` has the arguments to keep, by number.
    """

    status: str
    message: str = ""
    difference: Optional[Difference] = None
    findings: Tuple["_wavetank.Finding", ...] = ()
    error: Optional[Exception] = None
    instructions: Optional[int] = None
    waves: Optional[int] = None
    seconds: float = 0.0
    arrays: Dict[int, Any] = field(default_factory=dict)
    index: int = -1
    item: Optional[Item] = None

    @property
    def ok(self) -> bool:
        """Whether the status is ``ok``."""
        return self.status == OK

    def __repr__(self) -> str:
        about = f": {self.message}" if self.message else ""
        return f"Result({self.index}, {self.status}{about})"
