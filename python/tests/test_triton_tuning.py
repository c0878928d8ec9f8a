"""The first configuration that can be launched is chosen for autotuned kernels. Without Triton, the tests are skipped."""

import numpy as np
import pytest

triton = pytest.importorskip("triton", reason="SKIP Triton: it is not installed")

import triton.language as tl  # noqa: E402

import wavetank.triton  # noqa: E402


@pytest.fixture(autouse=True)
def first(monkeypatch):
    monkeypatch.setenv("WAVETANK_AUTOTUNE", "first")
    return wavetank.triton.activate("gfx90a")


@triton.jit
def count_kernel(x, n, BLOCK: tl.constexpr):
    tl.static_assert(BLOCK <= 256)
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + at, tl.load(x + at, at < n) + BLOCK, at < n)


def tuned(kernel, *blocks):
    return triton.autotune(configs=[triton.Config({"BLOCK": block}) for block in blocks], key=["n"])(kernel)


def test_a_configuration_that_does_not_compile_is_left_out():
    kernel, x = tuned(count_kernel, 512, 128, 256), np.zeros(300, np.float32)
    grid = lambda meta: (triton.cdiv(300, meta["BLOCK"]),)
    kernel[grid](x, 300)
    # Nothing ran to choose: the kernel has counted once.
    assert (x == 128).all()
    kernel[grid](x, 300)
    assert (x == 256).all()


@triton.jit
def product_kernel(a, b, c, n, BLOCK: tl.constexpr):
    m, k = tl.arange(0, BLOCK), tl.arange(0, 128)
    left = tl.load(a + m[:, None] * 128 + k[None, :], m[:, None] < n, other=0.0)
    right = tl.load(b + k[:, None] * n + m[None, :], m[None, :] < n, other=0.0)
    tl.store(c + m[:, None] * n + m[None, :], tl.dot(left, right, input_precision="ieee"), (m[:, None] < n) & (m[None, :] < n))


def test_a_configuration_with_too_much_lds_is_left_out():
    a, b = (np.random.default_rng(seed).standard_normal(32 * 128).astype(np.float32) for seed in (1, 2))
    c = np.zeros((32, 32), np.float32)
    kernel = tuned(product_kernel, 256, 32)
    kernel[(1,)](a, b, c, 32)
    np.testing.assert_allclose(c, a.reshape(32, 128) @ b.reshape(128, 32), rtol=1e-4, atol=1e-4)
    assert kernel.best_config.kwargs["BLOCK"] == 32


def test_the_first_error_is_told_if_no_configuration_compiles():
    with pytest.raises(triton.CompilationError):
        tuned(count_kernel, 512, 1024)[(1,)](np.zeros(300, np.float32), 300)
