"""The parts that every lesson shares: the code that ran, charts, downloads, sources; and its settings in one line."""

import difflib
import inspect
import re
import threading
from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

import streamlit as st

from alibi_viz.charts.figure import Chart, finish
from alibi_viz.charts.palette import enlarged
from alibi_viz.lessons import Lesson, joined, languages, load, problems
from alibi_viz.ui import address
from alibi_viz.ui.controls import page_options
from alibi_viz.ui.format import escape_markdown

if TYPE_CHECKING:  # the first page needs no tables, and takes half a second less without them
    import pandas as pd

Result = TypeVar("Result")
PRESENTED = 1.6  # times larger: the type of a chart on a projector
READING = 720  # pixels: a comfortable line of prose
EDIT = ":material/edit:"  # of a sentence that says what the reader has to change
LONGEST_SETTING = 60  # characters
_FORMULA = "([=+@-])"  # how a cell begins that a spreadsheet computes
CACHED = 128  # charts of all readers, some 50 kB each
NOTE = "_note"  # in the session: what the picture shows in words, for an exported file
ON_SITE = "_on_site"  # in the session: the page becomes one of the site, which has no Python


def dark() -> bool:
    """Whether the page is shown in the dark theme."""
    return page_options.is_dark()


def on_site() -> bool:
    """Whether the page becomes one of the site."""
    return bool(st.session_state.get(ON_SITE))


def problem(error: Exception) -> None:
    """What the reader has to change, in one sentence. The sentence may quote the reader, so it is shown as text."""
    st.warning(escape_markdown(problems.say(error)), icon=EDIT)


def attempt(compute: Callable[[], Result]) -> Result | None:
    """What `compute` gives; or None, and on the page the sentence of the ValueError that it raised."""
    try:
        return compute()
    except ValueError as error:
        problem(error)
        return None


_READING = threading.Lock()  # inspect parses the file of a class, and Python 3.11 cannot do that in two threads at once


@lru_cache(maxsize=64)  # reading it takes as long as a small chart
def source_of(piece: Any) -> str:
    """The source of a function or class, from any thread."""
    with _READING:
        return inspect.getsource(piece)


def code(*pieces: Callable[..., Any] | type) -> None:
    """The source of what just ran."""
    for piece in pieces:
        st.code(source_of(piece), language="python", wrap_lines=True)  # a scroller is no stop of the Tab key


def difference(first: str, second: str, around: int) -> None:
    """Two sources as one text: lines of the first alone begin with −, those of the second alone with +; blank ones are left
    out. around: equal lines beside changed ones; what is farther is left out.
    """
    lines = list(difflib.unified_diff(first.splitlines(), second.splitlines(), lineterm="", n=around))[3:]
    text = "\n".join("⋮" if line.startswith("@@") else line for line in lines if line.strip("+- "))
    st.code(text, language="diff", wrap_lines=True)


def sources(lesson: Lesson, facts: object = None) -> None:
    """Where the ideas and the published numbers come from."""
    if page_options.presenting():
        return
    with st.expander(load("shared").label("sources"), icon=":material/menu_book:"):
        st.markdown(lesson.text("sources", facts))


@lru_cache(maxsize=CACHED)
def _made(make: Callable[..., Any], inputs: tuple[Hashable, ...], *look: Hashable) -> Any:
    """look: of the page for which it is made."""
    made = make(*inputs)
    return finished(made) if isinstance(made, Chart) else made


def cached(make: Callable[..., Result], *inputs: Hashable) -> Result:
    """What `make` gives for these inputs, made once for all readers: a chart takes longer to build than the rest of a page.

    This is how a lesson stays cheap. The numbers of a study are kept by its `lru_cache`, and what is drawn from them here,
    by the same small inputs: numbers, words, functions, frozen dataclasses of them, and the lesson's text, which stands
    for the language. An array is no input: let `make` ask the study for it.
    """
    made: Result = _made(make, inputs, dark(), page_options.presenting(), languages.current())
    return made


def finished(figure: Chart) -> Any:
    """A figure as this page shows it: on a projector all its type is larger."""
    return finish(enlarged(figure, PRESENTED) if page_options.presenting() else figure)


def chart(draw: Callable[..., Chart] | Chart, *inputs: Hashable, key: str, alt: str, name: str) -> None:
    """A Plotly figure; its camera button saves a PNG under `name`. alt: the picture in words, for screen readers.

    draw: makes it of the inputs (`cached`); or the figure itself, where its inputs never come again. A figure without a
    height of its own is as tall as its place (the stage).
    """
    figure: Any = finished(draw) if isinstance(draw, Chart) else cached(draw, *inputs)
    config: dict[str, Any] = {"displaylogo": False, "scrollZoom": False, "showTips": False}
    config["modeBarButtons"] = [["toImage"]]  # common.css puts it beside the chart
    config["toImageButtonOptions"] = {"filename": name, "scale": 2}
    save = {"Download plot as a PNG": load("shared").entries("picture")["png_title"]}  # Plotly has English alone
    config |= {"locale": languages.current(), "locales": {languages.current(): {"dictionary": save}}}
    height: Any = "content" if "height" in figure.to_dict()["layout"] else "stretch"
    st.plotly_chart(figure, theme=None, width="stretch", height=height, key=key, alt=alt, config=config)


def download_csv(table: Callable[[], "pd.DataFrame"], *, name: str, key: str) -> None:
    """A button that saves a table, which is made only when it is asked for. A first line, after #, says the settings."""
    lesson = load(address.current_state().page)
    title = joined((load("shared").label("app"), lesson.text("title")), "colon")
    about = f"# {title} {settings(address.current_state(), lesson)}"
    file: dict[str, Any] = {"data": lambda: csv(table(), about), "file_name": name, "mime": "text/csv"}
    look: dict[str, Any] = {"icon": ":material/download:", "type": "tertiary"}
    st.download_button(load("shared").label("csv"), key=key, on_click="ignore", **file, **look)


def csv(table: "pd.DataFrame", about: str) -> bytes:
    """A table as a file, after a line about it, with the mark by which Excel knows UTF-8.

    A spreadsheet computes a cell that begins like a formula, and a reader's text may begin so, or a piece of it after what
    the spreadsheet takes for the end of a cell: an apostrophe makes it text.
    """
    first = re.sub(rf"([,;\t]\s*){_FORMULA}", r"\1'\2", about.replace("\n", " ").replace('"', "”"))
    return f"{first}\n{table.rename(columns=_harmless).map(_harmless).to_csv(index=False)}".encode("utf-8-sig")


def _harmless(cell: Any) -> Any:
    return re.sub(rf"(^\s*|[;\t]\s*){_FORMULA}", r"\1'\2", cell) if isinstance(cell, str) else cell


def settings(state: address.State, lesson: Lesson) -> str:
    """The controls that the picture of a page depends on, and their values, in one line, in the words of the lesson: also
    where no page runs, and there is no reader."""
    words, said = load("shared", lesson.language), []
    labels = words.entries("labels") | lesson.entries("labels")
    for key, read in state.reads.items():
        value = address.worded(lesson, read, read.cleaned.value)
        if read.is_on_stage and read.is_used and value:
            short = value if len(value) <= LONGEST_SETTING else value[: LONGEST_SETTING - 1] + "…"
            said.append(words.entry("lists", "colon", first=labels[key], second=short))
    return " · ".join(said)
