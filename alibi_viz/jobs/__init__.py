"""Training runs in other processes: queue, fair turns, pause, resume, cancel. The only part that knows Dask."""

from alibi_viz.jobs.cluster import Cluster
from alibi_viz.jobs.job import Busy, Limits, Progress
from alibi_viz.jobs.queue import Jobs
from alibi_viz.jobs.tasks import Plan, window

__all__ = ["Busy", "Cluster", "Jobs", "Limits", "Plan", "Progress", "window"]
