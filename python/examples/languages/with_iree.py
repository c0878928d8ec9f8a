"""A matrix product in MLIR, tiled and compiled by IREE. `with_iree.py [CHIP]`: gfx908 or later."""

import pathlib
import re
import sys
import tempfile

import iree.compiler
import numpy as np

import wavetank as wt

PRODUCT = """
func.func @product(%a: tensor<128x96xf32>, %b: tensor<96x256xf32>) -> tensor<128x256xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<128x256xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<128x256xf32>) -> tensor<128x256xf32>
  %c = linalg.matmul ins(%a, %b : tensor<128x96xf32>, tensor<96x256xf32>)
                     outs(%start : tensor<128x256xf32>) -> tensor<128x256xf32>
  return %c : tensor<128x256xf32>
}
"""


def compiled(source: str, chip: str) -> "tuple[bytes, tuple[int, ...], tuple[int, ...]]":
    """A code object with one kernel, the number of its work-groups, and their size."""
    options = ["--iree-hal-target-device=hip", f"--iree-rocm-target={chip}"]
    tiled = iree.compiler.compile_str(source, extra_args=[*options, "--compile-to=executable-targets"])
    # What the host is to launch: the body of `hal.executable.export`, of constants, and an attribute.
    export = re.search(r"hal\.executable\.export.*?hal\.return (.*?) :.*?workgroup_size = \[(.*?)\]", tiled.decode(), re.S)
    assert export, "the compiled module has no kernel"
    groups = tuple(int(re.search(rf"{name} = arith\.constant (\d+)", export[0])[1]) for name in export[1].split(", "))
    size = tuple(int(word.split()[0]) for word in export[2].split(","))
    with tempfile.TemporaryDirectory() as folder:
        dump = f"--iree-hal-dump-executable-binaries-to={folder}"
        iree.compiler.compile_str(tiled, extra_args=[*options, "--compile-from=executable-targets", dump])
        (code,) = pathlib.Path(folder).glob("*.hsaco")
        return code.read_bytes(), groups, size


def main(chip: str = "gfx90a") -> None:
    code, groups, size = compiled(PRODUCT, chip)
    module = wt.Device(chip).load(code)
    random = np.random.default_rng(1)
    a = random.standard_normal((128, 96), dtype=np.float32)
    b = random.standard_normal((96, 256), dtype=np.float32)
    c = np.zeros((128, 256), np.float32)
    (name,) = module.kernels
    module[name](a, b, c, grid=tuple(np.multiply(groups, size).tolist()), block=size)
    np.testing.assert_allclose(c, a @ b, rtol=1e-4, atol=1e-4)
    print(f"{chip}: {name} in {groups[0]} work-groups of {size[0]}")


if __name__ == "__main__":
    main(*sys.argv[1:])
