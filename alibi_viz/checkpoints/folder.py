"""The folder of local checkpoints that the server's owner allows, and its files: regular ones, inside it, of a known size.

Notable choices:
- Without the environment variable nothing can be opened: a server may be shared, and its readers choose no paths. They
  choose among the folders that are listed here, by name.
- A symbolic link may lead to another place in the folder (Hugging Face's cache is built so), not out of it.
- A file is opened without blocking and judged by what was opened, not by its name: no FIFO, no device, no folder.
"""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from alibi_viz.files import open_regular

SETTING = "ALIBI_VIZ_MODELS"
CONFIG = "config.json"
DEPTH = 4  # folders below the root that are searched: models--name/snapshots/revision
VISITED = 4_000  # entries that are looked at
LISTED = 200  # checkpoints, or names in one


@dataclass(frozen=True)
class Folder:
    """One checkpoint's folder."""

    root: Path  # resolved
    name: str  # below the root, with slashes

    @property
    def path(self) -> Path:
        return self.root / self.name

    def has(self, file: str) -> bool:
        return os.path.lexists(self.path / file)

    def names(self) -> list[str]:
        """The first LISTED names in the folder, sorted; those that no page can show are left out."""
        with os.scandir(self.path) as entries:
            return sorted(entry.name for entry in islice(entries, LISTED) if entry.name.isprintable())

    def changed(self, file: str) -> int:
        """When the file was written, in nanoseconds; 0 if it is not there."""
        try:
            return (self.path / file).stat().st_mtime_ns
        except OSError:
            return 0

    def open(self, file: str) -> BinaryIO:
        """A regular file of the folder, for reading. Raises ValueError with one sentence."""
        where = f"{self.name}/{file}"
        try:
            target = (self.path / file).resolve(strict=True)
        except (OSError, RuntimeError):  # RuntimeError: links in a circle, before Python 3.13
            raise ValueError(f"{where} is not there.") from None
        if not target.is_relative_to(self.root):
            raise ValueError(f"{where} is a link that leads out of the folder of models; it is not followed.")
        try:
            return open_regular(target, follow_link=False)
        except OSError as error:
            raise ValueError(f"{where} cannot be opened: {error.strerror}.") from None
        except ValueError:
            raise ValueError(f"{where} is not a regular file.") from None

    def read(self, file: str, most: int) -> bytes:
        """A whole file of at most `most` bytes. Raises ValueError with one sentence."""
        with self.open(file) as opened:
            size = os.fstat(opened.fileno()).st_size
            if size > most:
                raise ValueError(f"{self.name}/{file} has {size:,} bytes; at most {most:,} are read.")
            return opened.read(most)


def root() -> Path | None:
    """The folder that the environment names, resolved; None if it names none that is there."""
    setting = os.environ.get(SETTING, "").strip()
    try:
        path = Path(setting).expanduser().resolve(strict=True) if setting else None
    except (OSError, RuntimeError):
        return None
    return path if path is not None and path.is_dir() else None


def folders() -> tuple[str, ...]:
    """The names of the checkpoints below the root: folders that hold a config.json."""
    top = root()
    if top is None:
        return ()
    found = [entry.relative_to(top).as_posix() for entry in _search(top)]
    return tuple(sorted(name for name in found if name.isprintable()))


def find(name: str) -> Folder:
    """The folder of that name. Raises ValueError with one sentence if it is not such a one as `folders` lists."""
    top = root()
    if top is None or not _is_listed(top, name):
        raise ValueError("There is no such folder among the local models.")
    return Folder(top, name)


def _is_listed(top: Path, name: str) -> bool:
    """Whether the name leads to a checkpoint below the root, link by no link; the tree is not searched for it."""
    parts = PurePosixPath(name).parts
    if name != PurePosixPath(name).as_posix() or not name.isprintable() or len(parts) > DEPTH or ".." in parts:
        return False
    below = [top.joinpath(*parts[: depth + 1]) for depth in range(len(parts))]
    try:
        real = all(stat.S_ISDIR(path.lstat().st_mode) for path in below)
        return real and not PurePosixPath(name).is_absolute() and os.path.lexists(top / name / CONFIG)
    except (OSError, ValueError):  # ValueError: a zero byte in the name
        return False


def _search(top: Path) -> Iterator[Path]:
    """Folders with a config.json, breadth first, links not followed; it gives up after so many entries."""
    waiting, visited, found = [(top, 0)], 0, 0
    while waiting and found < LISTED:
        path, depth = waiting.pop(0)
        try:
            entries = os.scandir(path)
        except OSError:
            continue
        with entries:
            for entry in entries:
                visited += 1
                if visited > VISITED:
                    return
                if entry.name == CONFIG:
                    found += 1
                    yield path
                elif depth < DEPTH and entry.is_dir(follow_symlinks=False):
                    waiting.append((Path(entry.path), depth + 1))
