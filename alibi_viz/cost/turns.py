"""One measurement at a time on a machine: others wait, and know their place.

Nobody holds a lock. A reader who waits or measures asks again and again (the page does); who has not asked for TIMEOUT
seconds has left, and loses the place. So a closed tab stops nobody.
"""

import threading
import time
from collections.abc import Callable

TIMEOUT = 10.0  # seconds
MOST = 100  # readers


class Turns:
    """Who measures, and who waits. Safe from any thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._lock = clock, threading.Lock()
        self._seen: dict[str, float] = {}  # reader -> when they asked last, in the order of the queue

    def ask(self, reader: str) -> int:
        """How many are before this reader; 0: it is the reader's turn. Raises ValueError where too many wait."""
        now = self._clock()
        with self._lock:
            self._seen = {one: seen for one, seen in self._seen.items() if one == reader or seen >= now - TIMEOUT}
            if reader not in self._seen and len(self._seen) >= MOST:
                raise ValueError("Too many readers wait for a measurement. Try again in a few minutes.")
            self._seen[reader] = now
            return list(self._seen).index(reader)

    def leave(self, reader: str) -> None:
        """Done, or no longer interested."""
        with self._lock:
            self._seen.pop(reader, None)
