"""The plugin for pytest: emulated GPUs for tests.

``gpu`` is a device of one thread, so that runs repeat bit for bit. ``--wavetank-chips=gfx803,gfx906`` runs each test that uses it
once on each of these chips. ``assert_no_findings`` launches a kernel with tools, and fails with what they find. ``triton_gpu`` runs
Triton's kernels on the chip, with tools, and the test fails with what they find.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Iterator, List

import pytest

if TYPE_CHECKING:
    import wavetank

DEFAULT = "gfx906"

# The findings in Triton's kernels while a test runs.
_findings: "pytest.StashKey[List[wavetank.Finding]]" = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("wavetank", "emulated GPUs")
    group.addoption(
        "--wavetank-chips",
        metavar="CHIPS",
        help=f"the chips on which tests with the fixtures gpu and triton_gpu run, separated by commas (default: {DEFAULT})",
    )
    parser.addini("wavetank_chips", "the chips of the fixtures gpu and triton_gpu", default=DEFAULT)


def _chips(config: pytest.Config) -> List[str]:
    chosen = config.getoption("--wavetank-chips") or config.getini("wavetank_chips")
    return [chip.strip() for chip in chosen.split(",") if chip.strip()]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    # A fixture of its own, so that a project's own fixture `gpu` is left alone.
    if "wavetank_chip" in metafunc.fixturenames:
        metafunc.parametrize("wavetank_chip", _chips(metafunc.config), scope="session")


@pytest.fixture
def gpu(wavetank_chip: str) -> "Iterator[wavetank.Device]":
    """An emulated GPU, one for each chip of ``--wavetank-chips``."""
    import wavetank

    with wavetank.Device(wavetank_chip, threads=1) as device:
        yield device


@pytest.fixture
def assert_no_findings() -> Callable[..., None]:
    """Launches a kernel with tools, and fails with their findings."""
    from wavetank import testing

    return testing.assert_no_findings


@pytest.fixture
def triton_gpu(wavetank_chip: str, request: pytest.FixtureRequest) -> "Iterator[wavetank.Device]":
    """Runs Triton's kernels on an emulated GPU, one for each chip of ``--wavetank-chips``, and lets the test fail with findings.

    Launches in a ``with wavetank.triton.check()`` of the test's own, and in other threads, are left to the test.
    """
    pytest.importorskip("triton", reason="Triton is not installed")
    import wavetank.triton

    with wavetank.triton.restored(), wavetank.Device(wavetank_chip, threads=1) as device:
        wavetank.triton.activate(device)
        with wavetank.triton.check() as findings:
            request.node.stash[_findings] = findings
            yield device


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Lets a test fail whose kernels of Triton have findings."""
    outcome: Any = yield
    findings = item.stash.get(_findings, None)
    if findings and outcome.excinfo is None:
        from wavetank import testing

        try:
            testing.assert_no_findings(findings)
        except AssertionError as error:
            # Without the lines of this function.
            outcome.force_exception(pytest.fail.Exception(str(error), pytrace=False))
