"""Which process may write a run: two servers, or a server and a command, can share a data folder.

Notable choices:
- A claim is a lock of the operating system on a file in the run's folder (flock). The kernel takes it away when its
  process ends, however it ended: no claim is ever left behind, and no clock is asked how old one is.
- A run whose folder is removed while it is claimed is not written again: its owners (owners.py) went with the folder.
- Where there are no such locks (Windows, some network drives), every claim is granted.
"""

import contextlib
import errno
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

from alibi_viz.files import not_writable

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

LOCK = "lock"
TRIES, PAUSE = 5, 0.01  # seconds between: who asks whether a run is claimed holds its lock for a moment
NO_LOCKS = {errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS, errno.EINVAL}


class Claims:
    """The runs that this store may write. path: the folder of a run. Safe from any thread."""

    def __init__(self, path: Callable[[str], Path]) -> None:
        self._path = path
        self._held: dict[str, int] = {}  # run -> open file
        self._mutex = threading.Lock()

    def take(self, run_hash: str) -> bool:
        """Whether this run is ours now. Raises ValueError, in a sentence, if nothing can be written there."""
        with self._mutex:
            if run_hash in self._held:
                return True
            folder = self._path(run_hash)
            try:
                folder.mkdir(parents=True, exist_ok=True)
                handle = _lock(folder / LOCK)
            except OSError as error:
                raise not_writable(error) from None
            if handle is not None:
                self._held[run_hash] = handle
            return handle is not None

    def release(self, run_hash: str) -> None:
        """Give a claim back; nothing happens if it is not ours."""
        with self._mutex:
            handle = self._held.pop(run_hash, None)
            if handle is None:
                return
            folder = self._path(run_hash)
            with contextlib.suppress(OSError):
                if _is_at(folder / LOCK, handle):
                    os.unlink(folder / LOCK)  # while it is locked: who waits for it makes a new one
                    os.rmdir(folder)  # if nothing was saved; else it is not empty
            os.close(handle)

    def release_all(self) -> None:
        """Give all claims back."""
        for run_hash in list(self._held):
            self.release(run_hash)

    def check(self, run_hash: str) -> None:
        """Raises FileNotFoundError if a run of ours lost its folder: what is written then would have no owners."""
        with self._mutex:
            handle = self._held.get(run_hash)
            if handle is not None and not _is_at(self._path(run_hash) / LOCK, handle):
                raise FileNotFoundError(errno.ENOENT, "the folder of the run was removed")

    def is_elsewhere(self, run_hash: str) -> bool:
        """Whether somebody else has claimed this run."""
        with self._mutex:
            if fcntl is None or run_hash in self._held:
                return False
            with contextlib.suppress(OSError):
                handle = os.open(self._path(run_hash) / LOCK, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
                try:
                    fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
                except BlockingIOError:
                    return True
                finally:
                    os.close(handle)
            return False


def _lock(path: Path) -> int | None:
    """The locked file, open; None if somebody else has it. Raises OSError if it cannot be opened."""
    for _ in range(TRIES):
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        handle = os.open(path, flags, 0o600)
        try:
            if fcntl is not None:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_at(path, handle):  # else it was given back and removed just now
                return handle
        except BlockingIOError:
            time.sleep(PAUSE)
        except OSError as error:
            if error.errno in NO_LOCKS:
                return handle
            os.close(handle)
            raise
        os.close(handle)
    return None


def _is_at(path: Path, handle: int) -> bool:
    """Whether the open file is the one at this path, and not one that was removed from there. Raises OSError."""
    try:
        return os.path.samestat(os.fstat(handle), os.lstat(path))
    except (FileNotFoundError, NotADirectoryError):
        return False
