"""The entry point: page configuration, navigation, and the sidebar that all pages share. Nothing else."""

from __future__ import annotations

import streamlit as st

from alibi_viz.lessons import load
from alibi_viz.ui import sidebar, state

PAGES = {
    "start": ":material/home:",
    "slopes": ":material/stairs:",
    "bias": ":material/grid_on:",
    "attention": ":material/visibility:",
}


def main() -> None:
    words = load("words")
    st.set_page_config(page_title=words.label("app"), page_icon=":material/stairs:", layout="wide")
    page = st.navigation(
        [
            st.Page(
                f"pages/{name}.py",
                title=words.entry("pages", name),
                icon=icon,
                url_path=name,
                default=name == "start",
                help=words.entry("page_help", name),
            )
            for name, icon in PAGES.items()
        ]
    )
    sidebar.show()
    with st.container(width=1120):
        page.run()
    state.settle()


main()
