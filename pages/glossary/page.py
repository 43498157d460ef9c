"""The glossary: the terms of the lessons, a sentence or two each. Lessons link to a term where it first appears."""

import streamlit as st

from alibi_viz.lessons import term_name
from alibi_viz.ui import lesson, page


def main() -> None:
    text, _ = lesson.begin("glossary")
    terms = text.entries("terms")
    for key in text.text("order").split():  # of the alphabet, of pinyin, of kana
        with st.container(width=page.READING, gap="xsmall"):
            st.header(term_name(key), anchor=key.replace("_", "-"))
            st.markdown(terms[key])
