"""A thread that runs no page has no reader, and asks Streamlit for none."""

import logging
from threading import Thread

import pytest
import streamlit as st

from alibi_viz.ui.controls import page_options


@pytest.fixture(autouse=True)
def loud():
    """The export of a file silences what Streamlit says, for its whole process."""
    before = logging.root.manager.disable
    logging.disable(logging.NOTSET)
    yield
    logging.disable(before)


def warnings_of(ask, caplog):
    """What Streamlit's loggers say of a call in a thread of its own."""
    loggers = [
        logging.getLogger(name) for name in list(logging.root.manager.loggerDict) if name.startswith("streamlit")
    ]
    for logger in loggers:
        logger.addHandler(caplog.handler)
    thread = Thread(target=ask)
    thread.start()
    thread.join()
    for logger in loggers:
        logger.removeHandler(caplog.handler)
    return [record.message for record in caplog.records if record.name.startswith("streamlit")]


def test_a_thread_without_a_reader_speaks_english_and_warns_of_nothing(caplog):
    said: list[str] = []
    assert warnings_of(lambda: said.append(page_options.language()), caplog) == []
    assert said == ["en"]


@pytest.mark.hook("alibi_viz/ui/streamlit_patches/script_run.py")
def test_streamlit_alone_warns_when_a_thread_asks_for_its_reader(caplog):
    assert warnings_of(lambda: st.query_params.get("lang"), caplog)
