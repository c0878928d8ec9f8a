"""Liger-Kernel: its operations compute what PyTorch's formulas say, forward and backward."""

import pytest

torch = pytest.importorskip("torch", reason="SKIP Liger-Kernel: PyTorch is not installed")
pytest.importorskip("triton", reason="SKIP Liger-Kernel: Triton is not installed")

import torch.nn.functional as F  # noqa: E402
from judge import agree, randn  # noqa: E402

N, C = 24, 200


@pytest.fixture
def liger(gpu):
    return pytest.importorskip("liger_kernel.transformers.functional", reason="SKIP Liger-Kernel: it is not installed")


def targets():
    made = torch.randint(0, C, (N,), generator=torch.Generator().manual_seed(3))
    # An index that is to be left out.
    made[4] = -100
    return made


def test_rms_norm(liger):
    agree(
        lambda x, w: liger.liger_rms_norm(x, w, 1e-6),
        lambda x, w: x * (x.square().mean(-1, keepdim=True) + 1e-6).rsqrt() * w,
        randn(N, C),
        randn(C, seed=1),
    )


def test_layer_norm(liger):
    agree(
        lambda x, w, b: liger.liger_layer_norm(x, w, b, 1e-5),
        lambda x, w, b: F.layer_norm(x, (C,), w, b, 1e-5),
        randn(N, C),
        randn(C, seed=1),
        randn(C, seed=2),
    )


def test_group_norm(liger):
    agree(
        lambda x, w, b: liger.liger_group_norm(x, w, b, 6, 3, 1e-5),
        lambda x, w, b: F.group_norm(x, 3, w, b, 1e-5),
        randn(4, 6, 50),
        randn(6, seed=1),
        randn(6, seed=2),
    )


def test_sum_and_rms_norm(liger):
    def formula(x, r, w):
        total = x + r
        return total * (total.square().mean(-1, keepdim=True) + 1e-6).rsqrt() * w, total

    agree(
        lambda x, r, w: liger.liger_fused_add_rms_norm(x, r, w, 1e-6),
        formula,
        randn(N, C),
        randn(N, C, seed=1),
        randn(C, seed=2),
    )


def test_dynamic_tanh(liger):
    agree(
        liger.liger_dyt,
        lambda x, alpha, gamma, beta: gamma * torch.tanh(alpha * x) + beta,
        randn(N, C),
        torch.tensor([0.7]),
        randn(C, seed=1),
        randn(C, seed=2),
    )


def test_softmax(liger):
    agree(liger.liger_softmax, lambda x: x.softmax(-1), randn(N, C))


def test_sparsemax(liger):
    def formula(x):
        ordered = x.sort(-1, descending=True).values
        count = torch.arange(1, C + 1)
        above = ordered.cumsum(-1) - 1
        size = (ordered * count > above).sum(-1, keepdim=True)
        return (x - above.gather(-1, size - 1) / size).clamp(min=0)

    agree(liger.liger_sparsemax, formula, randn(N, C))


def test_swiglu(liger):
    agree(liger.liger_swiglu, lambda a, b: F.silu(a) * b, randn(N, C), randn(N, C, seed=1))


def test_geglu(liger):
    agree(liger.liger_geglu, lambda a, b: F.gelu(a, approximate="tanh") * b, randn(N, C), randn(N, C, seed=1))


def test_relu_squared(liger):
    agree(liger.liger_relu_squared, lambda x: F.relu(x).square(), randn(N, C))


def test_rope(liger):
    def turned(x, cos, sin):
        half = x.shape[-1] // 2
        return x * cos + torch.cat([-x[..., half:], x[..., :half]], -1) * sin

    angle = torch.outer(torch.arange(20.0), 10000 ** -(torch.arange(16) / 16))
    cos, sin = (torch.cat([part, part], -1)[None].requires_grad_(False) for part in (angle.cos(), angle.sin()))
    agree(
        lambda q, k: liger.liger_rope(q, k, cos, sin),
        lambda q, k: (turned(q, cos.double(), sin.double()), turned(k, cos.double(), sin.double())),
        randn(2, 4, 20, 32),
        randn(2, 2, 20, 32, seed=1),
        in_place=True,
    )


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_cross_entropy(liger, smoothing):
    agree(
        lambda x, t: liger.liger_cross_entropy(x, t, label_smoothing=smoothing),
        lambda x, t: F.cross_entropy(x, t, label_smoothing=smoothing),
        randn(N, C),
        targets(),
        in_place=True,
    )


def test_linear_and_cross_entropy(liger):
    agree(
        lambda x, w, t: liger.liger_fused_linear_cross_entropy(x, w, t),
        lambda x, w, t: F.cross_entropy(x @ w.t(), t),
        randn(N, 48),
        randn(C, 48, seed=1),
        targets(),
        in_place=True,
    )


def test_divergence_of_kullback_and_leibler(liger):
    target = randn(N, C, seed=1).softmax(-1)
    agree(
        lambda x: liger.liger_kl_div(x.log_softmax(-1), target, reduction="batchmean"),
        lambda x: F.kl_div(x.log_softmax(-1), target.double(), reduction="batchmean"),
        randn(N, C),
    )


@pytest.mark.parametrize("beta", [0.1, 0.5])
def test_divergence_of_jensen_and_shannon(liger, beta):
    target = randn(N, C, seed=1).log_softmax(-1)

    def formula(x):
        ours, theirs = x.log_softmax(-1), target.double()
        mean = (beta * theirs.exp() + (1 - beta) * ours.exp()).log()
        parts = beta * theirs.exp() * (theirs - mean) + (1 - beta) * ours.exp() * (ours - mean)
        return parts.sum() / N

    agree(lambda x: liger.liger_jsd(x.log_softmax(-1), target, None, beta), formula, randn(N, C))


def test_total_variation(liger):
    target = randn(N, C, seed=1).softmax(-1)
    agree(
        lambda x: liger.liger_tvd(x.softmax(-1), target, None, "batchmean"),
        lambda x: 0.5 * (x.softmax(-1) - target.double()).abs().sum() / N,
        randn(N, C),
    )
