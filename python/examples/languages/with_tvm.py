"""A matrix product of TVM, whose assembly wavetank runs. `with_tvm.py [CHIP]`."""

import sys

import numpy as np
import tvm
import tvm.support.rocm  # noqa: F401
import tvm_ffi
from tvm import te
from tvm.s_tir import Schedule

import wavetank as wt

ROWS, INNER, COLUMNS, TILE = 128, 96, 64, 16


def product() -> tvm.IRModule:
    a = te.placeholder((ROWS, INNER), name="a")
    b = te.placeholder((INNER, COLUMNS), name="b")
    k = te.reduce_axis((0, INNER), name="k")
    c = te.compute((ROWS, COLUMNS), lambda i, j: te.sum(a[i, k] * b[k, j], axis=k), name="c")
    schedule = Schedule(te.create_prim_func([a, b, c]))
    block = schedule.get_sblock("c")
    i, j, inner = schedule.get_loops(block)
    group_y, y = schedule.split(i, [None, TILE])
    group_x, x = schedule.split(j, [None, TILE])
    schedule.reorder(group_y, group_x, y, x, inner)
    for loop, name in [(group_y, "blockIdx.y"), (group_x, "blockIdx.x"), (y, "threadIdx.y"), (x, "threadIdx.x")]:
        schedule.bind(loop, name)
    schedule.decompose_reduction(block, inner)
    return schedule.mod


# TVM would call a linker, and add ROCm's functions. Its assembly needs neither, as long as no such function is called.
tvm_ffi.register_global_func("tvm_callback_rocm_link", lambda code: bytearray(code), override=True)
tvm_ffi.register_global_func("tvm_callback_rocm_bitcode_path", lambda *_: [], override=True)


def main(chip: str = "gfx906") -> None:
    target = tvm.target.Target({"kind": "rocm", "mcpu": chip}, host="llvm")
    text = tvm.compile(product(), target=target).mod.imports[0].inspect_source("asm")
    kernel = wt.Device(chip).load(wt.asm(text))["main_kernel"]
    random = np.random.default_rng(1)
    a = random.standard_normal((ROWS, INNER), dtype=np.float32)
    b = random.standard_normal((INNER, COLUMNS), dtype=np.float32)
    c = np.zeros((ROWS, COLUMNS), np.float32)
    kernel(a, b, c, grid=(COLUMNS, ROWS), block=(TILE, TILE))
    np.testing.assert_allclose(c, a @ b, rtol=1e-4, atol=1e-4)
    print(f"{chip}: {kernel.signature}")


if __name__ == "__main__":
    main(*sys.argv[1:])
