"""The folder of local models that the server's owner allows, and its files: regular ones, inside it, of a known size.

Notable choices:
- Without the environment variable nothing can be opened: a server may be shared, and its readers choose no paths. They
  choose among the folders that are listed here, by name.
- A symbolic link to a file may lead to another place in the folder (Hugging Face's cache is built so), not out of it.
- Only regular files are opened: no FIFO, no device, no folder.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from alibi_viz.files import read_file
from alibi_viz.lessons.problems import Problem

SETTING = "ALIBI_VIZ_MODELS"
CONFIG = "config.json"
DEPTH = 4  # folders below the root that are searched: models--name/snapshots/revision
VISITED = 4_000  # folders and files that are looked at
LISTED = 200  # models, or names in one


@dataclass(frozen=True)
class Folder:
    """One model's folder."""

    root: Path  # resolved
    name: str  # below the root, with slashes

    @property
    def path(self) -> Path:
        return self.root / self.name

    def names(self) -> list[str]:
        """The names in the folder, sorted; those that no page can show are left out."""
        return sorted(name for name in os.listdir(self.path)[:LISTED] if name.isprintable())

    def changed(self, file: str) -> int:
        """When the file was written, in nanoseconds; 0 if it is not there."""
        try:
            return (self.path / file).stat().st_mtime_ns
        except OSError:
            return 0

    def file(self, name: str) -> Path:
        """A regular file of the folder, without links. Raises ValueError with one sentence."""
        where = f"{self.name}/{name}"
        try:
            target = (self.path / name).resolve(strict=True)
        except (OSError, RuntimeError):  # RuntimeError: links in a circle, before Python 3.13
            raise Problem("models.gone", file=where) from None
        if not target.is_relative_to(self.root):
            raise Problem("models.link", file=where)
        if not target.is_file():
            raise Problem("models.not_regular", file=where)
        return target

    def read(self, name: str, most: int) -> bytes:
        """A whole file of at most `most` bytes. Raises ValueError with one sentence."""
        target, where = self.file(name), f"{self.name}/{name}"
        if (size := target.stat().st_size) > most:
            raise Problem("models.too_large", file=where, bytes=size, most=most)
        try:
            return read_file(target, most)
        except OSError as error:
            raise Problem("models.closed", file=where, reason=str(error.strerror)) from None


def root() -> Path | None:
    """The folder that the environment names, resolved; None if it names none that is there."""
    setting = os.environ.get(SETTING, "").strip()
    try:
        path = Path(setting).expanduser().resolve(strict=True) if setting else None
    except (OSError, RuntimeError):
        return None
    return path if path is not None and path.is_dir() else None


def folders() -> tuple[str, ...]:
    """The names of the models below the root: folders that hold a config.json. Links to folders are not followed."""
    top, names, visited = root(), [], 0
    for path, below, files in os.walk(top) if top else ():
        name = Path(path).relative_to(top).as_posix()  # type: ignore[arg-type]  # there is a root
        visited += 1 + len(files)
        if CONFIG in files and name.isprintable():
            names.append(name)
        if name.count("/") >= DEPTH - 1 and name != ".":
            below.clear()
        if visited > VISITED or len(names) == LISTED:
            break
    return tuple(sorted(names))


def find(name: str) -> Folder:
    """The folder of that name. Raises ValueError with one sentence if it is not such a one as `folders` lists."""
    top = root()
    if top is None or name not in folders():
        raise Problem("models.no_folder")
    return Folder(top, name)
