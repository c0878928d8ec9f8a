"""tinygrad's tensors on an emulated chip: its LLVM IR, compiled by llvmlite, on a device of our own. `with_tinygrad.py [CHIP]`."""

import os
import re
import sys

os.environ["PARALLEL"] = "0"  # no processes to compile in: they would not know the device

import llvmlite.binding as llvm  # noqa: E402
import numpy as np  # noqa: E402
from tinygrad import Tensor  # noqa: E402
from tinygrad.device import Allocator, Compiled, Compiler, Program  # noqa: E402
from tinygrad.renderer.llvmir import AMDLLVMRenderer  # noqa: E402
from tinygrad.runtime.support import compiler_llvm  # noqa: E402

import wavetank as wt  # noqa: E402

CHIP = sys.argv[1] if sys.argv[1:] else "gfx90a"


class EmulatedCompiler(Compiler):
    def __init__(self, chip):
        super().__init__(f"wavetank_llvmlite_{chip}")
        self.chip = chip

    def compile(self, source):
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
        # LLVM 22 wants the variables of a lane in address space 5; tinygrad is written for LLVM up to 21.
        local = r"\1.private\2, addrspace(5)\n\1 = addrspacecast ptr addrspace(5)\1.private to ptr"
        module = llvm.parse_assembly(re.sub(r"(?m)^( *%\w+)( = alloca .*)$", local, source))
        module.triple = "amdgcn-amd-amdhsa"
        target = llvm.Target.from_triple(module.triple)
        machine = target.create_target_machine(cpu=self.chip, opt=2, reloc="pic")
        module.data_layout = str(machine.target_data)
        passes = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=2))
        passes.getModulePassManager().run(module, passes)
        return bytes(wt.asm(machine.emit_assembly(module)))


class EmulatedRenderer(AMDLLVMRenderer):
    def __init__(self, target):
        compiler_llvm.AMDLLVMCompiler = EmulatedCompiler  # what the constructor makes
        super().__init__(target)
        if not self.is_cdna:  # tinygrad knows the matrix instructions of gfx942; others it takes for RDNA
            self.tensor_cores = []


class EmulatedAllocator(Allocator):
    """Buffers are bytes of the host that kernels access where they are."""

    def _alloc(self, size, options):
        memory = np.zeros(size, np.uint8)
        return memory, self.dev.gpu.register(memory)

    def _free(self, buffer, options):
        buffer[1].close()

    def _copyin(self, to, source):
        to[0][:] = source

    def _copyout(self, to, source):
        to[:] = source[0]

    def _offset(self, buffer, size, offset):
        return buffer[0][offset : offset + size], buffer[1]


class EmulatedProgram(Program):
    def __init__(self, dev, code):
        self.kernel = dev.gpu.load(code.lib)[code.name]

    def __call__(self, *buffers, global_size=(1, 1, 1), local_size=(1, 1, 1), vals=(), wait=False, **_):
        grid = tuple(groups * items for groups, items in zip(global_size, local_size))
        memory = [buffer[0] for buffer in buffers]
        return self.kernel(*memory, *vals, grid=grid, block=tuple(local_size)).seconds


class WavetankDevice(Compiled):
    def __init__(self, device):
        self.gpu = wt.Device(CHIP)
        super().__init__(device, EmulatedAllocator(self), [EmulatedRenderer], EmulatedProgram, arch=CHIP)


sys.modules["tinygrad.runtime.ops_wavetank"] = sys.modules[__name__]  # where tinygrad looks for the device WAVETANK


def main() -> None:
    random = np.random.default_rng(1)
    a, b = random.standard_normal((100, 64), np.float32), random.standard_normal((64, 72), np.float32)
    out = (Tensor(a, device="WAVETANK") @ Tensor(b, device="WAVETANK")).relu().softmax(-1).numpy()
    e = np.exp(np.maximum(a @ b, 0) - np.maximum(a @ b, 0).max(1, keepdims=True))
    np.testing.assert_allclose(out, e / e.sum(1, keepdims=True), rtol=1e-4, atol=1e-5)

    # Halves: with matrix instructions on gfx942.
    a, b = a[:64].astype(np.float16), b[:, :64].astype(np.float16)
    out = (Tensor(a, device="WAVETANK") @ Tensor(b, device="WAVETANK")).numpy()
    np.testing.assert_allclose(out, a.astype(np.float32) @ b.astype(np.float32), rtol=2e-2, atol=2e-2)

    numbers = Tensor(np.arange(3000, dtype=np.int32), device="WAVETANK")
    assert np.array_equal((numbers % 7).cumsum().numpy(), np.cumsum(np.arange(3000) % 7))
    print(f"{CHIP}: a softmax of a product, a product of halves, a scan")


if __name__ == "__main__":
    main()
