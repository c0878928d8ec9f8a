"""The plugin for pytest, in a pytest of its own."""

import importlib.util

import pytest
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


# It is not imported here: the fixture `pytester` forgets what a test has imported, and Triton cannot be imported twice.
needs_triton = pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="SKIP Triton: it is not installed")

TRITON = """
import numpy as np, pytest, triton, triton.language as tl, wavetank as wt, wavetank.triton

@triton.jit
def fill(x, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(x + at, n, at < n)

def test_right(triton_gpu):
    x = np.zeros(40, np.int32)
    fill[(1,)](x, 40, BLOCK=64)
    assert (x == 40).all()
    assert triton.runtime.driver.active.get_current_target().arch == triton_gpu.chip

def test_wrong(triton_gpu):
    fill[(1,)](np.zeros(40, np.int32), 41, BLOCK=64)

def test_that_is_wrong_on_purpose(triton_gpu):
    with wavetank.triton.check() as findings:
        fill[(1,)](np.zeros(40, np.int32), 41, BLOCK=64)
    assert len(findings) == 1

def test_that_fails_by_itself(triton_gpu):
    fill[(1,)](np.zeros(40, np.int32), 41, BLOCK=64)
    assert 1 == 2
"""


@needs_triton
def test_tritons_kernels_are_checked_on_each_chip(pytester):
    pytester.makepyfile(TRITON)
    result = pytester.runpytest_subprocess("-v", "--wavetank-chips=gfx90a,gfx942")
    result.assert_outcomes(passed=4, failed=4)
    result.stdout.fnmatch_lines(["*test_right?gfx90a? PASSED*", "*test_wrong?gfx90a? FAILED*", "*test_right?gfx942? PASSED*"])
    shown = ["1 finding:", "error?memory/out-of-bounds?*", "*tritons_kernels*.py:6*", "*nearest allocation is x (160 bytes*"]
    result.stdout.fnmatch_lines(shown)
    result.stdout.fnmatch_lines(["E*assert 1 == 2*"])


@needs_triton
def test_a_chip_without_a_compiler_is_an_error(pytester):
    pytester.makepyfile(TRITON)
    result = pytester.runpytest_subprocess("-k", "right", "--wavetank-chips=gfx803")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["E*no code for gfx803; there are*"])


@needs_triton
def test_the_driver_is_restored(pytester):
    pytester.makepyfile(
        TRITON.partition("def test_wrong")[0]
        + """
@pytest.fixture(autouse=True)
def mine():
    gpu = wavetank.triton.activate("gfx908")
    yield
    assert triton.runtime.driver.active.gpu is gpu
"""
    )
    pytester.runpytest_subprocess("--wavetank-chips=gfx90a").assert_outcomes(passed=1)
