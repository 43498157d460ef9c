"""Files that are never half written, and never read beyond a limit.

Notable choices:
- Writing is to a temporary file, then a rename.
- Only regular files are read: a FIFO would keep its reader for ever, and a device has no end. Sizes are checked first.
"""

import contextlib
import os
import stat
import tempfile
from pathlib import Path

from alibi_viz.lessons.problems import Problem


def read_file(path: Path, most: int) -> bytes:
    """The bytes of a regular file of at most `most` bytes. Raises OSError if it cannot be read, ValueError for another."""
    # Without O_NONBLOCK, opening a FIFO waits for somebody to write.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    handle = os.open(path, flags)
    opened = os.fstat(handle)  # judged by what was opened, not by its name
    if not stat.S_ISREG(opened.st_mode):
        os.close(handle)
        raise ValueError(f"{path} is not a regular file.")
    with os.fdopen(handle, "rb") as file:
        data = file.read(most + 1) if opened.st_size <= most else b""
    if max(opened.st_size, len(data)) > most:
        raise ValueError(f"{path} is larger than {most:,} bytes.")
    return data


def read_named(path: Path, most: int) -> bytes:
    """The same of a file that a person named. Raises ValueError, in one sentence, whatever is wrong."""
    try:
        return read_file(path, most)
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror or 'it is no file'}.") from None


def not_writable(error: OSError) -> Problem:
    """What a reader is told if nothing can be written."""
    return Problem("training.not_writable", reason=str(error.strerror))


def write_atomically(path: Path, data: bytes) -> None:
    """Write `data` to `path`. At every moment the path holds the old file or the new one, also after a power cut."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
    with contextlib.suppress(OSError):  # make the rename itself durable; Windows cannot open a folder
        handle = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
