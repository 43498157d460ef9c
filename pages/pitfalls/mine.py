"""“Check yours”: the reader's slopes or bias matrix, and what is found in them."""

import streamlit as st
from streamlit.typing import UploadedFile

from alibi_viz.lessons import Lesson
from alibi_viz.pitfalls.findings import Verdict
from alibi_viz.pitfalls.identify_bias import identify
from alibi_viz.pitfalls.identify_slopes import MOST_HEADS
from alibi_viz.pitfalls.reading import ENDINGS, MOST_BYTES, read_array
from alibi_viz.pitfalls.sentences import sentences, status
from alibi_viz.typed import parse_numbers
from alibi_viz.ui import page
from alibi_viz.ui.controls import state, widgets
from alibi_viz.ui.controls.upload import upload
from pages.pitfalls import controls
from pages.pitfalls.facts import Limit


def show(lesson: Lesson) -> None:
    """A file counts, if there is one; else the list."""
    page.prose(lesson, "mine", Limit())
    left, right = st.columns(2, gap="medium")
    with left:
        widgets.text(controls.MINE, lesson, height=110)
    with right:
        file = upload(lesson.label("upload"), key="pitfalls_upload", types=ENDINGS)
    verdict = page.attempt(lambda: judge(state.read(controls.MINE), file))
    if verdict is not None:
        report(lesson, verdict)


def judge(typed: str, file: UploadedFile | None) -> Verdict:
    """What is found. Raises ValueError with a sentence."""
    if file is None:
        return identify(parse_numbers(typed, most=MOST_HEADS))
    if file.size > MOST_BYTES:
        raise ValueError(f"The file has {file.size:,} bytes; at most {MOST_BYTES:,} are read.")
    return identify(read_array(file.name, file.getvalue()))


def report(lesson: Lesson, verdict: Verdict) -> None:
    """The findings as sentences, the largest difference, and the way to each mistake."""
    kind = status(verdict)
    {"unknown": st.info, "pitfall": st.warning, "clean": st.success}[kind](lesson.text(f"verdict.{kind}"))
    with st.container(width=page.READING):
        st.markdown("\n".join(f"- {line}" for line in sentences(verdict, lesson)))
    if verdict.pitfalls:
        with st.container(horizontal=True, gap="small"):
            for name in verdict.pitfalls:
                label = lesson.label("open", name=lesson.entry("choices", name))
                st.button(label, key=f"pitfalls_open_{name}", on_click=controls.go, args=(name,))
