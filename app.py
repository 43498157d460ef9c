"""The entry point: page configuration, navigation, and the sidebar that all pages share. Nothing else."""

from __future__ import annotations

import streamlit as st

from alibi_viz.lessons import load
from alibi_viz.ui.controls import state
from alibi_viz.ui.shell import logo, navigation, sidebar


def main() -> None:
    page = navigation.declare()
    logo.show(load("words").label("app"))
    sidebar.show()
    with st.container(width=1120):
        page.run()
    state.close_page()


main()
