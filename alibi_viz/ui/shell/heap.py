"""Memory that readers leave behind goes back to the system.

glibc keeps freed blocks below a limit, and raises that limit to 32 MiB when larger ones are freed. A server makes and
frees messages and pictures of some hundred kilobytes for many readers at once, and small objects that live on come to
stand between them: after sixty readers 90 MB lay free and could not be returned. With a fixed limit every large block has
pages of its own, which go back when it is freed. Measured by `python -m benchmarks readers_memory`.
"""

import ctypes
import sys

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # glibc's malloc.h
LARGE = 256 * 1024  # bytes of a block that has pages of its own; a smaller limit costs time
LOOSE = 256 * 1024  # free bytes at the end of the heap that are kept


def return_large_blocks() -> bool:
    """Set the limits of this process; False where the C library has no such setting."""
    if sys.platform != "linux":
        return False
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except AttributeError:  # musl
        return False
    return bool(mallopt(M_MMAP_THRESHOLD, LARGE) and mallopt(M_TRIM_THRESHOLD, LOOSE))
