"""The same line in the log again and again is left out: it fills a disk, and hides the others.

A server that could open no more files wrote 394 MB within minutes, all of the same few tracebacks.
"""

import logging
import time
from collections.abc import Hashable

AT_MOST, WITHIN = 5, 60.0  # equal records, seconds
MOST_KINDS = 1_000  # that are remembered
LOGGERS = ("asyncio", "uvicorn", "streamlit")  # and those below them


class RepeatLimit(logging.Filter):
    """Lets a few equal records pass in each minute; the first one after it says how many were left out."""

    def __init__(self) -> None:
        super().__init__()
        self._seen: dict[Hashable, tuple[float, int]] = {}  # kind -> when its minute began, records since

    def filter(self, record: logging.LogRecord) -> bool:
        kind, now = _kind(record), time.monotonic()
        begun, count = self._seen.get(kind, (now, 0))
        left_out = 0
        if now - begun >= WITHIN:
            begun, count, left_out = now, 0, max(0, count - AT_MOST)
        if kind not in self._seen and len(self._seen) >= MOST_KINDS:
            self._seen.clear()
        self._seen[kind] = (begun, count + 1)
        if left_out:
            record.msg, record.args = f"{record.getMessage()} [{left_out} more were left out]", None
        return count < AT_MOST


def _kind(record: logging.LogRecord) -> Hashable:
    """What makes two records equal: who says it, its first line without values, and where its exception was raised."""
    error = record.exc_info[1] if record.exc_info else None
    trace = error.__traceback__ if error else None
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = (trace.tb_frame.f_code.co_filename, trace.tb_lineno) if trace else None
    return (record.name, record.levelno, str(record.msg).partition("\n")[0], type(error), place)


def install() -> None:
    """Limit the loggers of the server. A filter of a logger does not hold for those below it, so each has one."""
    limit = RepeatLimit()
    for name in [*LOGGERS, *logging.root.manager.loggerDict]:
        if name.split(".")[0] in LOGGERS:
            logging.getLogger(name).addFilter(limit)
