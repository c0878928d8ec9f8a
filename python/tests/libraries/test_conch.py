"""Conch: kernels of inference with paged memory, of quantization and of vision."""

import pytest

torch = pytest.importorskip("torch", reason="SKIP Conch: PyTorch is not installed")
pytest.importorskip("triton", reason="SKIP Conch: Triton is not installed")

from judge import distance, randn  # noqa: E402

import wavetank.triton  # noqa: E402


@pytest.fixture
def conch(gpu):
    return pytest.importorskip("conch.ops", reason="SKIP Conch: it is not installed")


def test_gelu_and_product(conch):
    from conch.ops.activation.gelu_tanh_and_mul import gelu_tanh_and_mul

    x = randn(10, 256)
    with wavetank.triton.check() as findings:
        got = gelu_tanh_and_mul(x)
    left, right = x.double().chunk(2, -1)
    assert distance(got, torch.nn.functional.gelu(left, approximate="tanh") * right) < 1e-5
    assert findings == []


def test_rms_norm(conch):
    from conch.ops.normalization.rms_norm import rms_norm

    x, w = randn(10, 300), randn(300, seed=1)
    with wavetank.triton.check() as findings:
        got = rms_norm(x.clone(), w, 1e-6)
    x = x.double()
    assert distance(got, x * (x.square().mean(-1, keepdim=True) + 1e-6).rsqrt() * w) < 1e-5
    assert findings == []


def test_numbers_of_eight_bits(conch):
    from conch.ops.quantization.int8 import scaled_int8_quant

    x = randn(10, 128) * 20
    with wavetank.triton.check() as findings:
        got = scaled_int8_quant(x, torch.tensor([0.5]))[0]
    assert bool((got == (x / 0.5).clamp(-128, 127).trunc().to(torch.int8)).all())
    assert findings == []


def test_boxes_that_overlap_are_left_out(conch):
    from conch.ops.vision.nms import nms

    low = torch.rand(40, 2, generator=torch.Generator().manual_seed(1)) * 10
    boxes, scores = torch.cat([low, low + 3], -1), randn(40, seed=2)
    with wavetank.triton.check() as findings:
        got = nms(boxes, scores, 0.3)
    kept = []
    for box in scores.argsort(descending=True).tolist():
        common = [
            (torch.minimum(boxes[box, 2:], boxes[other, 2:]) - torch.maximum(boxes[box, :2], boxes[other, :2])).clamp(min=0).prod()
            for other in kept
        ]
        if all(float(area / (18 - area)) <= 0.3 for area in common):
            kept.append(box)
    assert sorted(got.tolist()) == sorted(kept)
    assert findings == []
