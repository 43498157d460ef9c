"""Training runs in other processes: line, fair turns, pause, resume, cancel. The only part that knows Dask."""

from alibi_viz.jobs.cluster import Cluster
from alibi_viz.jobs.queue import Jobs, Limits, Progress, Refused
from alibi_viz.jobs.tasks import Plan, window

__all__ = ["Cluster", "Jobs", "Limits", "Plan", "Progress", "Refused", "window"]
