"""A kernel in LLVM's IR: llvmlite makes assembly of it, wavetank assembles and runs that. `with_llvmlite.py [CHIP]`."""

import sys

import llvmlite.binding as llvm
import numpy as np

import wavetank as wt

# Arguments named `y` and `n` would be truth values in the metadata, which LLVM writes without quotes and then refuses.
SAXPY = """
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @saxpy(ptr addrspace(1) %source, ptr addrspace(1) %target, float %a, i32 %count) #0 {
  %item = call i32 @llvm.amdgcn.workitem.id.x()
  %group = call i32 @llvm.amdgcn.workgroup.id.x()
  %first = mul i32 %group, 64
  %i = add i32 %first, %item
  %inside = icmp ult i32 %i, %count
  br i1 %inside, label %work, label %done
work:
  %from = getelementptr float, ptr addrspace(1) %source, i32 %i
  %to = getelementptr float, ptr addrspace(1) %target, i32 %i
  %left = load float, ptr addrspace(1) %from
  %right = load float, ptr addrspace(1) %to
  %sum = call float @llvm.fma.f32(float %a, float %left, float %right)
  store float %sum, ptr addrspace(1) %to
  br label %done
done:
  ret void
}

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare float @llvm.fma.f32(float, float, float)
attributes #0 = { "amdgpu-flat-work-group-size"="64,64" }
"""


def compiled(source: str, chip: str) -> wt.Assembly:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    module = llvm.parse_assembly(source)
    module.verify()
    target = llvm.Target.from_triple(module.triple)
    return wt.asm(target.create_target_machine(cpu=chip, opt=2, reloc="pic").emit_assembly(module))


def main(chip: str = "gfx906") -> None:
    saxpy = wt.Device(chip).load(compiled(SAXPY, chip))["saxpy"]
    x, y = np.arange(1000, dtype=np.float32), np.full(1000, 0.5, np.float32)
    saxpy(x, y, np.float32(2), 1000, grid=1024, block=64)
    assert np.array_equal(y, 2 * np.arange(1000) + 0.5)
    print(f"{chip}: 1000 elements")


if __name__ == "__main__":
    main(*sys.argv[1:])
