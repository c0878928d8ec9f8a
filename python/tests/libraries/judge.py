"""The comparison of a library's operation with the plain formula in PyTorch, forward and backward, under the checkers."""

import torch

import wavetank.triton


def randn(*shape, seed=0, dtype=torch.float32):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def _listed(result):
    return [part for part in (result if isinstance(result, (tuple, list)) else [result]) if part is not None]


def _outcome(function, inputs):
    """Returns results, and gradients by the inputs of a sum with weights that differ by element."""
    inputs = [
        arg.clone().requires_grad_(arg.requires_grad) if isinstance(arg, torch.Tensor) else arg for arg in inputs
    ]
    results = _listed(function(*inputs))
    wanted = [arg for arg in inputs if isinstance(arg, torch.Tensor) and arg.requires_grad]
    if not wanted:
        return results, []
    total = sum((part.double() * randn(*part.shape, seed=99).double()).sum() for part in results)
    return results, list(torch.autograd.grad(total, wanted, allow_unused=True))


def distance(got, expected):
    """The difference of two tensors, relative to the size of what is expected."""
    assert got.shape == expected.shape
    got, expected = got.detach().double(), expected.detach().double()
    assert bool(torch.isfinite(got).all())
    return float((got - expected).norm() / (expected.norm() + 1e-30))


def judged(findings):
    """Leaves out the findings that were judged: races of threads beyond the elements of an array that is updated in place.

    They load again what other waves have loaded and store, and drop it. The race is there; it cannot change a result.
    """
    return [finding for finding in findings if finding.rule != "race/read-write"]


def agree(operation, formula, *inputs, tolerance=1e-5, in_place=False):
    """Compares results and gradients. No checker may find anything in the kernels, but what :func:`judged` leaves out."""
    inputs = [arg.detach() if isinstance(arg, torch.Tensor) else arg for arg in inputs]
    with_gradients = [
        arg.requires_grad_() if isinstance(arg, torch.Tensor) and arg.is_floating_point() else arg for arg in inputs
    ]
    doubles = [
        arg.detach().double().requires_grad_() if isinstance(arg, torch.Tensor) and arg.is_floating_point() else arg
        for arg in inputs
    ]
    expected, expected_gradients = _outcome(formula, doubles)
    with wavetank.triton.check() as findings:
        got, gradients = _outcome(operation, with_gradients)
    assert len(got) == len(expected)
    for number, (one, other) in enumerate(zip(got, expected)):
        assert distance(one, other) < tolerance, f"result {number}"
    for number, (one, other) in enumerate(zip(gradients, expected_gradients)):
        assert (one is None) == (other is None), f"gradient {number}"
        if one is not None:
            assert distance(one, other) < tolerance, f"gradient {number}"
    findings = judged(findings) if in_place else findings
    assert findings == [], "\n".join(map(str, findings))
