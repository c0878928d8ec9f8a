"""The driver: Triton's launches, run by an emulated chip."""

from __future__ import annotations

import contextlib
import itertools
import time
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from triton.backends.compiler import GPUTarget
from triton.backends.driver import DriverBase

from . import _state
from ._arguments import flattened, packed, pointer
from ._tuning import choose_first


_numbers = itertools.count()


class Utils:
    """Loading of code, and the properties of the chip, as Triton asks for them."""

    def __init__(self, driver: "WavetankDriver") -> None:
        self._driver = driver

    def load_binary(self, name: str, code: bytes, shared: int, device: int) -> Tuple[Any, Any, int, int, int]:
        module = self._driver.gpu.load(bytes(code))
        kernel = module[name]
        return module, kernel, kernel.vgprs or 0, 0, 1024

    def unload_module(self, module: Any) -> None:
        """The module goes with its last reference."""

    def get_device_properties(self, device: int) -> Dict[str, Any]:
        gpu = self._driver.gpu
        return {
            "arch": gpu.chip,
            "warpSize": 64,
            "max_shared_mem": gpu.lds,
            "multiprocessor_count": gpu.compute_units,
            "max_num_regs": 256,
            "cooperativeLaunch": True,
            # No card is measured: these are those of an MI50's memory and clock, in kHz, so that ratios are finite.
            "sm_clock_rate": 1_725_000,
            "mem_clock_rate": 1_000_000,
            "mem_bus_width": 4096,
        }

    def set_printf_fifo_size(self, size: int) -> None:
        """There is no buffer to be set."""


class Launcher:
    """Launches one compiled kernel."""

    def __init__(self, src: Any, metadata: Any) -> None:
        self.metadata = metadata
        names = list(getattr(getattr(src, "fn", None), "arg_names", []))
        self.signature = list(src.signature.values())
        self.names = names + [f"argument {n}" for n in range(len(names), len(self.signature))]
        self.block = metadata.num_warps * 64

    def __call__(
        self,
        grid_x: int,
        grid_y: int,
        grid_z: int,
        stream: Any,
        kernel: Any,
        packed_metadata: Any,
        launch_metadata: Any,
        enter_hook: Optional[Callable[[Any], None]],
        exit_hook: Optional[Callable[[Any], None]],
        *values: Any,
    ) -> None:
        groups = grid_x * grid_y * grid_z
        if groups == 0:
            return
        if enter_hook is not None:
            enter_hook(launch_metadata)
        with contextlib.ExitStack() as memory:
            arguments = self._arguments(values, memory)
            # Up to two pointers to scratch follow, as many as this version of Triton has.
            kinds = ("global", "profile")[: kernel.arity - len(arguments)]
            arguments += [self._scratch(kind, groups, stream, memory) for kind in kinds]
            _state.launch(
                kernel,
                arguments,
                grid=(grid_x * self.block, grid_y, grid_z),
                block=self.block,
                lds=self.metadata.shared,
                cooperative=bool(self.metadata.launch_cooperative_grid),
            )
        if exit_hook is not None:
            exit_hook(launch_metadata)

    def _arguments(self, values: Sequence[Any], memory: contextlib.ExitStack) -> List[Any]:
        gpu = _state.driver().gpu
        arguments: List[Any] = []
        for name, kind, value in zip(self.names, self.signature, values):
            for kind, value in flattened([kind], [value]):
                if kind.startswith("*"):
                    arguments.append(pointer(gpu, value, name, memory))
                else:
                    arguments.append(packed(kind, value))
        return arguments

    def _scratch(self, kind: str, groups: int, stream: Any, memory: contextlib.ExitStack) -> Any:
        """Returns memory that the kernel wants for itself, made by the allocator that the program has set."""
        size = getattr(self.metadata, f"{kind}_scratch_size", 0) or 0
        if size == 0:
            return None
        from triton.runtime import _allocation

        align = getattr(self.metadata, f"{kind}_scratch_align")
        gpu = _state.driver().gpu
        if kind == "profile":
            return gpu.zeros(groups * size, "uint8")
        return pointer(gpu, _allocation._allocator.get()(groups * size, align, stream), "global scratch", memory)


class Event:
    """A moment, as ``torch.cuda.Event`` records it. Launches have ended when they return."""

    def __init__(self, enable_timing: bool = False) -> None:
        self._time = 0.0

    def record(self) -> None:
        self._time = time.perf_counter()

    def elapsed_time(self, end: "Event") -> float:
        return max(1e-6, 1e3 * (end._time - self._time))


class Interface:
    """What ``triton.testing`` asks of ``torch.cuda``."""

    Event = Event

    @staticmethod
    def synchronize(device: Any = None) -> None:
        """Launches have ended when they return."""

    @staticmethod
    def current_device() -> int:
        return int(_state.driver().number)


class WavetankDriver(DriverBase):
    """Triton's driver for the emulated chip that :func:`wavetank.triton.activate` or the environment has chosen."""

    def __init__(self, gpu: Any = None) -> None:
        super().__init__()
        self.gpu = gpu if gpu is not None else _state.device_of_environment()
        self.utils = Utils(self)
        self.launcher_cls = Launcher
        # Triton keeps what it has compiled and loaded by this number: each device has its own.
        self.number = next(_numbers)
        _state.take_arrays()
        choose_first()

    @classmethod
    def is_active(cls) -> bool:
        return _state.is_chosen()

    def map_python_to_cpp_type(self, ty: str) -> str:
        from triton.backends.amd.driver import ty_to_cpp

        return str(ty_to_cpp(ty))

    def get_current_target(self) -> GPUTarget:
        return GPUTarget("hip", self.gpu.chip, 64)

    def get_current_device(self) -> int:
        return self.number

    def set_current_device(self, device: int) -> None:
        if device not in (0, self.number):
            raise ValueError(f"there is one emulated device, {self.number}, not {device}")

    def get_current_stream(self, device: int) -> int:
        return 0

    def get_active_torch_device(self) -> Any:
        import torch

        return torch.device("cpu")

    def get_device_interface(self) -> Any:
        return Interface

    def get_benchmarker(self) -> Callable[..., Any]:
        return _state.benchmark

    def get_empty_cache_for_benchmark(self) -> None:
        """There is no cache to be emptied."""

    def clear_cache(self, cache: None) -> None:
        """There is no cache to be emptied."""


