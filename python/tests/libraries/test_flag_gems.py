"""FlagGems: its operations compute what those of PyTorch do. It needs Triton 3.6 or older, as it uses block pointers."""

import pytest

torch = pytest.importorskip("torch", reason="SKIP FlagGems: PyTorch is not installed")
triton = pytest.importorskip("triton", reason="SKIP FlagGems: Triton is not installed")

from judge import distance, judged, randn  # noqa: E402

import wavetank.triton  # noqa: E402

if not hasattr(triton.language, "make_block_ptr") or tuple(map(int, triton.__version__.split(".")[:2])) >= (3, 9):
    pytest.skip("SKIP FlagGems: this version of Triton has no block pointers", allow_module_level=True)

X, Y = randn(33, 150), randn(33, 150, seed=1)
POSITIVE = X.abs() + 0.1
OPERATIONS = {
    # The name in FlagGems, what it computes in double precision, arguments.
    "add": (torch.add, X, Y),
    "mul": (torch.mul, X, Y),
    "true_divide": (torch.div, X, POSITIVE),
    "exp": (torch.exp, X),
    "log": (torch.log, POSITIVE),
    "rsqrt": (torch.rsqrt, POSITIVE),
    "sin": (torch.sin, X),
    "tanh": (torch.tanh, X),
    "sigmoid": (torch.sigmoid, X),
    "erf": (torch.erf, X),
    "gelu": (torch.nn.functional.gelu, X),
    "silu": (torch.nn.functional.silu, X),
    "relu": (torch.relu, X),
    "softmax": (torch.softmax, X, -1),
    "log_softmax": (torch.log_softmax, X, -1),
    "sum_dim": (torch.sum, X, [1]),
    "mean_dim": (torch.mean, X, [1]),
    "amax": (torch.amax, X, [1]),
    "argmax": (torch.argmax, X, 1),
    "cumsum": (torch.cumsum, X, 1),
    "prod_dim": (torch.prod, X, 1),
    "mm": (torch.mm, X, Y.t().contiguous()),
    "bmm": (torch.bmm, randn(2, 20, 40), randn(2, 40, 30, seed=1)),
    "addmm": (torch.addmm, randn(33), X, Y.t().contiguous()),
    "mv": (torch.mv, X, randn(150)),
    "triu": (torch.triu, X),
    "sort": (lambda x: torch.sort(x)[0], X),
    "gather": (torch.gather, X, 1, (Y * 20).long().abs() % 150),
    "index_select": (torch.index_select, X, 0, torch.tensor([3, 1, 30])),
    "flip": (torch.flip, X, [1]),
    "embedding": (lambda weight, rows: weight[rows], X, torch.tensor([3, 1, 30])),
}


# These use functions of CUDA's library, or more LDS than a chip has: they are refused for AMD's GPUs, too.
REFUSED = {"tanh": "CUDA __nv_", "sigmoid": "CUDA __nv_", "gelu": "CUDA __nv_", "mm": "shared memory, Required: 131072"}
# LLVM of Triton 3.6 counts a branch that is not executed as a wait state: the page of the libraries says more.
JUDGED = {"hazard/mfma-result-read"}
_chips = set()


@pytest.fixture
def ops(gpu, monkeypatch):
    _chips.add(gpu.chip)
    if len(_chips) > 1:
        pytest.skip("SKIP FlagGems: it keeps the kernels of the process's first GPU; choose one (`-k gfx942`)")
    monkeypatch.setenv("GEMS_VENDOR", "amd")
    pytest.importorskip("flag_gems", reason="SKIP FlagGems: it is not installed")
    import flag_gems.ops

    return flag_gems.ops


def doubled(arg):
    return arg.double() if isinstance(arg, torch.Tensor) and arg.is_floating_point() else arg


@pytest.mark.parametrize("name", OPERATIONS)
def test_operation(ops, name):
    formula, *args = OPERATIONS[name]
    if name in REFUSED:
        with pytest.raises((RuntimeError, triton.runtime.errors.OutOfResources), match=REFUSED[name]):
            getattr(ops, name)(*args)
        return
    with wavetank.triton.check() as findings:
        got = getattr(ops, name)(*args)
    got = got[0] if isinstance(got, tuple) else got
    expected = formula(*(doubled(arg) for arg in args))
    # Products of floats are made of 19 bits each where the chip can (xf32).
    assert distance(got, expected) < (5e-3 if name.endswith(("mm", "mv")) else 1e-5)
    findings = [finding for finding in judged(findings) if finding.rule not in JUDGED]
    assert findings == [], "\n".join(map(str, findings))
