"""The driver: Triton's launches, run by an emulated chip."""

from __future__ import annotations

import itertools
import threading
import time
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from triton.backends.compiler import GPUTarget
from triton.backends.driver import DriverBase

from .._errors import ArgumentError
from . import _state
from ._adapting import adapt
from ._arguments import Spans, flattened, number
from ._tuning import choose_first


_numbers = itertools.count()


class Utils:
    """Loading of code, and the properties of the chip, as Triton asks for them."""

    def __init__(self, driver: "WavetankDriver") -> None:
        self._driver = driver

    def load_binary(self, name: str, code: bytes, shared: int, device: int) -> Tuple[Any, Any, int, int, int]:
        # Triton makes the launcher first, which knows the source.
        module = self._driver.gpu_of(device).load(bytes(code), path=getattr(Launcher.made, "source", None))
        kernel = module[name]
        return module, kernel, kernel.vgprs or 0, 0, 1024

    def unload_module(self, module: Any) -> None:
        """The module goes with its last reference."""

    def get_device_properties(self, device: int) -> Dict[str, Any]:
        gpu = self._driver.gpu_of(device)
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
    """Launches one compiled kernel, on the device that was active when it was loaded."""

    # The file of Python of the launcher that a thread has made last.
    made = threading.local()

    def __init__(self, src: Any, metadata: Any) -> None:
        names = list(getattr(getattr(src, "fn", None), "arg_names", []))
        kinds = list(src.signature.values())
        names += [f"argument {n}" for n in range(len(names), len(kinds))]
        self._kinds, self._names = kinds, names
        # The place, type and name of each argument, if none has parts.
        self._plan: Optional[List[Tuple[int, str, str]]] = None
        if all(isinstance(kind, str) and not kind.startswith("tensordesc") for kind in kinds):
            places = zip(itertools.count(), kinds, names)
            self._plan = [(place, kind, name) for place, kind, name in places if kind != "constexpr"]
        function = getattr(getattr(src, "fn", None), "fn", None)
        self.made.source = getattr(getattr(function, "__code__", None), "co_filename", None)
        self._gpu = _state.driver().gpu
        self._metadata = metadata
        self._block = metadata.num_warps * 64
        self._lds = metadata.shared
        self._cooperative = bool(metadata.launch_cooperative_grid)

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
        spans = Spans()
        arguments = self._arguments(values, spans)
        # Up to two pointers to scratch follow, as many as this version of Triton has.
        for kind in ("global", "profile")[: kernel.arity - len(arguments)]:
            arguments.append(self._scratch(kind, groups, stream, spans))
        memory: List[Any] = []
        try:
            spans.register(self._gpu, memory)
            _state.launch(
                kernel,
                arguments,
                grid=(grid_x * self._block, grid_y, grid_z),
                block=self._block,
                lds=self._lds,
                cooperative=self._cooperative,
            )
        finally:
            for registered in memory:
                registered.close()
        if exit_hook is not None:
            exit_hook(launch_metadata)

    def _arguments(self, values: Sequence[Any], spans: Spans) -> List[Any]:
        if self._plan is not None:
            parts = [(kind, values[place], name) for place, kind, name in self._plan]
        else:
            parts = list(flattened(self._kinds, values, self._names))
        return [spans.pointer(value, name) if kind[0] == "*" else number(kind, value) for kind, value, name in parts]

    def _scratch(self, kind: str, groups: int, stream: Any, spans: Spans) -> Any:
        """Returns memory that the kernel wants for itself, made by the allocator that the program has set."""
        size = getattr(self._metadata, f"{kind}_scratch_size", 0) or 0
        if size == 0:
            return None
        from triton.runtime import _allocation

        align = getattr(self._metadata, f"{kind}_scratch_align")
        if kind == "profile":
            return self._gpu.zeros(groups * size, "uint8")
        return spans.pointer(_allocation._allocator.get()(groups * size, align, stream), "global scratch")


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
        return int(_state.driver().get_current_device())


class WavetankDriver(DriverBase):
    """Triton's driver for the emulated chips that :func:`wavetank.triton.activate` or the environment has chosen.

    As with a GPU, each thread has its current device, which is the first at its start. Launches have ended when they return: there
    is one stream, and any other that a program names is as good.
    """

    def __init__(self, gpus: Optional[List[Any]] = None) -> None:
        super().__init__()
        gpus = gpus if gpus is not None else _state.devices_of_environment()
        # Triton keeps what it has compiled and loaded by these numbers: each device of the process has its own.
        self.gpus = {next(_numbers): gpu for gpu in gpus}
        self._first = min(self.gpus)
        self._current = threading.local()
        self.utils = Utils(self)
        self.launcher_cls = Launcher
        adapt()
        choose_first()

    @property
    def gpu(self) -> Any:
        """The current device."""
        return self.gpus[self.get_current_device()]

    def gpu_of(self, device: int) -> Any:
        """Returns the device with a number. 0 is the first one in any case."""
        try:
            return self.gpus[self._first if device == 0 and 0 not in self.gpus else device]
        except (KeyError, TypeError):
            there = ", ".join(f"{number} ({gpu.chip})" for number, gpu in self.gpus.items())
            raise ArgumentError(f"there is no emulated device {device}; there are {there}") from None

    @classmethod
    def is_active(cls) -> bool:
        return _state.is_chosen()

    def map_python_to_cpp_type(self, ty: str) -> str:
        from triton.backends.amd.driver import ty_to_cpp

        return str(ty_to_cpp(ty))

    def get_current_target(self) -> GPUTarget:
        return GPUTarget("hip", self.gpu.chip, 64)

    def get_current_device(self) -> int:
        return getattr(self._current, "number", self._first)

    def set_current_device(self, device: int) -> None:
        self.gpu_of(device)
        self._current.number = self._first if device not in self.gpus else device

    def get_current_stream(self, device: Any = None) -> int:
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


