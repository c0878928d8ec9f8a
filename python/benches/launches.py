"""What a launch costs from Python, how fast kernels are loaded and run and rows are assembled, and whether loads leak.

    python python/benches/launches.py

The cost of a launch from Rust is printed by `cargo run --release -p wavetank --example launches`.
"""

import gc
import os
import resource
import statistics
import time

import numpy as np

import wavetank as wt

EMPTY = "empty:\n s_endpgm"
FILL = """
fill:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    v_lshlrev_b32 v0, 2, v0
    v_mov_b32 v1, {number}
    s_waitcnt lgkmcnt(0)
    global_store_dword v0, v1, s[4:5]
    s_endpgm
"""


def resident() -> int:
    """Returns the bytes of memory of this process that are resident."""
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def launches() -> None:
    gpu = wt.Device("gfx906", threads=1)
    array = gpu.zeros(64, np.uint32)
    empty = gpu.load(wt.asm(EMPTY, kernels=["empty(global u32* x)"]))["empty"]
    for count in [False, True]:
        times = []
        for _ in range(20_000):
            start = time.perf_counter_ns()
            empty(array, grid=64, block=64, count=count)
            times.append(time.perf_counter_ns() - start)
        print(f"a launch of one wave, count={count}: {statistics.median(times) / 1e3:.1f} us (median)")


def distinct(count: int = 1000) -> None:
    gpu = wt.Device("gfx906")
    sources = [FILL.format(number=n) for n in range(count)]
    out = gpu.zeros(64, np.uint32)
    start = time.perf_counter()
    objects = [bytes(wt.asm(source, "gfx906", kernels=["fill(global u32* x)"])) for source in sources]
    middle = time.perf_counter()
    for n, code in enumerate(objects):
        gpu.load(code)["fill"](out, grid=64, block=64)
        assert out[63] == n
    end = time.perf_counter()
    print(f"{count} kernels: {middle - start:.2f} s to assemble, {end - middle:.2f} s to load and run")


def rows(count: int = 1_000_000) -> None:
    texts = ["v_add_f32_e32 v0, v1, v2", "s_mov_b32 s0, 0x12345678", "global_load_dword v3, v[4:5], off offset:16"]
    text = "\n".join(texts[n % 3] for n in range(count))
    start = time.perf_counter()
    code, offsets = wt.asm_many(text)
    middle = time.perf_counter()
    wt.dis_many(code, offsets)
    end = time.perf_counter()
    print(f"{count} rows: {middle - start:.2f} s to assemble, {end - middle:.2f} s to disassemble")


def leaks(count: int = 10_000) -> None:
    gpu = wt.Device("gfx906", threads=1)
    code = bytes(wt.asm(FILL.format(number=7), "gfx906", kernels=["fill(global u32* x)"]))
    out = np.zeros(64, np.uint32)
    sizes = []
    for n in range(count):
        gpu.load(code)["fill"](out, grid=64, block=64)
        if n % (count // 10) == count // 10 - 1:
            gc.collect()
            sizes.append(resident())
    shown = ", ".join(f"{size / 2**20:.1f}" for size in sizes)
    print(f"{count} loads: MiB resident after each tenth: {shown}")
    print(f"at most {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10:.1f} MiB")


if __name__ == "__main__":
    launches()
    distinct()
    rows()
    leaks()
