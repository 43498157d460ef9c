"""How many files and connections this process may hold open: the limit is raised at the start, and counted against.

A server holds one descriptor for each reader. Many systems start a process with a soft limit of 1,024 or of 256, though
it may raise that itself, up to the hard one.
"""

import contextlib
import math
import os

ENOUGH = 10_240  # macOS refuses more, and names no hard limit; a server has other limits long before
DESCRIPTORS = "/dev/fd"  # one entry for each that this process has open: on Linux and macOS


def raise_limit() -> int | None:
    """Raise the soft limit to the hard one. Returns the limit that holds now; None where there is none."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    highest = ENOUGH if hard == resource.RLIM_INFINITY else min(hard, ENOUGH)
    if soft != resource.RLIM_INFINITY and soft < highest:
        with contextlib.suppress(OSError, ValueError):  # a system that allows less than it says
            resource.setrlimit(resource.RLIMIT_NOFILE, (highest, hard))
            soft = highest
    return None if soft == resource.RLIM_INFINITY else soft


def count_free() -> float:
    """How many descriptors this process may still open; infinite where there is no limit."""
    try:
        import resource
    except ImportError:
        return math.inf
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return math.inf
    try:
        return max(0, soft - len(os.listdir(DESCRIPTORS)))
    except OSError:  # to look takes a descriptor
        return 0
