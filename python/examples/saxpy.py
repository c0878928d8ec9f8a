"""`y += a * x` on an emulated GPU, compared with NumPy."""

import numpy as np

import wavetank as wt

SAXPY = """
saxpy:
    s_load_dwordx4 s[4:7], s[0:1], 0x0    ; x, y
    s_load_dwordx2 s[8:9], s[0:1], 0x10   ; a, n
    v_lshl_add_u32 v0, s2, 8, v0          ; the work-item, in groups of 256
    s_waitcnt lgkmcnt(0)
    v_cmp_gt_u32 vcc, s9, v0
    s_and_saveexec_b64 s[10:11], vcc      ; only lanes below n go on
    v_lshlrev_b32 v1, 2, v0
    global_load_dword v2, v1, s[4:5]
    global_load_dword v3, v1, s[6:7]
    s_waitcnt vmcnt(0)
    v_fma_f32 v3, v2, s8, v3
    global_store_dword v1, v3, s[6:7]
    s_endpgm
"""


def main() -> None:
    gpu = wt.Device("gfx906")
    module = gpu.load(wt.asm(SAXPY, kernels=["saxpy(global const f32* x, global f32* y, f32 a, u32 n)"]))
    saxpy = module["saxpy"]

    n = 100_000
    x = np.linspace(0, 1, n, dtype=np.float32)
    y = gpu.array(np.ones(n, np.float32))
    run = saxpy(x, y, np.float32(2), n, grid=-(-n // 256) * 256, block=256)

    # One rounding, as an FMA has: the product is exact in float64.
    want = (2 * x.astype(np.float64) + 1).astype(np.float32)
    assert np.array_equal(np.asarray(y), want)
    print(f"{n} elements, {run.instructions} instructions of waves, {run.seconds * 1e3:.1f} ms")


if __name__ == "__main__":
    main()
