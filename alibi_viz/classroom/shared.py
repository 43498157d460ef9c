"""The rooms' tables, in memory: a small database, so that a change is made whole or not at all, from any thread."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager


class Shared:
    """Tables (`schema`, SQL) in a database of their own. Safe from any thread."""

    def __init__(self, schema: str) -> None:
        self._lock = threading.Lock()
        # Autocommit: transactions begin and end where `change` says.
        self._database = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self._database.executescript(schema)

    def change(self) -> AbstractContextManager[sqlite3.Connection]:
        """All that is done in the block, or nothing of it. Raises ValueError if the database cannot be used."""
        return self._transaction("BEGIN IMMEDIATE")

    def look(self) -> AbstractContextManager[sqlite3.Connection]:
        """For reading."""
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
