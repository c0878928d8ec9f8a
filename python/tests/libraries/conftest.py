"""Libraries of Triton kernels on emulated chips, with PyTorch's CPU as the judge: ``.ci/triton-libraries`` runs these tests."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from chips import chips  # noqa: E402


@pytest.fixture(params=chips() or ["none"])
def gpu(request, monkeypatch):
    """An emulated chip that PyTorch takes for its GPU. Without PyTorch or Triton, the test is skipped."""
    if request.param == "none":
        pytest.skip("PyTorch or Triton is not installed")
    # Configurations are not measured: each kernel is compiled once.
    monkeypatch.setenv("WAVETANK_AUTOTUNE", "first")
    from as_gpu import as_gpu

    with as_gpu(request.param) as gpu:
        yield gpu
