"""What all readers of a server share: made once, when it is first asked for.

Not `st.cache_resource`: any session may ask the server to empty Streamlit's caches, and what others use would be gone.
"""

import threading
from collections.abc import Callable
from functools import cache, wraps
from typing import Generic, TypeVar

Shared = TypeVar("Shared")


class once(Generic[Shared]):  # noqa: N801  # a decorator
    """A function without parameters that is called once, however many threads ask at the same time."""

    def __init__(self, make: Callable[[], Shared]) -> None:
        wraps(make)(self)
        self._made, self._lock = cache(make), threading.Lock()

    def __call__(self) -> Shared:
        with self._lock:
            return self._made()

    def forget(self) -> None:
        """Make it anew the next time: for tests."""
        with self._lock:
            self._made.cache_clear()
