"""Cases for what Triton's tutorials and language exercise, on emulated chips, against NumPy."""
