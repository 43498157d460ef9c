"""The one queue of training runs that all readers of this server share, and who looks at which run.

Notable choices:
- The queue lives as long as the server, not as long as a reader's session: a run goes on when a tab is closed.
- Equal runs are one run. So a reader may not stop or delete what another one watches: `Desk` knows which connected
  reader looks at which run.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from alibi_viz.device import pick
from alibi_viz.jobs import Cluster, Jobs
from alibi_viz.lm.runs import RunStore

LATELY = 20.0  # seconds after a look; a page looks every few seconds as long as it is open


def connected(reader: str) -> bool:
    """Whether this session's tab is open. A reload makes a new session; the old one is gone."""
    return runtime.exists() and runtime.get_instance().is_active_session(reader)


class Desk:
    """Who looks at which run now. May be asked from any thread."""

    def __init__(self, here: Callable[[str], bool] = connected) -> None:
        self._here = here
        self._looks: dict[str, tuple[float, tuple[str, ...]]] = {}  # reader -> when, and the runs on the page
        self._lock = threading.Lock()

    def look(self, reader: str, runs: tuple[str, ...]) -> None:
        """The reader sees these runs now, and no others."""
        with self._lock:
            kept = {one: look for one, look in self._looks.items() if self._present(one)}
            self._looks = kept | {reader: (time.monotonic(), runs)}

    def others(self, reader: str, run: str) -> int:
        """How many other readers look at this run."""
        with self._lock:
            looks = self._looks.items()
            return sum(one != reader and run in runs and self._present(one) for one, (_, runs) in looks)

    def _present(self, reader: str) -> bool:
        """Whether the reader's tab is open, on this page."""
        return time.monotonic() - self._looks[reader][0] <= LATELY and self._here(reader)


@st.cache_resource(max_entries=1)
def jobs() -> Jobs:
    """The queue, on the fastest device; its workers start with the first run."""
    device = pick().name
    cluster = Cluster()
    if device != "cpu" and cluster.own:
        cluster.workers = 1  # one process to a GPU
    return Jobs(RunStore(), cluster, device=device)


@st.cache_resource(max_entries=1)
def desk() -> Desk:
    return Desk()


def reader() -> str:
    """A name for this session."""
    context = get_script_run_ctx()
    return context.session_id if context else ""
