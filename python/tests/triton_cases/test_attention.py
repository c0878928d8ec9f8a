"""Flash attention, forward and backward, beside softmax by its definition in doubles."""

import numpy as np
import pytest

from . import formats

triton = pytest.importorskip("triton", minversion="3.9", reason="SKIP Triton: version 3.9 is not installed")

import triton.language as tl  # noqa: E402


@triton.jit
def forward_step(total, sums, tops, q, K, V, rows, start, end, length, CAUSAL: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    d = tl.arange(0, D)
    for first in range(start, end, BN):
        columns = first + tl.arange(0, BN)
        inside = columns < length
        k = tl.load(K + columns[None, :] * D + d[:, None], inside[None, :], other=0.0)
        scores = tl.dot(q, k, input_precision="ieee")
        allowed = inside[None, :]
        if CAUSAL:
            allowed = allowed & (columns[None, :] <= rows[:, None])
        scores = tl.where(allowed, scores, -1e30)
        top = tl.maximum(tops, tl.max(scores, 1))
        weights = tl.exp2(scores - top[:, None])
        factor = tl.exp2(tops - top)
        v = tl.load(V + columns[:, None] * D + d[None, :], inside[:, None], other=0.0)
        total = tl.dot(weights.to(v.dtype), v, total * factor[:, None], input_precision="ieee")
        sums = sums * factor + tl.sum(weights, 1)
        tops = top
    return total, sums, tops


@triton.jit
def forward_kernel(
    Q, K, V, out, logs, length, scale, CAUSAL: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr
):
    head = tl.program_id(1).to(tl.int64) * length * D
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    inside = rows < length
    at = head + rows[:, None] * D + d[None, :]
    q = tl.load(Q + at, inside[:, None], other=0.0)
    # Exponentials are of two.
    q = (q * (scale * 1.4426950408889634)).to(q.dtype)
    total = tl.zeros((BM, D), tl.float32)
    sums = tl.zeros((BM,), tl.float32)
    tops = tl.full((BM,), -1e30, tl.float32)
    # Before the diagonal nothing is masked.
    diagonal = tl.program_id(0) * BM
    if CAUSAL:
        total, sums, tops = forward_step(total, sums, tops, q, K + head, V + head, rows, 0, diagonal, length, False, BN, D)
        end = tl.minimum(diagonal + BM, length)
        total, sums, tops = forward_step(total, sums, tops, q, K + head, V + head, rows, diagonal, end, length, True, BN, D)
    else:
        total, sums, tops = forward_step(total, sums, tops, q, K + head, V + head, rows, 0, length, length, False, BN, D)
    tl.store(out + at, (total / sums[:, None]).to(out.dtype.element_ty), inside[:, None])
    tl.store(logs + tl.program_id(1) * length + rows, tops + tl.log2(sums), inside)


@triton.jit
def products_kernel(out, dout, deltas, length, BM: tl.constexpr, D: tl.constexpr):
    """The sums of each row of the result times its gradient."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    at = (tl.program_id(1) * length + rows[:, None]) * D + tl.arange(0, D)[None, :]
    inside = rows < length
    o = tl.load(out + at, inside[:, None], other=0.0).to(tl.float32)
    do = tl.load(dout + at, inside[:, None], other=0.0).to(tl.float32)
    tl.store(deltas + tl.program_id(1) * length + rows, tl.sum(o * do, 1), inside)


@triton.jit
def backward_kernel(
    Q, K, V, dout, dQ, dK, dV, logs, deltas, length, scale,
    CAUSAL: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr,
):  # fmt: skip
    head = tl.program_id(1) * length
    columns = tl.program_id(0) * BN + tl.arange(0, BN)
    d = tl.arange(0, D)
    in_columns = columns < length
    at = (head + columns[:, None]) * D + d[None, :]
    k = tl.load(K + at, in_columns[:, None], other=0.0)
    v = tl.load(V + at, in_columns[:, None], other=0.0)
    dk = tl.zeros((BN, D), tl.float32)
    dv = tl.zeros((BN, D), tl.float32)
    start = tl.program_id(0) * BN // BM * BM if CAUSAL else 0
    for first in range(start, length, BM):
        rows = first + tl.arange(0, BM)
        in_rows = rows < length
        of_rows = (head + rows[:, None]) * D + d[None, :]
        q = tl.load(Q + of_rows, in_rows[:, None], other=0.0)
        do = tl.load(dout + of_rows, in_rows[:, None], other=0.0)
        log = tl.load(logs + head + rows, in_rows, other=0.0)
        delta = tl.load(deltas + head + rows, in_rows, other=0.0)
        scores = tl.dot(k, tl.trans(q), input_precision="ieee") * (scale * 1.4426950408889634)
        weights = tl.exp2(scores - log[None, :])
        allowed = in_columns[:, None] & in_rows[None, :]
        if CAUSAL:
            allowed = allowed & (columns[:, None] <= rows[None, :])
        weights = tl.where(allowed, weights, 0.0)
        dv = tl.dot(weights.to(do.dtype), do, dv, input_precision="ieee")
        ds = (weights * (tl.dot(v, tl.trans(do), input_precision="ieee") - delta[None, :]) * scale).to(q.dtype)
        dk = tl.dot(ds, q, dk, input_precision="ieee")
        tl.atomic_add(dQ + of_rows, tl.dot(tl.trans(ds), k, input_precision="ieee"), in_rows[:, None], sem="relaxed")
    tl.store(dK + at, dk, in_columns[:, None])
    tl.store(dV + at, dv, in_columns[:, None])


def exact(q, k, v, dout, scale, causal):
    """Returns attention and its gradients by the definition, in doubles."""
    q, k, v, dout = (formats.values(array).astype(np.float64) for array in (q, k, v, dout))
    scores = q @ k.swapaxes(1, 2) * scale
    if causal:
        scores[:, np.triu(np.ones(scores.shape[1:], bool), 1)] = -np.inf
    weights = np.exp(scores - scores.max(2, keepdims=True))
    weights /= weights.sum(2, keepdims=True)
    dweights = dout @ v.swapaxes(1, 2)
    dscores = weights * (dweights - (dweights * weights).sum(2, keepdims=True)) * scale
    return weights @ v, dscores @ k, dscores.swapaxes(1, 2) @ q, weights.swapaxes(1, 2) @ dout


def assert_attention(causal, kind, length, D):
    heads, scale, BM, BN = 2, 0.3, 32, 32
    q, k, v, dout = (formats.random(kind, heads, length, D, seed=seed) for seed in range(4))
    out, logs = formats.empty(kind, heads, length, D), formats.empty("fp32", heads, length)
    grid = (triton.cdiv(length, BM), heads)
    forward_kernel[grid](q, k, v, out, logs, length, scale, causal, BM, BN, D)
    deltas = formats.empty("fp32", heads, length)
    products_kernel[grid](out, dout, deltas, length, BM, D)
    dq = np.zeros((heads, length, D), np.float32)
    dk, dv = formats.empty("fp32", heads, length, D), formats.empty("fp32", heads, length, D)
    backward_kernel[grid](q, k, v, dout, dq, dk, dv, logs, deltas, length, scale, causal, BM, BN, D)

    # Scores of a few units are rounded to the type before their exponentials; gradients are sums of such.
    for got, expected in zip((formats.values(out), dq, dk, dv), exact(q, k, v, dout, scale, causal)):
        error = np.abs(got - expected).max() / np.abs(expected).max()
        assert error < max(2e-5, 4 * formats.precision(kind))


@pytest.mark.checked
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("kind, length, D", [("fp16", 96, 64), ("bf16", 77, 32)])
def test_attention_and_its_gradients(gpu, causal, kind, length, D):
    assert_attention(causal, kind, length, D)


@pytest.mark.parametrize("causal", [False, True])
def test_attention_of_floats(gpu, causal):
    # It is not checked: on gfx90a a wait state is missing at the end of a loop, where the compiler counts a branch that is not
    # executed.
    assert_attention(causal, "fp32", 77, 16)
