"""What the cases share: the chips, and launches that are checked.

A test marked `checked` runs with the tools of `wavetank.triton.check`, and has no findings. `WAVETANK_CASES_CHECKED=all` in the
environment checks all of them.
"""

import os

import pytest

# Triton warns where it is not chosen.
os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")

CHIPS = ["gfx906", "gfx90a", "gfx942"]


def pytest_configure(config):
    config.addinivalue_line("markers", "checked: the launches of the test have no findings")


@pytest.fixture(params=CHIPS)
def gpu(request):
    """A device of each chip; Triton's launches run on it."""
    import wavetank.triton

    device = wavetank.triton.activate(request.param)
    if request.node.get_closest_marker("checked") is None and os.environ.get("WAVETANK_CASES_CHECKED") != "all":
        yield device
        return
    with wavetank.triton.check() as findings:
        yield device
    assert not findings, "\n\n".join(str(finding) for finding in findings[:5])
