"""The one queue of training runs that all readers of this server share, and who looks at which run.

Notable choices:
- The queue lives as long as the server, not as long as a reader's session: a run goes on when a tab is closed.
- Equal runs are one run. So a reader may not stop what another one is watching: `Desk` knows who has looked at which
  run in the last seconds.
"""

from __future__ import annotations

import threading
import time
import uuid

import streamlit as st

from alibi_viz.device import pick
from alibi_viz.jobs import Cluster, Jobs
from alibi_viz.runs import RunStore

PRESENT = 6.0  # seconds after a reader's last look; a page that shows a running run looks every second
_READER = "_reader"


class Desk:
    """Who has looked at which run lately. May be asked from any thread."""

    def __init__(self) -> None:
        self._looks: dict[str, dict[str, float]] = {}  # run -> reader -> when
        self._lock = threading.Lock()

    def look(self, reader: str, runs: tuple[str, ...]) -> None:
        """The reader sees these runs now, and no others."""
        now = time.monotonic()
        with self._lock:
            for run in runs:
                self._looks.setdefault(run, {})
            for run, readers in list(self._looks.items()):
                if run in runs:
                    readers[reader] = now
                else:
                    readers.pop(reader, None)
                for other in [name for name, when in readers.items() if now - when > PRESENT]:
                    del readers[other]
                if not readers:
                    del self._looks[run]

    def others(self, reader: str, run: str) -> int:
        """How many other readers look at this run."""
        now = time.monotonic()
        with self._lock:
            readers = self._looks.get(run, {})
            return sum(name != reader and now - when <= PRESENT for name, when in readers.items())


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
    return str(st.session_state.setdefault(_READER, uuid.uuid4().hex))
