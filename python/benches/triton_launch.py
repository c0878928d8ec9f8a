"""What a launch of one of Triton's kernels costs, beside Triton's own machinery.

    python python/benches/triton_launch.py

The kernel has three tensors and a number, and one program of one wave. "Triton" is the time of a launch with a launcher that does
nothing; arrays of NumPy are not known to Triton alone, so that it is given objects that have a type and an address. Each figure is
the least of many turns, in which the kinds of launches alternate.
"""

import sys
import time
from typing import Any, Callable, Dict

import numpy as np
import triton
import triton.language as tl

import wavetank.triton

TURNS, LAUNCHES = 60, 50


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(out + at, tl.load(x + at, inside) + tl.load(y + at, inside), inside)


class Address:
    """The least that Triton takes for a tensor."""

    def __init__(self, array: np.ndarray) -> None:
        self.dtype, self.array, self.address = str(array.dtype), array, array.ctypes.data

    def data_ptr(self) -> int:
        return self.address

    def ptr_range(self) -> int:
        return self.array.nbytes


def nothing(*arguments: Any) -> None:
    """Launches nothing."""


def timed(launch: Callable[[], Any]) -> float:
    """Returns microseconds for a launch."""
    start = time.perf_counter()
    for _ in range(LAUNCHES):
        launch()
    return 1e6 * (time.perf_counter() - start) / LAUNCHES


def launcher(*tensors: Any) -> Callable[[], Any]:
    return lambda: add[(1,)](*tensors, 64, BLOCK=64, num_warps=1)


def main() -> None:
    gpu = wavetank.triton.activate("gfx90a")
    arrays = [np.ones(64, np.float32) for _ in range(3)]
    compiled = add[(1,)](*arrays, 64, BLOCK=64, num_warps=1)
    addresses = [Address(array) for array in arrays]
    silent = add.warmup(*addresses, 64, BLOCK=64, num_warps=1, grid=(1,))
    ours = compiled.run
    kinds: Dict[str, Callable[[], Any]] = {
        "Triton": launcher(*addresses),
        "NumPy": launcher(*arrays),
        "arrays of the device": launcher(*(gpu.array(array) for array in arrays)),
    }
    try:
        import torch

        kinds["PyTorch"] = launcher(*(torch.ones(64) for _ in range(3)))
    except ImportError:
        pass
    kernel = compiled.function
    memory = [gpu.register(array) for array in arrays]
    scratch = [None] * (kernel.arity - 4)
    kinds["the kernel alone"] = lambda: kernel(*memory, 64, *scratch, grid=64, block=64)
    best: Dict[str, float] = {}
    for _ in range(TURNS):
        for name, launch in kinds.items():
            silent._run = nothing if name == "Triton" else ours
            best[name] = min(best.get(name, 1e9), timed(launch))
    assert (arrays[2] == 2).all()
    print(f"Triton {triton.__version__}, {gpu!r}, Python {sys.version.split()[0]}; microseconds for a launch")
    for name, time_of in best.items():
        over = "" if name in ("Triton", "the kernel alone") else f"  {time_of - best['Triton']:6.1f} over Triton"
        print(f"{name:22}{time_of:7.1f}{over}")


if __name__ == "__main__":
    main()
