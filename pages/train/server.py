"""What all readers of this server share: the queue of training runs, and who watches which run.

The queue lives as long as the server, not as long as a reader's session: a run goes on when a tab is closed. Equal runs are
one run: what that means for those who stop or delete one is said in ownership.py.
"""

import threading
import time
from collections.abc import Callable

from alibi_viz.checks import setting
from alibi_viz.device import pick
from alibi_viz.jobs import Cluster, Jobs, Progress
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.records import Run
from alibi_viz.lm.sweep import Keep
from alibi_viz.ui.once import once
from alibi_viz.ui.streamlit_patches import open_tabs

TIMEOUT = 20.0  # seconds after a page was last shown; an open page is shown anew every few seconds


class Viewers:
    """Who watches which runs now. Two tabs of one browser are two sessions of one reader. Safe from any thread."""

    def __init__(self, is_connected: Callable[[str], bool] = open_tabs.is_connected) -> None:
        self._is_connected = is_connected
        self._watched: dict[
            str, tuple[float, str, tuple[str, ...]]
        ] = {}  # session -> when, whose, the runs on the page
        self._lock = threading.Lock()

    def watch(self, session: str, owner: str, runs: tuple[str, ...]) -> None:
        """The session watches these runs now, and no others. owner: as whom (lm/owners.py)."""
        with self._lock:
            present = {other: watched for other, watched in self._watched.items() if self._is_present(other)}
            self._watched = present | {session: (time.monotonic(), owner, runs)}

    def others(self, owner: str, run: str) -> frozenset[str]:
        """The other readers who watch this run."""
        with self._lock:
            watched = {
                whose
                for session, (_, whose, runs) in self._watched.items()
                if run in runs and self._is_present(session)
            }
            return frozenset(watched - {owner})

    def _is_present(self, session: str) -> bool:
        """Whether the session's tab is open, on this page."""
        return time.monotonic() - self._watched[session][0] <= TIMEOUT and self._is_connected(session)


@once
def jobs() -> Jobs:
    """The queue, on the fastest device; its workers start with the first run."""
    return Jobs(cluster=Cluster(device=pick().name), keep=Keep.from_settings())


def warm_up() -> None:
    """Start the workers in the background: a page was opened on which a run may begin. ALIBI_VIZ_WARM=0 prevents it."""
    if setting("ALIBI_VIZ_WARM", 1, 0, 1):
        jobs().warm_up()


@once
def viewers() -> Viewers:
    return Viewers()


def progress(config: TrainConfig) -> Progress:
    """Where the run of a configuration stands; "new" if it has not begun."""
    return jobs().progress(config.hash) or Progress(Run(config, status="new"))
