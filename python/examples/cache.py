"""A cache simulator: hooks on memory feed a model of a set-associative cache.

Two kernels copy a matrix of 64 × 64 floats. One writes rows; the other writes columns, so that the lanes of each store touch 64
lines. The model counts how many lines each of them fetches.
"""

import sys

import numpy as np

import wavetank as wt

# Work-group g copies row g. A lane is a column, and its element goes to `row * 64 + column`, or transposed.
KERNEL = """
copy:
    s_load_dwordx4 s[4:7], s[0:1], 0x0
    v_lshlrev_b32 v1, {to_lane}, v0
    v_lshlrev_b32 v0, 2, v0
    s_lshl_b32 s8, s2, 8
    s_lshl_b32 s9, s2, {to_group}
    v_add_u32 v0, s8, v0
    v_add_u32 v1, s9, v1
    s_waitcnt lgkmcnt(0)
    global_load_dword v2, v0, s[4:5]
    s_waitcnt vmcnt(0)
    global_store_dword v1, v2, s[6:7]
    s_endpgm
"""


class Cache:
    """Lines of 64 bytes in sets; the line that was not used for longest makes room."""

    def __init__(self, kilobytes: int = 2, ways: int = 4) -> None:
        self.ways = ways
        self.sets = [[] for _ in range(kilobytes * 1024 // 64 // ways)]
        self.hits = self.misses = 0

    def access(self, wave: wt.HookedWave, accessed: wt.Accessed) -> None:
        for line in np.unique(accessed.addresses // 64):
            tags = self.sets[int(line) % len(self.sets)]
            if line in tags:
                tags.remove(line)
                self.hits += 1
            else:
                self.misses += 1
            tags.append(line)
            del tags[: -self.ways]


def simulate(name: str, to_lane: int, to_group: int) -> Cache:
    """Runs a kernel whose lanes and groups write at these powers of two, and returns what the cache saw of its stores."""
    gpu = wt.Device("gfx906", threads=1)
    source = KERNEL.format(to_lane=to_lane, to_group=to_group)
    kernel = gpu.load(wt.asm(source, kernels=["copy(global f32* from, global f32* to)"]))["copy"]
    values = np.random.default_rng(1).random((64, 64), dtype=np.float32)
    source_array, out = gpu.array(values), gpu.zeros((64, 64), np.float32)
    launch = kernel.launch(source_array, out, grid=4096, block=64)
    cache = Cache()
    launch.hook("memory", cache.access, kind="store", range=out)
    launch.run()
    assert np.array_equal(out.numpy(), values if to_lane == 2 else values.T)
    print(f"{name}: {cache.hits + cache.misses} lines touched, {cache.misses} fetched")
    return cache


def main() -> None:
    rows = simulate("rows", to_lane=2, to_group=8)
    columns = simulate("columns", to_lane=8, to_group=2)
    # A row is 4 lines, fetched once. The 64 lines of a column are in 2 of the 8 sets, and none is there for the next column.
    assert (rows.hits, rows.misses) == (0, 256)
    assert (columns.hits, columns.misses) == (0, 4096)


if __name__ == "__main__":
    sys.exit(main())
