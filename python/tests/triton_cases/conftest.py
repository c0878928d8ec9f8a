"""What the cases share: the chips, and launches that are checked.

Tests run on each chip. Those marked `checked` run once more with the tools of `wavetank.triton.check`, and have no findings then.
"""

import os

import pytest

# Triton warns where it is not chosen.
os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")

CHIPS = ["gfx906", "gfx90a", "gfx942"]


def pytest_configure(config):
    config.addinivalue_line("markers", "checked: the launches of the test have no findings")


def pytest_generate_tests(metafunc):
    if "gpu" not in metafunc.fixturenames:
        return
    runs = [pytest.param((chip, False), id=chip) for chip in CHIPS]
    if metafunc.definition.get_closest_marker("checked") is not None:
        runs += [pytest.param((chip, True), id=f"{chip}-checked") for chip in CHIPS]
    metafunc.parametrize("gpu", runs, indirect=True)


@pytest.fixture
def gpu(request):
    """A device of a chip; Triton's launches run on it."""
    import wavetank.triton

    chip, checked = request.param
    device = wavetank.triton.activate(chip)
    if not checked:
        yield device
        return
    with wavetank.triton.check() as findings:
        yield device
    assert not findings, "\n\n".join(str(finding) for finding in findings[:5])
