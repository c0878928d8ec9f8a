"""PyTorch's compiler, Inductor, with its backend of Triton for tensors of the CPU (``inductor.config.cpu_backend = "triton"``).

Inductor compiles for the target ``cpu``, for which Triton's wheel has no compiler. Here that target's compiler is Triton's for AMD,
its driver is that of the emulated chip, and the properties of the device ``cpu`` are the chip's.
"""

import contextlib
import types
from unittest import mock

import torch
import torch._inductor.config
import triton.backends
from torch._dynamo import device_interface
from triton.backends.amd.compiler import HIPBackend
from triton.backends.compiler import GPUTarget

import wavetank.triton
from wavetank.triton.driver import WavetankDriver


class Compiler:
    """Triton's compiler for AMD, for targets that are said to be a CPU of the name of an AMD chip."""

    @staticmethod
    def supports_target(target):
        return target.backend == "cpu" and str(target.arch).startswith("gfx")

    def __new__(cls, target):
        return HIPBackend(GPUTarget("hip", target.arch, target.warp_size))


@contextlib.contextmanager
def inductor(chip):
    """Lets ``torch.compile`` make kernels for an emulated chip of functions of tensors of the CPU."""
    gpu = wavetank.triton.activate(chip)
    properties = types.SimpleNamespace(
        multi_processor_count=gpu.compute_units,
        warp_size=64,
        max_threads_per_block=1024,
        max_threads_per_multi_processor=2048,
        regs_per_multiprocessor=65536,
        major=9,
    )

    class Driver(WavetankDriver):
        """The driver of this chip. It is not chosen by itself."""

        def __init__(self):
            super().__init__(gpu)

        @classmethod
        def is_active(cls):
            return False

    class Interface(device_interface.CpuInterface):
        device = contextlib.nullcontext
        exchange_device = maybe_exchange_device = staticmethod(lambda device: 0)
        get_device_properties = staticmethod(lambda device=None: properties)
        get_multi_processor_count = staticmethod(lambda device=None: gpu.compute_units)
        get_compute_capability = staticmethod(lambda device=None: gpu.chip)
        raise_if_triton_unavailable = staticmethod(lambda device=None: None)

        class Worker:
            get_device_properties = staticmethod(lambda device=None: properties)

    usual = device_interface.get_interface_for_device("cpu")
    backend = triton.backends.Backend(compiler=Compiler, driver=Driver)
    # Kernels are compiled in this process, and each has one configuration.
    settings = {"cpu_backend": "triton", "compile_threads": 1, "triton.autotune_pointwise": False, "force_disable_caches": True}
    with mock.patch.dict(triton.backends.backends, cpu=backend), torch._inductor.config.patch(settings):
        device_interface.register_interface_for_device("cpu", Interface)
        torch._dynamo.reset()
        from torch._inductor.runtime.hints import DeviceProperties

        DeviceProperties.create.cache_clear()
        try:
            yield gpu
        finally:
            device_interface.register_interface_for_device("cpu", usual)
            DeviceProperties.create.cache_clear()
            torch._dynamo.reset()
