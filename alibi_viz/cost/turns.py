"""One measurement at a time on a machine: others wait, and know their place.

Notable choices:
- Nobody holds a lock. A reader who waits or measures asks again and again (the page does); who has not asked for TIMEOUT
  seconds has left, and loses the place. So a closed tab stops nobody.
- The queue is in the shared database: replicas of a server on one machine disturb each other as two readers would.
"""

import time
from collections.abc import Callable

from alibi_viz.classroom.shared import Shared

TIMEOUT = 10.0  # seconds
MOST = 100  # readers
SCHEMA = "CREATE TABLE IF NOT EXISTS turns (place INTEGER PRIMARY KEY, reader UNIQUE, seen);"


class Turns:
    """Who measures, and who waits. Safe from any thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._shared = clock, Shared(SCHEMA)

    def ask(self, reader: str) -> int:
        """How many are before this reader; 0: it is the reader's turn. Raises ValueError where too many wait."""
        now = self._clock()
        with self._shared.change() as tables:
            tables.execute("DELETE FROM turns WHERE seen < ? AND reader != ?", (now - TIMEOUT, reader))
            waiting = [row[0] for row in tables.execute("SELECT reader FROM turns ORDER BY place")]
            if reader not in waiting:
                if len(waiting) >= MOST:
                    raise ValueError("Too many readers wait for a measurement. Try again in a few minutes.")
                waiting.append(reader)
                tables.execute("INSERT INTO turns (reader, seen) VALUES (?, ?)", (reader, now))
            tables.execute("UPDATE turns SET seen = ? WHERE reader = ?", (now, reader))
            return waiting.index(reader)

    def leave(self, reader: str) -> None:
        """Done, or no longer interested."""
        with self._shared.change() as tables:
            tables.execute("DELETE FROM turns WHERE reader = ?", (reader,))
