"""A kernel of FlyDSL, whose assembly wavetank runs. `with_flydsl.py [CHIP]`. It needs `ld.lld`; LLVM 19's was tested."""

import os
import pathlib
import shutil
import sys
import tempfile
import types

import numpy as np

import wavetank as wt

BLOCK = 256


def without_torch() -> None:
    """FlyDSL imports PyTorch for the types of its tensors. Where there is none, names stand in: pointers need no more."""
    try:
        import torch  # noqa: F401
    except ImportError:
        torch = types.ModuleType("torch")
        for name in "float16 bfloat16 float32 float64 bool uint8 int8 int16 int32 int64".split():
            setattr(torch, name, name)
        torch.Tensor = type("Tensor", (), {})
        torch.cuda = types.SimpleNamespace(Stream=type("Stream", (), {}))
        sys.modules["torch"] = torch


def assembly(chip: str, folder: pathlib.Path) -> str:
    # FlyDSL looks for a linker where ROCm has it, and writes what it compiled to files.
    for part in ["llvm/bin", "amdgcn/bitcode"]:
        (folder / part).mkdir(parents=True)
    linker = next(filter(None, map(shutil.which, ["ld.lld-19", "ld.lld"])))
    (folder / "llvm/bin/ld.lld").symlink_to(linker)
    os.environ.update(ROCM_PATH=str(folder), FLYDSL_DUMP_DIR=str(folder), FLYDSL_DEBUG_DUMP_ASM="1")
    os.environ.update(FLYDSL_GPU_ARCH=chip, COMPILE_ONLY="1", FLYDSL_RUNTIME_ENABLE_CACHE="0")
    without_torch()
    import flydsl.compiler as flyc
    import flydsl.expr as fx

    @flyc.kernel
    def saxpy(x: fx.Pointer, y: fx.Pointer, a: fx.Float32, count: fx.Int32):
        i = fx.block_idx.x * BLOCK + fx.thread_idx.x
        if i < count:
            fx.ptr_store(a * fx.ptr_load(x + i) + fx.ptr_load(y + i), y + i)

    @flyc.jit
    def launch(x: fx.Pointer, y: fx.Pointer, a: fx.Float32, count: fx.Int32):
        saxpy(x, y, a, count).launch(grid=(1, 1, 1), block=(BLOCK, 1, 1))

    nowhere = flyc.from_c_void_p(fx.Float32, None)
    flyc.compile(launch, nowhere, nowhere, 2.0, 1)
    (file,) = folder.glob("**/*_final_isa.s")
    return file.read_text()


def main(chip: str = "gfx90a") -> None:
    with tempfile.TemporaryDirectory() as folder:
        module = wt.Device(chip).load(wt.asm(assembly(chip, pathlib.Path(folder))))
    (name,) = module.kernels
    x, y = np.arange(1000, dtype=np.float32), np.full(1000, 0.5, np.float32)
    module[name](x, y, np.float32(2), 1000, grid=1024, block=BLOCK)
    assert np.array_equal(y, 2 * np.arange(1000) + 0.5)
    print(f"{chip}: 1000 elements by {name}")


if __name__ == "__main__":
    main(*sys.argv[1:])
