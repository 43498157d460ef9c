"""What the servers of one class share: a small database, in memory where one server is alone.

Notable choices:
- SQLite comes with Python and needs no server. ALIBI_VIZ_SHARED names its file; `alibi_viz serve` makes one for its
  replicas and deletes it at the end. So a class is in one room, whichever replica each of its readers is on.
- One connection a process, behind a lock; what one change reads is not changed by another process before it has written.
"""

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

SETTING = "ALIBI_VIZ_SHARED"
WAITING = 10.0  # seconds for another process to finish its change


class Shared:
    """Tables (`schema`, SQL that may be run again) in the shared database. Safe from any thread."""

    def __init__(self, schema: str) -> None:
        self._lock = threading.Lock()
        file = os.environ.get(SETTING) or ":memory:"
        # Autocommit: transactions begin and end where `change` says.
        self._database = sqlite3.connect(file, timeout=WAITING, isolation_level=None, check_same_thread=False)
        # Nothing here outlives the servers, so nothing waits for a disk.
        self._database.executescript(f"PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF; {schema}")

    def change(self) -> AbstractContextManager[sqlite3.Connection]:
        """All that is done in the block, or nothing of it. Raises ValueError if the database cannot be used."""
        return self._transaction("BEGIN IMMEDIATE")

    def look(self) -> AbstractContextManager[sqlite3.Connection]:
        """For reading: what other processes change meanwhile is not seen in the block, and nobody waits for it."""
        return self._transaction("BEGIN")

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                self._database.execute(begin)
                try:
                    yield self._database
                except BaseException:
                    self._database.execute("ROLLBACK")
                    raise
                self._database.execute("COMMIT")
            except sqlite3.Error as error:
                raise ValueError(f"What the readers share cannot be used now: {error}.") from None
