"""The entry point: page configuration, navigation, and the sidebar that all pages share. Nothing else."""

from __future__ import annotations

import streamlit as st

from alibi_viz.lessons import load
from alibi_viz.ui import navigation, sidebar, state


def main() -> None:
    words = load("words")
    st.set_page_config(page_title=words.label("app"), page_icon=":material/stairs:", layout="wide")
    page = navigation.declare()
    sidebar.show()
    with st.container(width=1120):
        page.run()
    state.settle()


main()
