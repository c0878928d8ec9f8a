"""PyTorch as programs see it on a computer with an AMD GPU, with tensors that stay on the CPU.

Libraries of Triton kernels ask ``torch.cuda`` whether there is a GPU and what it can do, and create tensors on the device ``cuda``.
Within ``as_gpu(chip)`` the answers are those of the emulated chip, and tensors for ``cuda`` are made on the CPU.
"""

import contextlib
import types
from unittest import mock

import torch
from torch.overrides import TorchFunctionMode

import wavetank.triton

# What ROCm's PyTorch says for these chips.
CAPABILITIES = {"gfx906": (9, 0), "gfx908": (9, 0), "gfx90a": (9, 0), "gfx942": (9, 4)}


def _on_cpu(value):
    if isinstance(value, torch.device) and value.type == "cuda":
        return torch.device("cpu")
    if isinstance(value, str) and (value == "cuda" or value.startswith("cuda:")):
        return "cpu"
    return value


class OnCpu(TorchFunctionMode):
    """Makes on the CPU what is asked for on the device ``cuda``."""

    def __torch_function__(self, func, kinds, args=(), kwargs=None):
        if func is torch.Tensor.cuda:
            return args[0]
        if func is torch.device:
            return func(*args, **(kwargs or {}))
        if func == torch.Tensor.is_cuda.__get__:
            return True
        args = tuple(_on_cpu(arg) for arg in args)
        kwargs = {name: _on_cpu(arg) for name, arg in (kwargs or {}).items()}
        if kwargs.get("pin_memory"):
            del kwargs["pin_memory"]
        return func(*args, **kwargs)


class Device:
    """``torch.cuda.device``: there is one, which is always current."""

    def __init__(self, device=None):
        self.idx = 0

    def __enter__(self):
        return self

    def __exit__(self, *of):
        return None


class Stream:
    """A stream. Launches have ended when they return."""

    cuda_stream = stream_id = device_index = 0
    device = torch.device("cpu")

    def __init__(self, *of, **named):
        pass

    def wait_stream(self, other):
        pass

    synchronize = record_event = wait_event = lambda self, *of: None


@contextlib.contextmanager
def as_gpu(chip):
    """Activates an emulated chip as the GPU of PyTorch."""
    gpu = wavetank.triton.activate(chip)
    major, minor = CAPABILITIES[gpu.chip]
    memory = 16 << 30
    properties = types.SimpleNamespace(
        name=f"AMD {gpu.chip}",
        gcnArchName=gpu.chip,
        major=major,
        minor=minor,
        multi_processor_count=gpu.compute_units,
        warp_size=64,
        total_memory=memory,
        shared_memory_per_block=gpu.lds,
        shared_memory_per_multiprocessor=gpu.lds,
        max_threads_per_multi_processor=2048,
        regs_per_multiprocessor=65536,
        L2_cache_size=4 << 20,
    )
    answers = {
        "is_available": lambda: True,
        "device_count": lambda: 1,
        "current_device": lambda: 0,
        "set_device": lambda device: None,
        "synchronize": lambda device=None: None,
        "empty_cache": lambda: None,
        "get_device_capability": lambda device=None: (major, minor),
        "get_device_name": lambda device=None: properties.name,
        "get_device_properties": lambda device=None: properties,
        "is_bf16_supported": lambda *of, **named: True,
        "mem_get_info": lambda device=None: (memory, memory),
        "current_stream": lambda device=None: Stream(),
        "default_stream": lambda device=None: Stream(),
        "device": Device,
        "Stream": Stream,
    }
    with contextlib.ExitStack() as patches:
        for name, answer in answers.items():
            patches.enter_context(mock.patch.object(torch.cuda, name, answer))
        patches.enter_context(mock.patch.object(torch.version, "hip", "7.0"))
        patches.enter_context(mock.patch.object(torch.version, "cuda", None))
        accelerator = mock.patch.object(torch.accelerator, "current_accelerator", lambda *of, **named: torch.device("cuda"))
        patches.enter_context(accelerator)
        patches.enter_context(OnCpu())
        yield gpu
