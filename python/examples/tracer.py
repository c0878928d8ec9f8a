"""An instruction tracer: a hook prints what a loop does, with the values that it works on.

The kernel counts with the Collatz rule how many steps each lane's number takes to 1. The tracer shows one lane, until it is there.
"""

import sys

import numpy as np

import wavetank as wt

KERNEL = """
collatz:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    v_lshlrev_b32 v3, 2, v0
    v_add_u32 v1, 1, v0                 ; n
    v_mov_b32 v2, 0                     ; steps
    s_mov_b64 s[6:7], exec
loop:
    v_cmp_ne_u32 vcc, 1, v1
    s_and_b64 exec, exec, vcc
    s_cbranch_execz done
    v_and_b32 v4, 1, v1
    v_cmp_eq_u32 vcc, 1, v4
    v_lshrrev_b32 v5, 1, v1             ; n / 2
    v_lshl_add_u32 v6, v1, 1, v1        ; 3 n + 1
    v_add_u32 v6, 1, v6
    v_cndmask_b32 v1, v5, v6, vcc
    v_add_u32 v2, 1, v2
    s_branch loop
done:
    s_mov_b64 exec, s[6:7]
    s_waitcnt lgkmcnt(0)
    global_store_dword v3, v2, s[4:5]
    s_endpgm
"""
LANE = 6


def main() -> None:
    gpu = wt.Device("gfx906", threads=1)
    kernel = gpu.load(wt.asm(KERNEL, kernels=["collatz(global u32* steps)"]))["collatz"]
    steps = gpu.zeros(64, np.uint32)
    launch = kernel.launch(steps, grid=64, block=64)
    path = []

    @launch.hook("instruction", mnemonic="v_add_u32", within="collatz")
    def after_the_choice(wave: wt.HookedWave) -> None:
        # The last of the three additions counts a step.
        if wave.text.startswith("v_add_u32_e32 v2") and wave.exec >> LANE & 1:
            path.append(int(wave.vgpr(1)[LANE]))
            print(f"collatz+{wave.offset:#x}  {wave.text:<28} n = {path[-1]}")

    run = launch.run()
    print(f"{len(path)} steps of lane {LANE}, among {run.instructions} instructions of the wave")
    assert path == [22, 11, 34, 17, 52, 26, 13, 40, 20, 10, 5, 16, 8, 4, 2, 1]
    assert steps.numpy()[LANE] == len(path)


if __name__ == "__main__":
    sys.exit(main())
