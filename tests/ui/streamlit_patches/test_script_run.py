"""A thread that runs no page has no reader, and asks Streamlit for none."""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Thread

import pytest
import streamlit as st

from alibi_viz.ui.controls import frame


def warnings_of(ask: Callable[[], object], caplog: pytest.LogCaptureFixture) -> list[str]:
    """What Streamlit's loggers say of a call in a thread of its own."""
    for name in (name for name in logging.root.manager.loggerDict if name.startswith("streamlit")):
        logging.getLogger(name).addHandler(caplog.handler)
    thread = Thread(target=ask)
    thread.start()
    thread.join()
    return [record.message for record in caplog.records if record.name.startswith("streamlit")]


def test_a_thread_without_a_reader_speaks_english_and_warns_of_nothing(caplog):
    said: list[str] = []
    assert warnings_of(lambda: said.append(frame.language()), caplog) == []
    assert said == ["en"]


@pytest.mark.hook("alibi_viz/ui/streamlit_patches/script_run.py")
def test_streamlit_alone_warns_when_a_thread_asks_for_its_reader(caplog):
    assert warnings_of(lambda: st.query_params.get("lang"), caplog)
