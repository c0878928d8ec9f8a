"""Kernels that compilers made."""

import pathlib

import numpy as np
import pytest

import wavetank as wt
from conftest import numbers

DATA = pathlib.Path(__file__).parents[2] / "crates" / "object" / "tests" / "data"


@pytest.fixture
def vecadd():
    with wt.Device("gfx900", threads=2) as gpu:
        yield gpu.load(DATA / "vecadd-gfx900.hsaco")["vecadd"]


def test_a_kernel_of_opencl(vecadd):
    a, b, c = numbers(1000), numbers(1000, 2), np.zeros(1000, np.float32)
    run = vecadd(a, b, c, 1000, grid=1024, block=64)
    np.testing.assert_array_equal(c, a + b)
    assert run.waves == 16 and vecadd.vgprs > 0 and "float*" in vecadd.signature
    assert wt.check(vecadd, a, b, c, 1000, grid=1024, block=64) == []
    with pytest.raises(wt.ArgumentError, match="float64"):
        vecadd(a.astype(np.float64), b, c, 1000, grid=1024)


def test_lines_of_source():
    listing = wt.dis(DATA / "lines-gfx900.hsaco")
    known = [inst for inst in listing if inst.line]
    assert known and {pathlib.Path(inst.file).name for inst in known} == {"lines.cl", "lines.h"}


def test_a_fault_names_its_line():
    with wt.Device("gfx900", threads=1) as gpu:
        kernel = gpu.load(str(DATA / "lines-gfx900.hsaco"))["lines"]
        with pytest.raises(wt.Fault) as caught:
            kernel(None, None, 64, grid=64, block=64)
    fault = caught.value
    # `sum = square(in[i]);`
    assert (fault.kernel, fault.line, fault.lane) == ("lines", 9, 0)
    assert fault.file.endswith("lines.cl") and "lines.cl:9" in str(fault)
