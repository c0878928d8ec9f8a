"""What the tests share: a kernel by a signature, on a device."""

import numpy as np
import pytest

import wavetank as wt

pytest_plugins = ["pytester"]

SAXPY = """
saxpy:
    s_load_dwordx4 s[4:7], s[0:1], 0x0    ; x, y
    s_load_dwordx2 s[8:9], s[0:1], 0x10   ; a, n
    v_lshl_add_u32 v0, s2, 6, v0          ; the work-item, in groups of 64
    s_waitcnt lgkmcnt(0)
    v_cmp_gt_u32 vcc, s9, v0
    s_and_saveexec_b64 s[10:11], vcc
    v_lshlrev_b32 v1, 2, v0
    global_load_dword v2, v1, s[4:5]
    global_load_dword v3, v1, s[6:7]
    s_waitcnt vmcnt(0)
    v_fma_f32 v3, v2, s8, v3
    global_store_dword v1, v3, s[6:7]
    s_endpgm
"""
SIGNATURE = "saxpy(global const f32* x, global f32* y, f32 a, u32 n)"


@pytest.fixture(params=["gfx906", "gfx942"])
def device(request):
    with wt.Device(request.param, threads=1) as device:
        yield device


@pytest.fixture
def saxpy(device):
    """The kernel `y += a * x`, in work-groups of 64."""
    return device.load(wt.asm(SAXPY, kernels=[SIGNATURE]))["saxpy"]


def numbers(count, seed=1):
    return np.random.default_rng(seed).standard_normal(count).astype(np.float32)
