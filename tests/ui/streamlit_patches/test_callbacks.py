"""A callback that refuses something says so on its page, which is whole."""

import pytest
from streamlit import config, error_util
from streamlit.runtime.state import SessionState
from streamlit.testing.v1 import AppTest

import app
from alibi_viz.lessons import load, problems
from alibi_viz.ui.streamlit_patches import callbacks


def page():
    import streamlit as st

    from alibi_viz.lessons.problems import Problem
    from alibi_viz.ui.streamlit_patches import callbacks

    def refuse():
        raise Problem("rooms.unknown")

    @st.fragment
    def part():
        st.button("part", on_click=refuse)

    st.button("whole", on_click=refuse)
    part()
    st.markdown("end of the page")
    callbacks.say_refused()


def pressed(number):
    return AppTest.from_function(page).run().button[number].click().run()


@pytest.mark.parametrize("number", [0, 1])
def test_what_a_callback_refuses_is_said_once_on_a_whole_page(number, monkeypatch):
    monkeypatch.setattr(SessionState, "_run_callback_and_record_rerun", callbacks._call)  # back to it afterwards
    callbacks.install()
    at = pressed(number)
    assert not at.exception
    assert [toast.value.replace("\\", "") for toast in at.toast] == ["There is no such room."]
    assert [text.value for text in at.markdown] == ["end of the page"]
    assert not at.run().toast


@pytest.mark.hook("alibi_viz/ui/streamlit_patches/callbacks.py")
def test_streamlit_alone_shows_an_error_in_place_of_the_page(monkeypatch):
    monkeypatch.setattr(SessionState, "_run_callback_and_record_rerun", callbacks._call)
    at = pressed(0)
    assert at.exception
    assert not at.markdown


def test_a_page_that_fails_says_so_in_the_words_of_its_reader_with_a_link_that_opens_it_again(monkeypatch):
    invoke = error_util.invoke_script_error_handler  # AppTest knows the script of an app, not its handlers
    monkeypatch.setattr(
        error_util, "invoke_script_error_handler", lambda error, _: invoke(error, app.app._on_script_error)
    )
    config.set_option("client.showErrorDetails", "none")  # as readers have it
    at = AppTest.from_string("1 / 0")
    at.query_params["lang"] = "ja"
    at.run()
    assert not at.exception
    assert [box.value for box in at.warning] == [problems.Problem("pages.failed").sentence("ja")]
    assert [link.proto.body for link in at.get("html")] == [
        f'<a class="failed" href="">{load("shared", "ja").label("open_again")}</a>'
    ]
