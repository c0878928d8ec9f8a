"""Messages between this process and its workers, through pipes: the length in 8 bytes, and a pickle."""

from __future__ import annotations

import struct
from typing import IO, Optional

# What a worker writes first. Anything else is not a worker.
READY = b"wavetank worker\n"


def send(file: IO[bytes], data: bytes) -> None:
    """Writes a message."""
    file.write(struct.pack("<Q", len(data)))
    file.write(data)
    file.flush()


def receive(file: IO[bytes]) -> Optional[bytes]:
    """Reads a message; ``None`` at the end of the file, also within a message."""
    header = file.read(8)
    if len(header) < 8:
        return None
    (length,) = struct.unpack("<Q", header)
    data = file.read(length)
    return data if len(data) == length else None
