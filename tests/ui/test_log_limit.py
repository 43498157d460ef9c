"""A line that comes again and again is left out of the log, and counted."""

from __future__ import annotations

import logging

import pytest

from alibi_viz.ui.shell import log_limit


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> tuple[logging.Logger, list[str], list[float]]:
    """A limited logger, the lines that pass, and the time."""
    lines, now = list[str](), [0.0]

    class Lines(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(record.getMessage())

    logger = logging.Logger("limited")
    logger.addHandler(Lines())
    logger.addFilter(log_limit.RepeatLimit())
    monkeypatch.setattr(log_limit.time, "monotonic", lambda: now[0])
    return logger, lines, now


def test_equal_lines_pass_a_few_times_a_minute_and_the_next_one_says_how_many_did_not(log) -> None:
    logger, lines, now = log
    for number in range(100):
        logger.error("no file %d", number)
    assert len(lines) == log_limit.AT_MOST
    logger.error("something else")
    assert lines[-1] == "something else"
    now[0] += log_limit.WITHIN
    logger.error("no file %d", 100)
    assert lines[-1].startswith("no file 100")
    assert str(100 - log_limit.AT_MOST) in lines[-1]


def test_errors_from_two_places_are_two(log) -> None:
    logger, lines, _ = log
    for _ in range(100):
        try:
            int("x")
        except ValueError:
            logger.exception("failed")
    try:
        float("x")
    except ValueError:
        logger.exception("failed")
    assert len(lines) == log_limit.AT_MOST + 1


def test_what_is_remembered_is_bounded(log, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_limit, "MOST_KINDS", 10)
    logger, lines, _ = log
    for number in range(50):
        logger.error(f"kind {number}")
    assert len(lines) == 50
    assert len(logger.filters[0]._seen) <= 10


def test_the_servers_own_loggers_are_limited() -> None:
    loggers = [logging.getLogger(name) for name in ("asyncio", "uvicorn.error", "streamlit.runtime.app_session")]
    before = [list(logger.filters) for logger in loggers]
    try:
        log_limit.install()
        assert all(isinstance(logger.filters[-1], log_limit.RepeatLimit) for logger in loggers)
    finally:
        for logger, filters in zip(loggers, before, strict=True):
            logger.filters[:] = filters
