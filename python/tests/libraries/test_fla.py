"""fla-core (flash-linear-attention): its kernels compute what the plain recurrences say."""

import pytest

torch = pytest.importorskip("torch", reason="SKIP fla-core: PyTorch is not installed")
pytest.importorskip("triton", reason="SKIP fla-core: Triton is not installed")

import torch.nn.functional as F  # noqa: E402
from judge import agree, randn  # noqa: E402

B, T, H, K, V = 1, 70, 2, 32, 32
# Products of floats are made of 19 bits each where the chip can (xf32).
TOLERANCE = 5e-3


@pytest.fixture
def ops(gpu):
    return pytest.importorskip("fla.ops", reason="SKIP fla-core: it is not installed")


def state_of(k, v, decay=None, beta=None, correct=False):
    """The states of a linear attention, in the order of time: decayed, corrected by the delta rule, and updated."""
    state = k.new_zeros(B, H, K, V)
    for t in range(k.shape[1]):
        if decay is not None:
            gate = decay[:, t].exp()
            state = state * (gate[..., None] if gate.dim() == 3 else gate[..., None, None])
        value = v[:, t]
        if correct:
            value = value - torch.einsum("bhk,bhkv->bhv", k[:, t], state)
        if beta is not None:
            value = value * beta[:, t, :, None]
        state = state + k[:, t, :, :, None] * value[:, :, None, :]
        yield state


def read(q, states):
    steps = [torch.einsum("bhk,bhkv->bhv", q[:, t] * K**-0.5, state) for t, state in enumerate(states)]
    return torch.stack(steps, 1)


def qkv(unit=False):
    q, k, v = (randn(B, T, H, size, seed=seed) for seed, size in enumerate((K, K, V)))
    return q, (F.normalize(k, dim=-1) if unit else k), v


def gate(*shape):
    return F.logsigmoid(randn(*shape, seed=5))


def rate():
    return torch.sigmoid(randn(B, T, H, seed=6))


@pytest.mark.parametrize("how", ["chunk", "fused_chunk", "fused_recurrent"])
def test_linear_attention(ops, how):
    operation = getattr(ops, f"{how}_linear_attn")
    agree(
        lambda q, k, v: operation(q, k, v, normalize=False)[0],
        lambda q, k, v: read(q, state_of(k, v)),
        *qkv(),
        tolerance=TOLERANCE,
    )


@pytest.mark.parametrize("how", ["chunk", "fused_recurrent"])
def test_attention_with_a_gate_by_head(ops, how):
    operation = getattr(ops, f"{how}_simple_gla")
    agree(
        lambda q, k, v, g: operation(q, k, v, g)[0],
        lambda q, k, v, g: read(q, state_of(k, v, g)),
        *qkv(),
        gate(B, T, H),
        tolerance=TOLERANCE,
    )


@pytest.mark.parametrize("how", ["chunk", "fused_recurrent"])
def test_gated_linear_attention(ops, how):
    operation = getattr(ops, f"{how}_gla")
    agree(
        lambda q, k, v, g: operation(q, k, v, g)[0],
        lambda q, k, v, g: read(q, state_of(k, v, g)),
        *qkv(),
        gate(B, T, H, K),
        tolerance=TOLERANCE,
    )


@pytest.mark.parametrize("how", ["chunk", "fused_recurrent"])
def test_delta_rule(ops, how):
    operation = getattr(ops, f"{how}_delta_rule")
    agree(
        lambda q, k, v, beta: operation(q, k, v, beta)[0],
        lambda q, k, v, beta: read(q, state_of(k, v, None, beta, correct=True)),
        # The chunked one takes no wider numbers.
        *(part.bfloat16() if how == "chunk" else part for part in (*qkv(unit=True), rate())),
        tolerance=2e-2 if how == "chunk" else TOLERANCE,
    )


def test_gated_delta_rule(ops):
    agree(
        lambda q, k, v, g, beta: ops.chunk_gated_delta_rule(q, k, v, g, beta)[0],
        lambda q, k, v, g, beta: read(q, state_of(k, v, g, beta, correct=True)),
        *qkv(unit=True),
        gate(B, T, H),
        rate(),
        tolerance=TOLERANCE,
    )


def test_kimi_delta_attention(ops):
    agree(
        lambda q, k, v, g, beta: ops.chunk_kda(q, k, v, g, beta)[0],
        lambda q, k, v, g, beta: read(q, state_of(k, v, g, beta, correct=True)),
        *qkv(unit=True),
        gate(B, T, H, K) / 8,
        rate(),
        tolerance=TOLERANCE,
    )


def softmax_attention(q, k, v, g=None):
    scores = torch.einsum("bthk,bshk->bhts", q, k) * K**-0.5
    if g is not None:
        total = g.cumsum(1).transpose(1, 2)
        scores = scores + total[..., :, None] - total[..., None, :]
    scores = scores.masked_fill(torch.ones(T, T).triu(1).bool(), -float("inf"))
    return torch.einsum("bhts,bshv->bthv", scores.softmax(-1), v)


def test_softmax_attention(ops):
    agree(ops.parallel_attn, softmax_attention, *qkv(), tolerance=TOLERANCE)


def test_forgetting_attention(ops):
    agree(ops.parallel_forgetting_attn, softmax_attention, *qkv(), gate(B, T, H), tolerance=TOLERANCE)


def test_stick_breaking_attention(ops):
    def formula(q, k, v):
        scores = torch.einsum("bthk,bshk->bhts", q, k) * K**-0.5
        past = torch.ones(T, T).tril(-1).bool()
        kept = F.logsigmoid(-scores).masked_fill(~past, 0)
        # The stick that is left after all positions between the key and the query.
        left = kept.flip(-1).cumsum(-1).flip(-1) - kept
        return torch.einsum("bhts,bshv->bthv", (F.logsigmoid(scores) + left).exp() * past, v)

    agree(lambda q, k, v: ops.parallel_stickbreaking_attn(q, k, v)[0], formula, *qkv(), tolerance=TOLERANCE)


def test_hgrn(ops):
    def formula(x, g):
        h, steps = torch.zeros_like(x[:, 0]), []
        for t in range(T):
            h = g[:, t].exp() * h + x[:, t]
            steps.append(h)
        return torch.stack(steps, 1)

    agree(lambda x, g: ops.fused_recurrent_hgrn(x, g)[0], formula, randn(B, T, K), gate(B, T, K), tolerance=TOLERANCE)


@pytest.mark.parametrize("how", ["chunk", "fused_recurrent"])
def test_rwkv6(ops, how):
    def formula(r, k, v, w, u):
        before = k.new_zeros(B, H, K, V)
        steps = []
        for t, state in enumerate(state_of(k, v, w)):
            now = u[None, :, :, None] * k[:, t, :, :, None] * v[:, t, :, None, :]
            steps.append(torch.einsum("bhk,bhkv->bhv", r[:, t] * K**-0.5, before + now))
            before = state
        return torch.stack(steps, 1)

    operation = getattr(ops, f"{how}_rwkv6")
    agree(
        lambda r, k, v, w, u: operation(r, k, v, w, u, scale=K**-0.5)[0],
        formula,
        *qkv(),
        gate(B, T, H, K),
        randn(H, K, seed=7),
        tolerance=TOLERANCE,
    )
