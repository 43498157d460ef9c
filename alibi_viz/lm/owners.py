"""Whose a run is: `<folder of the run>/owners/<SHA-256 of a reader's key>`, one empty file for each owner.

Notable choices:
- A reader is known by a random key, which stays in the browser (ui/reader.py). Only its hash is stored: who can read the
  data folder cannot act as a reader. The key has 256 random bits, so a plain hash is enough.
- A run without the folder is everybody's: it was made in the terminal, or by an earlier version.
- Equal configurations are one run. So each reader who presses Play on it becomes an owner too, and an owner can never
  take the run away from the others: reset and delete make that owner leave, and the files go with the last one.
- One file for each owner and not a list: two servers on one folder never overwrite each other's owners.
- What cannot be read is nobody's: shown to none and changed by none of those who share a server.
- Who is alone with the server (Reader.alone) may see and change all of it.
"""

import hashlib
import os
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from alibi_viz.files import not_writable
from alibi_viz.lm.records import Run
from alibi_viz.lm.runs import RECORD, RunStore

FOLDER = "owners"
MOST = 200  # owners of a run; who comes later trains along without owning it
_OWNER = re.compile("[0-9a-f]{64}")


def owner_of(key: str) -> str:
    """What is stored of a reader's key."""
    return hashlib.sha256(key.encode()).hexdigest()


@dataclass(frozen=True)
class Reader:
    """Who asks. alone: nobody else uses this server. class_: others' runs are not listed."""

    owner: str
    alone: bool = False
    class_: bool = False


class Owners:
    """The owners of the runs of a store. Methods raise ValueError for what is no hash of a run."""

    def __init__(self, store: RunStore) -> None:
        self.store = store

    def of(self, run_hash: str) -> frozenset[str] | None:
        """The owners of a run; None: it is everybody's."""
        try:
            names = os.listdir(self._folder(run_hash))
        except FileNotFoundError:
            return None
        except OSError:
            return frozenset()
        return frozenset(filter(_OWNER.fullmatch, names))

    def join(self, run_hash: str, owner: str) -> bool:
        """Make the reader an owner; whether that is new. A run that is everybody's stays so.

        Raises ValueError, in a sentence, if nothing can be written there.
        """
        owners = self.of(run_hash)
        is_everybodys = owners is None and (self.store.path(run_hash) / RECORD).exists()
        if is_everybodys or owner in (owners or ()) or len(owners or ()) >= MOST:
            return False
        folder = self._folder(run_hash)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / owner).touch()
        except OSError as error:
            raise not_writable(error) from None
        return True

    def leave(self, run_hash: str, owner: str) -> None:
        """Make the reader no owner any more; a run that never began leaves nothing behind. Raises OSError."""
        folder = self._folder(run_hash)
        (folder / owner).unlink(missing_ok=True)
        if not (folder.parent / RECORD).exists():
            for empty in (folder, folder.parent):
                with suppress(OSError):
                    empty.rmdir()

    def is_own(self, reader: Reader, run: Run) -> bool:
        """Whether a run is the reader's, or everybody's."""
        owners = None if reader.alone else self.of(run.hash)
        return owners is None or reader.owner in owners

    def may_see(self, reader: Reader, run: Run) -> bool:
        """Whether a run is in the reader's list of all runs; one on a reader's own text is in its owners' lists alone."""
        is_shown = bool(self.of(run.hash)) and not (reader.class_ or run.config.has_own_text)
        return is_shown or self.is_own(reader, run)

    def _folder(self, run_hash: str) -> Path:
        return self.store.path(run_hash) / FOLDER
