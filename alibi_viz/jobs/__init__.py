"""Training runs in other processes: line, fair turns, pause, resume, cancel. The only part that knows Dask."""
