"""Judging 1,000 generated kernels in a pool of processes.

Each kernel computes a polynomial that was generated. A worker assembles it, runs it, compares it with NumPy and checks it. An item is
pure data, so that any pool can take it. Some kernels lack a wait, which only the checker sees.
"""

import sys
from concurrent.futures import ProcessPoolExecutor
from typing import List, NamedTuple, Tuple

import numpy as np

import wavetank as wt


class Item(NamedTuple):
    """A kernel to judge: the coefficients of its polynomial, and whether it waits for its loads."""

    coefficients: Tuple[int, ...]
    waits: bool = True


class Verdict(NamedTuple):
    item: Item
    is_right: bool
    rules: List[str]


def source(item: Item) -> str:
    """Returns a kernel that replaces x by a polynomial of x, by Horner's rule."""
    steps = "\n".join(
        f"    v_mul_lo_u32 v2, v2, v1\n    v_add_u32 v2, {c}, v2" for c in item.coefficients
    )
    wait = "s_waitcnt vmcnt(0)" if item.waits else ""
    return f"""
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


def judge(item: Item) -> Verdict:
    """Assembles, runs and checks a kernel. Runs in a worker, which makes a device of its own."""
    gpu = wt.Device("gfx906", threads=1)
    assembly = wt.asm(source(item), kernels=["poly(global u32* x)"])
    poly = gpu.load(assembly)["poly"]
    x = np.arange(64, dtype=np.uint32)
    got = x.copy()
    poly(got, grid=64, block=64, timeout=10)
    want = np.zeros_like(x)
    for c in item.coefficients:
        want = want * x + np.uint32(c)
    rules = [finding.rule for finding in wt.check_file(assembly)]
    return Verdict(item, bool(np.array_equal(got, want)), rules)


def items(count: int) -> List[Item]:
    random = np.random.default_rng(3)
    lengths = random.integers(1, 6, count)
    # Each twentieth lacks its wait.
    return [
        Item(tuple(int(c) for c in random.integers(0, 64, length)), waits=n % 20 != 7)
        for n, length in enumerate(lengths)
    ]


def main(count: int = 1000) -> None:
    with ProcessPoolExecutor() as pool:
        verdicts = list(pool.map(judge, items(count), chunksize=32))
    assert all(verdict.is_right for verdict in verdicts)
    found = [verdict for verdict in verdicts if verdict.rules]
    assert found and all(not verdict.item.waits for verdict in found)
    assert len(found) == sum(not verdict.item.waits for verdict in verdicts)
    print(f"{count} kernels are right, and {len(found)} of them read a register before it is loaded")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
