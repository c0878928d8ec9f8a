"""Functions that ``torch.compile`` makes kernels of compute the same as without it."""

import pytest

torch = pytest.importorskip("torch", reason="SKIP Inductor: PyTorch is not installed")
pytest.importorskip("triton", reason="SKIP Inductor: Triton is not installed")

import torch.nn.functional as F  # noqa: E402
from chips import chips  # noqa: E402
from judge import agree, randn  # noqa: E402

from wavetank.triton import _state  # noqa: E402

with_inductor = pytest.importorskip("with_inductor", reason="SKIP Inductor: this version of PyTorch has no such interface")


@pytest.fixture(params=chips())
def launches(request, monkeypatch):
    """A list of the kernels that were launched."""
    launched, launch = [], _state.launch
    monkeypatch.setattr(_state, "launch", lambda kernel, *of, **named: (launched.append(kernel), launch(kernel, *of, **named)))
    with with_inductor.inductor(request.param):
        yield launched


def turned(x, cos, sin):
    return x * cos + torch.cat([-x[..., 16:], x[..., :16]], -1) * sin


FUNCTIONS = {
    "pointwise": (lambda x: torch.sin(x) * 2 + x.relu(), randn(1000)),
    "transposed": (lambda x, y: x.t() + y.exp(), randn(70, 50), randn(70, seed=1)),
    "softmax": (lambda x: torch.softmax(x, -1), randn(37, 781)),
    "log_softmax": (lambda x: torch.log_softmax(x, -1), randn(7, 3000)),
    "layer_norm": (lambda x, w, b: F.layer_norm(x, (300,), w, b), randn(20, 300), randn(300, seed=1), randn(300, seed=2)),
    "variance": (lambda x: torch.var_mean(x, 1), randn(33, 700)),
    "cumsum": (lambda x: x.cumsum(1), randn(7, 900)),
    "embedding": (lambda w, i: F.embedding(i, w) * 2, randn(50, 32), torch.arange(64) % 50),
    "linear": (lambda x, w, b: F.gelu(F.linear(x, w, b)), randn(32, 48), randn(40, 48, seed=1), randn(40, seed=2)),
    "convolution": (lambda x, w: F.relu(F.conv2d(x, w)), randn(2, 3, 16, 16), randn(4, 3, 3, 3, seed=1)),
    "max_pool": (lambda x: F.max_pool2d(x, 2), randn(2, 3, 16, 16)),
    "batch_norm": (lambda x: F.batch_norm(x, None, None, training=True), randn(8, 5, 12, 12)),
    "rope": (turned, randn(2, 8, 32), randn(8, 32, seed=1), randn(8, 32, seed=2)),
    "cross_entropy": (lambda x, t: F.cross_entropy(x, t), randn(32, 300), torch.arange(32) * 7),
    "masked attention": (
        lambda q, k, v: torch.softmax((q @ k.mT / 5).masked_fill(torch.ones(32, 32).triu(1).bool(), -1e9), -1) @ v,
        *(randn(2, 32, 16, seed=seed) for seed in range(3)),
    ),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function(launches, name):
    function, *inputs = FUNCTIONS[name]
    # Inductor writes results over inputs that end.
    agree(torch.compile(function), function, *inputs, tolerance=1e-5, in_place=True)
    assert launches


def test_a_network_is_trained(launches):
    def network():
        return torch.nn.Sequential(torch.nn.Linear(48, 96), torch.nn.LayerNorm(96), torch.nn.GELU(), torch.nn.Linear(96, 10))

    one, other = network(), network()
    other.load_state_dict(one.state_dict())
    compiled = torch.compile(other)
    x, wanted = randn(16, 48), torch.arange(16) % 10
    for _ in range(3):
        for model, weights in ((one, one), (compiled, other)):
            loss = F.cross_entropy(model(x), wanted)
            loss.backward()
            with torch.no_grad():
                for weight in weights.parameters():
                    weight -= 0.1 * weight.grad
                    weight.grad = None
    for got, expected in zip(other.parameters(), one.parameters()):
        torch.testing.assert_close(got, expected, rtol=1e-4, atol=1e-5)
    assert launches
