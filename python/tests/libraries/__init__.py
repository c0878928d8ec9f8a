"""Libraries of Triton kernels, and PyTorch's compiler, on emulated chips."""
