"""A control of a fragment that asks for the whole page gets it at once, without a run of the fragment before it."""

from __future__ import annotations

from streamlit.runtime.app_session import AppSession

from tests.ui.streamlit_patches.server import Reader

PAGE = """
import streamlit as st
from alibi_viz.ui.controls import rerun

@st.fragment
def stage():
    drawn = st.session_state["drawn"] = st.session_state.get("drawn", 0) + 1
    st.markdown(f"{{drawn}} times")
    st.button("whole", key="whole", on_click=rerun.request)
    if st.button("late", key="late"):
        rerun.request()

stage()
st.button("outside", key="outside", on_click=rerun.request)
st.markdown("end of {name}")
"""


async def pressed(reader: Reader) -> list[list[str]]:
    """The texts that follow a press of each button."""
    reader.ask(name="first")
    await reader.rest()
    first, part = reader.page("first"), reader.part()
    buttons = {}
    for said in reader.browser.heard:
        if said.delta.new_element.HasField("button"):
            buttons[said.delta.new_element.button.label] = said.delta.new_element.button.id
    texts = []
    for label, button in buttons.items():
        reader.browser.heard.clear()
        reader.ask(first, "" if label == "outside" else part, pressed=button)
        await reader.rest()
        texts.append(reader.browser.shown())
    return texts


def test_the_whole_page_runs_in_place_of_the_fragment(read):
    drawn = (2, 4, 5)  # times, by then: a button in the fragment's body has drawn it once before
    assert read(AppSession, pressed, page=PAGE) == [[f"{times} times", "end of first"] for times in drawn]
