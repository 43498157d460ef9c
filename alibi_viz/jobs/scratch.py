"""A temporary folder for the files of a cluster: nobody else can write there, and nothing of it stays.

Dask leaves the scheduler's address and its workers' folders behind when they are killed, and so end most of ours; and it
takes modules from a folder that is the same for all accounts of the machine.

Notable choices:
- The folder goes with its cluster. If the process is killed first, the next cluster of this machine removes it.
- Its owner holds a lock of the operating system, which ends with the process: so a folder in use is never taken for one
  that was left. It gets its name only when the lock is held.
"""

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows, where no cluster of our own can be started
    fcntl = None  # type: ignore[assignment]

PREFIX = "alibi-viz-dask-"
LOCK = "lock"


class Scratch:
    """The folder at `path`, until `close`. Raises OSError if none can be made."""

    def __init__(self) -> None:
        remove_left()
        begun = Path(tempfile.mkdtemp(prefix=f"new-{PREFIX}"))
        self._lock = os.open(begun / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        _lock(self._lock)
        self.path = begun.rename(begun.with_name(begun.name.removeprefix("new-")))

    def close(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._lock)


def remove_left() -> None:
    """Remove the folders whose owners have ended."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):  # it is another account's, or in use (BlockingIOError), or just gone
            handle = os.open(folder / LOCK, os.O_RDWR | os.O_NOFOLLOW)
            try:
                _lock(handle)
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(handle)


def _lock(handle: int) -> None:
    if fcntl is not None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
