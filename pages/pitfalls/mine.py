"""“Check yours”: the reader's slopes or bias matrix, and what is found in them."""

import streamlit as st
from streamlit.typing import UploadedFile

from alibi_viz.lessons import Lesson
from alibi_viz.pitfalls.findings import Finding, Verdict
from alibi_viz.pitfalls.identify_bias import identify_bias
from alibi_viz.pitfalls.identify_slopes import MOST_HEADS, identify_slopes
from alibi_viz.pitfalls.reading import ENDINGS, MOST_BYTES, read_matrix
from alibi_viz.ui import page
from alibi_viz.ui.controls import state, widgets
from alibi_viz.ui.controls.params import parse_numbers
from alibi_viz.ui.controls.upload import upload
from alibi_viz.ui.format import format_number
from pages.pitfalls import controls
from pages.pitfalls.facts import Limit, judged


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
        return identify_slopes(parse_numbers(typed, most=MOST_HEADS))
    if file.size > MOST_BYTES:
        raise ValueError(f"The file has {file.size:,} bytes; at most {MOST_BYTES:,} are read.")
    return identify_bias(read_matrix(file.name, file.getvalue()))


def report(lesson: Lesson, verdict: Verdict) -> None:
    """The findings as sentences, the largest difference, and the way to each mistake."""
    lines = [f"- {sentence(lesson, finding)}" for finding in verdict.findings]
    if verdict.slopes and verdict.known:
        lines.append(f"- {lesson.text('found.difference', judged(verdict))}")
    if len(verdict.slopes) > 1:
        lines.append(f"- {lesson.text('found.slopes', judged(verdict))}")
    kind = "unknown" if not verdict.known else "pitfall" if verdict.pitfalls else "clean"
    {"unknown": st.info, "pitfall": st.warning, "clean": st.success}[kind](lesson.text(f"verdict.{kind}"))
    with st.container(width=page.READING):
        st.markdown("\n".join(lines))
    if verdict.pitfalls:
        with st.container(horizontal=True, gap="small"):
            for name in verdict.pitfalls:
                label = lesson.label("open", name=lesson.entry("choices", name))
                st.button(label, key=f"pitfalls_open_{name}", on_click=controls.go, args=(name,))


def sentence(lesson: Lesson, finding: Finding) -> str:
    """One finding, with its numbers as they are read."""
    numbers = {
        name: format_number(value) if isinstance(value, float) else value for name, value in finding.numbers.items()
    }
    return lesson.entry("found", finding.kind, **numbers)
