"""Where Triton is adapted: it takes arrays of NumPy and of the device, and needs no PyTorch.

Each function of Triton that is replaced here is one that it looks up when it is called, so that kernels which were made before are
adapted, too.
"""

from __future__ import annotations

import functools
import importlib.util
from typing import Any, Callable, Dict, List

from .._errors import ArgumentError
from ._arguments import Pointer, adapted, adapters


def adapt() -> None:
    """Adapts Triton, once."""
    from triton.runtime import jit

    if getattr(jit.create_function_from_signature, "takes_arrays", False):
        return
    _bind_arrays()
    _tune_with_arrays()
    _measure_without_torch()


def _bind_arrays() -> None:
    """Lets kernels take arrays, which Triton does not know.

    Triton makes a function for each kernel that binds its arguments. That happens after the driver was chosen, even if the first
    launch chooses it.
    """
    from triton.runtime import jit

    make = jit.create_function_from_signature

    @functools.wraps(make)
    def make_with_arrays(*of: Any, **named: Any) -> Callable[..., Any]:
        bind = make(*of, **named)

        def bind_arrays(*args: Any, **keywords: Any) -> Any:
            # This runs at every launch.
            taken = [arg if (how := adapters[type(arg)]) is None else how(arg) for arg in args]
            for name, arg in keywords.items():
                if (how := adapters[type(arg)]) is not None:
                    keywords[name] = how(arg)
            try:
                return bind(*taken, **keywords)
            except Exception:
                _refuse_unknown_types(taken, keywords)
                raise

        return bind_arrays

    make_with_arrays.takes_arrays = True  # type: ignore[attr-defined]
    jit.create_function_from_signature = make_with_arrays


def _refuse_unknown_types(arguments: List[Any], keywords: Dict[str, Any]) -> None:
    """Raises a sentence about an array whose elements have a type that Triton does not have."""
    from triton._utils import type_canonicalisation_dict

    for argument in [*arguments, *keywords.values()]:
        name = str(getattr(argument, "dtype", "")).split(".")[-1]
        if hasattr(argument, "data_ptr") and name not in type_canonicalisation_dict:
            raise ArgumentError(
                f"Triton has no type for the elements of an array of {name}: convert it to one of other elements, such as float32"
            ) from None


def _tune_with_arrays() -> None:
    """Lets the autotuner reset and restore arrays, as it does tensors: by methods that arrays do not have.

    Hooks of the program are given what the program has passed.
    """
    from triton.runtime.autotuner import Autotuner

    run = Autotuner.run

    @functools.wraps(run)
    def run_with_arrays(self: Any, *args: Any, **keywords: Any) -> Any:
        if not getattr(self, "takes_arrays", False):
            self.takes_arrays = True
            if not self.user_defined_pre_hook:
                self.pre_hook = _with_tensors(self.pre_hook)
            if not self.user_defined_post_hook:
                self.post_hook = _with_tensors(self.post_hook)
        return run(self, *args, **keywords)

    Autotuner.run = run_with_arrays


def _with_tensors(hook: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a hook that is given arrays as tensors."""

    @functools.wraps(hook)
    def with_tensors(arguments: Any, **keywords: Any) -> Any:
        return hook({name: adapted(value) for name, value in arguments.items()}, **keywords)

    return with_tensors


def _measure_without_torch() -> None:
    """Lets versions that import PyTorch to learn the size of a tensor do without it, and take less time with it."""
    from triton.backends.amd.compiler import HIPBackend

    within = getattr(HIPBackend, "is_within_2gb", None)
    if within is None:
        return
    has_torch = importlib.util.find_spec("torch") is not None

    def is_within_2gb(arg: Any) -> bool:
        if type(arg) is Pointer or hasattr(arg, "ptr_range"):
            return bool(arg.ptr_range() <= 2**31 - 1)
        return has_torch and bool(within(arg))

    HIPBackend.is_within_2gb = staticmethod(is_within_2gb)
