"""The parts that every page shares: its opening, “try this”, the code that ran, downloads, sources."""

from __future__ import annotations

import csv
import inspect
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from alibi_viz.lessons import Lesson, load
from alibi_viz.ui import live, navigation, state
from alibi_viz.ui.params import Param, Value

Settings = Mapping[str, Mapping[str, Value]]  # “try this” button -> the controls that it sets
READING = 720  # pixels: a comfortable line of prose


def words() -> Lesson:
    """The words that all pages share."""
    return load("words")


def dark() -> bool:
    """Whether the reader's browser shows the dark theme."""
    return st.context.theme.type == "dark"


def start(name: str, params: Sequence[Param]) -> Lesson:
    """Open a page: check its parameters, show its title, what it shows in one sentence, and what was corrected."""
    navigation.ensure()
    live.begin()
    lesson = load(name)
    state.open_page(navigation.path(name), params)
    st.title(lesson.text("title"), anchor=False)
    with st.container(width=READING):
        st.markdown(lesson.text("intro"))
    for note in state.notes(params):
        st.info(note, icon=":material/info:")
    return lesson


def prose(lesson: Lesson, section: str, /, **numbers: object) -> None:
    """A section of the lesson, no wider than is good to read."""
    with st.container(width=READING):
        st.markdown(lesson.text(section, **numbers))


def seen(lesson: Lesson, section: str = "seen", /, **numbers: object) -> None:
    """“What you see”, with the live numbers in the sentence."""
    st.subheader(words().label("seen"), anchor=False)
    prose(lesson, section, **numbers)


def tries(lesson: Lesson, settings: Settings) -> None:
    """“Try this” buttons; each sets the controls named in its row."""
    st.caption(words().label("try"))
    with st.container(horizontal=True, gap="small"):
        for key, values in settings.items():
            st.button(
                lesson.entry("try", key),
                key=f"try_{lesson.name}_{key}",
                on_click=state.assign,
                args=(values,),
            )


def formula(lesson: Lesson, *latex: str, section: str = "formula", **numbers: object) -> None:
    """The formula, then the same with its numbers put in."""
    st.subheader(words().label("formula"), anchor=False)
    with st.container(width=READING):
        for line in latex:
            st.latex(line)
        st.markdown(lesson.text(section, **numbers))


def code(*pieces: Callable[..., Any] | type, label: str = "") -> None:
    """The source of what just ran. label: where it ran earlier, for numbers that are stored."""
    with st.expander(label or words().label("code"), icon=":material/code:"):
        for piece in pieces:
            st.code(inspect.getsource(piece), language="python")


def sources(lesson: Lesson, **numbers: object) -> None:
    """Where the ideas and the published numbers come from."""
    with st.expander(words().label("sources"), icon=":material/menu_book:"):
        st.markdown(lesson.text("sources", **numbers))


def chart(figure: go.Figure, *, key: str, alt: str, name: str) -> None:
    """A Plotly figure in the house's style; its camera button saves a PNG under `name`."""
    st.plotly_chart(
        figure,
        theme=None,
        width="stretch",
        key=key,
        alt=alt,
        config={
            "displaylogo": False,
            "modeBarButtons": [["toImage"]],
            "toImageButtonOptions": {"filename": name, "scale": 2},
            "scrollZoom": False,
        },
    )


def csv_text(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Comma-separated values with a header line."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue()


def download(make: Callable[[], str], *, name: str, key: str, label: str = "csv") -> None:
    """A CSV that is made only when it is asked for."""
    st.download_button(
        words().label(label),
        data=make,
        file_name=name,
        mime="text/csv",
        key=key,
        on_click="ignore",
        icon=":material/download:",
        type="tertiary",
    )
