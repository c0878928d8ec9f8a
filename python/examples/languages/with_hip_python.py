"""HIP's functions from Python: `wavetank run --gpu gfx90a -- python with_hip_python.py gfx90a`.

It needs Debian's `hipcc` and `libamdhip64-dev`, and the package `rocm-bindings-hip`.
"""

import ctypes
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from rocm.bindings import hip

SAXPY = """
#include <hip/hip_runtime.h>
extern "C" __global__ void saxpy(const float* x, float* y, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}
"""


def done(result):
    error, *values = result
    assert error == hip.hipError_t.hipSuccess, error
    return values[0] if values else None


def compiled(source: str, chip: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "saxpy.hip")
        path.write_text(source)
        subprocess.run(["hipcc", "--genco", f"--offload-arch={chip}", path, "-o", path.with_suffix(".co")], check=True)
        return path.with_suffix(".co").read_bytes()


def main(chip: str = "gfx906") -> None:
    module = done(hip.hipModuleLoadData(compiled(SAXPY, chip)))
    saxpy = done(hip.hipModuleGetFunction(module, b"saxpy"))
    x, y = np.arange(1000, dtype=np.float32), np.full(1000, 0.5, np.float32)
    on_x, on_y = done(hip.hipMalloc(x.nbytes)), done(hip.hipMalloc(y.nbytes))
    up, down = hip.hipMemcpyKind.hipMemcpyHostToDevice, hip.hipMemcpyKind.hipMemcpyDeviceToHost
    done(hip.hipMemcpy(on_x, x, x.nbytes, up))
    done(hip.hipMemcpy(on_y, y, y.nbytes, up))
    arguments = (on_x, on_y, ctypes.c_float(2), ctypes.c_int(1000))
    done(hip.hipModuleLaunchKernel(saxpy, 4, 1, 1, 256, 1, 1, 0, None, kernelParams=None, extra=arguments))
    done(hip.hipMemcpy(y, on_y, y.nbytes, down))
    assert np.array_equal(y, 2 * np.arange(1000) + 0.5)
    print(f"{chip}: 1000 elements")


if __name__ == "__main__":
    main(*sys.argv[1:])
