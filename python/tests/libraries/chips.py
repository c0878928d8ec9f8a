"""The chips of the tests of libraries."""


def chips():
    try:
        import torch  # noqa: F401
        import triton  # noqa: F401
    except ImportError:
        return []
    from wavetank.triton import _state

    return [chip for chip in ("gfx906", "gfx90a", "gfx942") if chip in _state.chips()]
