"""Assertions for tests."""

from __future__ import annotations

from typing import Any, List

from . import _wavetank


def assert_no_findings(kernel: Any, *args: Any, **settings: Any) -> None:
    """Launches a kernel with tools, as ``wavetank.check`` does, and fails with the findings if there are any.

    Instead of a kernel with its arguments, a list of findings may be given.

    >>> from wavetank.testing import assert_no_findings
    >>> assert_no_findings([])
    """
    __tracebackhide__ = True
    findings: List[_wavetank.Finding]
    if isinstance(kernel, _wavetank.Kernel):
        findings = _wavetank.check(kernel, *args, **settings)
    elif args or settings:
        raise TypeError("a list of findings takes no further arguments")
    else:
        findings = list(kernel)
    if findings:
        count = "1 finding" if len(findings) == 1 else f"{len(findings)} findings"
        raise AssertionError(f"{count}:\n\n" + "\n\n".join(str(finding) for finding in findings))
