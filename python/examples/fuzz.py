"""Fuzzing a kernel against NumPy: random sizes and values, until one differs.

The kernel rounds `x / 2` of signed integers toward zero. With a mistake, an arithmetic shift, which rounds down, the first odd
negative number shows it, and `wavetank.exec` shows the instruction.
"""

import sys

import numpy as np

import wavetank as wt

KERNEL = """
half:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    v_lshlrev_b32 v0, 2, v0
    s_waitcnt lgkmcnt(0)
    global_load_dword v1, v0, s[4:5]
    s_waitcnt vmcnt(0)
    {bias}
    v_ashrrev_i32 v1, 1, v1
    global_store_dword v0, v1, s[4:5]
    s_endpgm
"""
RIGHT = "v_lshrrev_b32 v2, 31, v1\n    v_add_u32 v1, v1, v2"
WRONG = ""


def first_difference(gpu: wt.Device, bias: str, rounds: int, seed: int = 0):
    """Returns an input for which the kernel is wrong, and its result; `None` if there is none in so many rounds."""
    half = gpu.load(wt.asm(KERNEL.format(bias=bias), kernels=["half(global i32* x)"]))["half"]
    random = np.random.default_rng(seed)
    for _ in range(rounds):
        x = random.integers(-100, 100, 64, dtype=np.int32)
        got = x.copy()
        half(got, grid=64, block=64)
        want = np.trunc(x / 2).astype(np.int32)
        if not np.array_equal(got, want):
            lane = int(np.flatnonzero(got != want)[0])
            return int(x[lane]), int(got[lane])
    return None


def main() -> None:
    gpu = wt.Device("gfx906", threads=1)
    assert first_difference(gpu, RIGHT, rounds=200) is None
    found = first_difference(gpu, WRONG, rounds=200)
    assert found is not None
    x, got = found
    print(f"{x} / 2 is {got} in the kernel, and {int(x / 2)} in NumPy")
    state = wt.exec("v_ashrrev_i32 v1, 1, v1", v1=x)
    print(f"v_ashrrev_i32 of {x} by 1 is {state['v1'].view(np.int32)[0]}: it rounds down")


if __name__ == "__main__":
    sys.exit(main())
