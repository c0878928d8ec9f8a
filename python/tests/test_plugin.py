"""The plugin for pytest, in a pytest of its own."""

from conftest import SAXPY, SIGNATURE

KERNEL = f"""
import numpy as np, wavetank as wt
SAXPY = '''{SAXPY}'''
def saxpy(gpu):
    return gpu.load(wt.asm(SAXPY, kernels=[{SIGNATURE!r}]))["saxpy"]
"""


def test_tests_run_on_each_chip(pytester):
    pytester.makepyfile(
        KERNEL
        + """
def test_it(gpu):
    x, y = np.ones(64, np.float32), np.zeros(64, np.float32)
    saxpy(gpu)(x, y, 2, 64, grid=64, block=64)
    assert (y == 2).all()
def test_other():
    pass
"""
    )
    result = pytester.runpytest_subprocess("-v", "--wavetank-chips=gfx906, gfx942")
    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(["*test_it?gfx906?*", "*test_it?gfx942?*"])
    pytester.makeini("[pytest]\nwavetank_chips = gfx90a")
    pytester.runpytest_subprocess("-v").stdout.fnmatch_lines(["*test_it?gfx90a?*"])


def test_findings_are_shown(pytester):
    pytester.makepyfile(
        KERNEL
        + """
def test_right(gpu, assert_no_findings):
    x = np.ones(64, np.float32)
    assert_no_findings(saxpy(gpu), x, x.copy(), 1, 64, grid=64, block=64)
def test_wrong(gpu, assert_no_findings):
    x = np.ones(64, np.float32)
    assert_no_findings(saxpy(gpu), x, x.copy(), 1, 128, grid=128, block=64)
"""
    )
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*error?memory/*", "*global_load_dword*"])


def test_a_fixture_of_the_project_is_left_alone(pytester):
    pytester.makepyfile(
        """
import pytest
@pytest.fixture
def gpu():
    return 5
def test_it(gpu):
    assert gpu == 5
"""
    )
    pytester.runpytest_subprocess("--wavetank-chips=gfx906,gfx942").assert_outcomes(passed=1)
