"""The glossary: the terms of the lessons, one sentence or two each. Lessons link to a term where it first appears."""

import streamlit as st

from alibi_viz.lessons import load
from alibi_viz.ui import page

lesson = page.begin("glossary", ())
terms = load("glossary").entries("terms")
for key in sorted(terms, key=lambda key: lesson.entry("names", key).lower()):
    with st.container(width=page.READING, gap=None):
        st.header(lesson.entry("names", key), anchor=key.replace("_", "-"))
        st.markdown(terms[key])
