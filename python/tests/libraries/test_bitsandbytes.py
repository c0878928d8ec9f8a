"""bitsandbytes: its kernels of Triton quantize as its functions of PyTorch do on the CPU."""

import pytest

torch = pytest.importorskip("torch", reason="SKIP bitsandbytes: PyTorch is not installed")
pytest.importorskip("triton", reason="SKIP bitsandbytes: Triton is not installed")

from judge import randn  # noqa: E402

import wavetank.triton  # noqa: E402


@pytest.fixture
def ops(gpu):
    pytest.importorskip("bitsandbytes", reason="SKIP bitsandbytes: it is not installed")
    from bitsandbytes.backends.triton import ops

    return ops


def test_blocks_of_eight_bits(ops):
    from bitsandbytes.functional import create_dynamic_map

    x, code = randn(1000), create_dynamic_map()
    with wavetank.triton.check() as findings:
        numbers, largest = ops.quantize_blockwise(x, code, 256)
        back = ops.dequantize_blockwise(numbers, largest, code, 256, torch.float32)
    padded = torch.nn.functional.pad(x, (0, 24)).view(4, 256)
    expected_largest = padded.abs().amax(1)
    assert torch.equal(largest, expected_largest)
    scaled = (padded / expected_largest[:, None]).flatten()[:1000]
    # The nearest number of the code, but for ties.
    distance = (scaled[:, None] - code[None, :]).abs()
    chosen = distance.gather(1, numbers.long()[:, None])[:, 0]
    assert bool((chosen <= distance.amin(1) + 1e-6).all())
    expected = (code[numbers.long()] * expected_largest.repeat_interleave(256)[:1000])
    torch.testing.assert_close(back, expected, rtol=1e-6, atol=0)
    assert findings == []


@pytest.mark.parametrize("kind", ["nf4", "fp4"])
def test_blocks_of_four_bits(ops, kind):
    from bitsandbytes.functional import get_4bit_type

    x, code = randn(1024), get_4bit_type(kind, device="cpu")
    with wavetank.triton.check() as findings:
        numbers, largest = ops.quantize_4bit(x, 64, kind, torch.uint8)
        back = ops.dequantize_4bit(numbers, largest, 64, kind, x.shape, torch.float32)
    scale = x.view(-1, 64).abs().amax(1)
    assert torch.equal(largest.flatten(), scale)
    distance = (x.view(-1, 64) / scale[:, None])[..., None].sub(code).abs()
    nearest = code[distance.argmin(-1)] * scale[:, None]
    # A number halfway between two of the code may become either.
    differ = (back.view(-1, 64) - nearest).abs() > 1e-6
    assert int(differ.sum()) <= 2
    assert findings == []
