"""Judging 1,000 generated kernels in a pool of processes.

Each kernel computes a polynomial that was generated. A worker assembles it, runs it, compares it with NumPy and checks it. Some kernels
lack a wait, which only the checker sees; some kernels are the same, and judged once.
"""

import sys
from collections import Counter
from typing import List, Tuple

import numpy as np

import wavetank as wt


def source(coefficients: Tuple[int, ...], waits: bool) -> wt.Source:
    """Returns a kernel that replaces x by a polynomial of x, by Horner's rule."""
    steps = "\n".join(f"    v_mul_lo_u32 v2, v2, v1\n    v_add_u32 v2, {c}, v2" for c in coefficients)
    wait = "s_waitcnt vmcnt(0)" if waits else ""
    text = f"""
poly:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    v_lshlrev_b32 v0, 2, v0
    s_waitcnt lgkmcnt(0)
    global_load_dword v1, v0, s[4:5]
    v_mov_b32 v2, 0
    {wait}
{steps}
    global_store_dword v0, v2, s[4:5]
    s_endpgm
"""
    return wt.Source(text, kernels=["poly(global u32* x)"])


def item(coefficients: Tuple[int, ...], waits: bool) -> wt.Item:
    """Returns a kernel to judge, with its input and what NumPy makes of it."""
    x = np.arange(64, dtype=np.uint32)
    want = np.zeros_like(x)
    for c in coefficients:
        want = want * x + np.uint32(c)
    code = source(coefficients, waits)
    return wt.Item(code, "poly", (x,), grid=64, chip="gfx906", expect={0: want}, check=["wait"], timeout=10, note=waits)


def items(count: int) -> List[wt.Item]:
    random = np.random.default_rng(3)
    lengths = random.integers(1, 6, count)
    # Each twentieth lacks its wait.
    return [
        item(tuple(int(c) for c in random.integers(0, 64, length)), waits=n % 20 != 7)
        for n, length in enumerate(lengths)
    ]


def main(count: int = 1000) -> None:
    counts: "Counter[str]" = Counter()
    for result in wt.batch(items(count)):
        counts[result.status] += 1
        assert result.status == ("ok" if result.item.note else "findings"), result
    print(f"{count} kernels are right, and {counts['findings']} of them read a register before it is loaded")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
