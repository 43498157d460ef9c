"""What all readers of this server share: the line of training runs. It lives as long as the server: a run goes on when a
tab is closed.

Not `st.cache_resource`: any session may ask the server to empty Streamlit's caches, and what others use would be gone.
"""

import threading
from functools import cache

from alibi_viz.checks import setting
from alibi_viz.device import pick
from alibi_viz.jobs.cluster import Cluster
from alibi_viz.jobs.queue import Jobs, Progress
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.runs import Run

_LOCK = threading.Lock()


@cache
def line() -> Jobs:
    """The line of runs, on the fastest device; its workers start with the first run."""
    return Jobs(cluster=Cluster(device=pick().name), makes_room=True)


def jobs() -> Jobs:
    """The line of runs: one, however many readers ask for it at the same time."""
    with _LOCK:
        return line()


def warm_up() -> None:
    """Start the workers in the background: a page was opened on which a run may begin. ALIBI_VIZ_WARM=0 prevents it."""
    if setting("ALIBI_VIZ_WARM", 1, 0, 1):
        jobs().warm_up()


def progress(config: TrainConfig) -> Progress:
    """Where the run of a configuration stands; "new" if it has not begun."""
    return jobs().progress(config.hash) or Progress(Run(config, status="new"))
