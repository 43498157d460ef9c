"""The glossary: the terms of the lessons, a sentence or two each. Lessons link to a term where it first appears."""

import streamlit as st

from alibi_viz.ui import lesson, page

text = lesson.begin("glossary")
terms = text.entries("terms")
names = text.entries("names")
for key in sorted(terms, key=lambda key: names[key].lower()):
    with st.container(width=page.READING, gap="xsmall"):
        st.header(names[key], anchor=key.replace("_", "-"))
        st.markdown(terms[key])
