"""From an item to its result. Runs in a worker."""

from __future__ import annotations

import pickle
import time
from dataclasses import replace
from typing import Any, List, Optional

import numpy as np

from .. import _wavetank
from .._errors import Error, Fault, Timeout
from . import result as status
from .item import Item, Source
from .result import Difference, Result


def judge(item: Item) -> Result:
    """Runs, compares and checks an item. No mistake of the item raises: it is the result."""
    start = time.perf_counter()
    try:
        result = _run(item) if item.kernel is not None else _read(item)
    except Timeout as error:
        result = _failed(status.TIMEOUT, error)
    except Fault as error:
        result = _failed(status.FAULT, error)
    except Exception as error:  # A batch goes on, whatever is wrong with an item.
        result = _failed(status.ERROR, error)
    return replace(result, seconds=time.perf_counter() - start)


def _failed(kind: str, error: Exception) -> Result:
    sentence = str(error) if isinstance(error, Error) else f"{type(error).__name__}: {error}"
    findings = tuple(getattr(error, "findings", ()))
    return Result(kind, sentence, error=error if _can_travel(error) else None, findings=findings)


def _can_travel(error: Exception) -> bool:
    """Whether an exception goes to another process and comes out of it: its class may want more than its sentence."""
    try:
        return isinstance(pickle.loads(pickle.dumps(error)), Exception)
    except Exception:
        return False


def _code(item: Item) -> Any:
    source = item.code
    if not isinstance(source, Source):
        return source
    return _wavetank.asm(
        source.text, item.chip, kernels=list(source.kernels), defines=dict(source.defines), dialect=source.dialect
    )


def _tools(item: Item) -> Optional[List[str]]:
    return None if isinstance(item.check, bool) else list(item.check)


def _read(item: Item) -> Result:
    """Checks code that does not run."""
    findings = _wavetank.check_file(_code(item), tools=_tools(item))
    return _judged(Result(status.OK, findings=tuple(findings)))


def _run(item: Item) -> Result:
    # Copies, which the kernel may change: engines of one process have the caller's own arrays. An array that is given twice stays one.
    copies = {id(value): np.array(value) for value in item.args if isinstance(value, np.ndarray)}
    args = [copies.get(id(value), value) for value in item.args]
    # With one thread, runs repeat bit for bit; a batch has its threads in its workers.
    with _wavetank.Device(item.chip, threads=1, schedule=item.schedule, strict=item.strict) as device:
        kernel = device.load(_code(item))[item.kernel or ""]
        assert item.grid is not None
        if item.check:
            findings = _wavetank.check(
                kernel, *args, grid=item.grid, block=item.block, lds=item.lds, timeout=item.timeout, tools=_tools(item)
            )
            result = Result(status.OK, findings=tuple(findings))
        else:
            run = kernel(*args, grid=item.grid, block=item.block, lds=item.lds, timeout=item.timeout)
            result = Result(status.OK, instructions=run.instructions, waves=run.waves)
    result = replace(result, arrays={n: args[n] for n in item.keep}, difference=first_difference(item, args))
    return _judged(result)


def _judged(result: Result) -> Result:
    """Sets the status: a wrong result comes before what may be its cause."""
    if result.difference is not None:
        return replace(result, status=status.DIFFERS, message=str(result.difference))
    if result.findings:
        count = len(result.findings)
        more = f", and {count - 1} more" if count > 1 else ""
        first = result.findings[0]
        return replace(result, status=status.FINDINGS, message=f"{first.rule}: {first.message}{more}")
    return result


def is_same(got: Any, want: Any, rtol: float, atol: float) -> Any:
    """Returns for each element whether it is as expected. NaNs are the same; without tolerances, only equal numbers are."""
    with np.errstate(all="ignore"):
        if rtol or atol:
            return np.isclose(got, want, rtol=rtol, atol=atol, equal_nan=True)
        return (got == want) | ((got != got) & (want != want))


def first_difference(item: Item, args: List[Any]) -> Optional[Difference]:
    """Returns the first element that is not as expected, in the order of arguments and of C."""
    for number in sorted(item.expect):
        got = args[number]
        want = np.broadcast_to(item.expect[number], got.shape)
        same = is_same(got, want, item.rtol, item.atol)
        if not np.all(same):
            wrong = np.argwhere(~same)
            index = tuple(int(n) for n in wrong[0])
            return Difference(number, index, got[index].item(), want[index].item(), len(wrong))
    return None
