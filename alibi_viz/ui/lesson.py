"""The frame of a lesson whose state is the address: how it opens, its prose, its sections, and what ends it."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from alibi_viz.charts.figure import Chart
from alibi_viz.charts.lines import Line, on_log_axis
from alibi_viz.lessons import Lesson, in_language, joined, load
from alibi_viz.ui import address, classroom, page, question
from alibi_viz.ui.control_panel import ControlPanel
from alibi_viz.ui.controls import page_options
from alibi_viz.ui.format import format_number
from alibi_viz.ui.shell import navigation, present
from alibi_viz.ui.streamlit_patches import page_not_found
from alibi_viz.user_input import printable

if TYPE_CHECKING:
    import pandas as pd

Sections = Mapping[str, Callable[[], object]]  # by name: what draws it
CORRECTED = ":material/info:"  # of what the page shows otherwise than it was asked for


def begin(
    name: str, numbers: Mapping[str, object] | None = None, lead: Callable[[Lesson], str] = lambda text: "lead"
) -> tuple[Lesson, ControlPanel]:
    """Open a lesson: its title, and what it is about in a few sentences. Its words, and its controls.

    numbers: of these sentences. lead: the section that has them, where it depends on the address.
    """
    text = load(name)
    address.open_page(name, page_options.PARAMS)
    present.show()
    navigation.tabs(name)
    st.title(text.text("title"), anchor=False)
    prose(text.text(lead(text), numbers))
    question.begin()
    return text, ControlPanel(text)


def prose(*paragraphs: str) -> None:
    """Markdown, no wider than is good to read. All of it is one element, since each one costs the server time."""
    if not page_options.presenting():
        st.markdown("\n\n".join(paragraphs), width=page.READING)


def say_problems(text: Lesson, *others: str) -> None:
    """What the address asks for and the page cannot show, a line each, also a room that is not there. All stand in one box,
    so that the stage stays in sight (style.css). Called when the stage's values have been read.

    others: sentences of the page's own.
    """
    if f"{text.name}_open" in text.entries("labels"):
        _opened(text)
    name, code = classroom.trouble()
    room = [load("shared").entry("problems", name, given=printable(code))] if name else []
    lost = [load("shared").entry("site", "lost")] if page_not_found.is_lost() else []
    if sentences := dict.fromkeys([*lost, *address.problems(text), *others, *room]):
        with st.container(key="notes"):
            st.info("  \n".join(sentences), icon=CORRECTED)


def seen_and_formula(seen: Sequence[str], formula: Sequence[str] = ()) -> None:
    """“What you see”, then the formula (LaTeX and Markdown, a paragraph each), both where there are any; and the title of
    the sections."""
    seen_title, formula_title, closer = map(load("shared").label, ("seen", "formula", "closer"))
    parts = ((seen_title, seen), (formula_title, list(map(in_language, formula))))
    titled = [f"## {title}\n\n" + "\n\n".join(part) for title, part in parts if part]
    prose(*titled, f"## {closer}")


def _sections(text: Lesson, contents: Sections, code: Sequence[Callable[..., Any] | type]) -> None:
    words, key = load("shared"), f"{text.name}_open"
    shows = {**contents, "code": lambda: page.code(*code)} if code else dict(contents)
    titles = words.entries("sections") | (text.entries("sections") if "sections" in text else {})
    opened = _opened(text)
    with st.container(gap="xsmall"):
        for name, show in shows.items():
            widget = f"{key}_{name}"
            st.session_state[widget] = name in opened  # the address is the truth
            with st.expander(titles[name], key=widget, on_change=_toggle, args=(key, name, opened, tuple(shows))):
                if name in opened:
                    show()


def _opened(text: Lesson) -> tuple[str, ...]:
    """The sections that the address opens."""
    own = text.entries("sections") if "sections" in text else {}
    return address.choices(f"{text.name}_open", "", dict.fromkeys((*own, "code")))


def _toggle(key: str, name: str, opened: tuple[str, ...], sections: tuple[str, ...]) -> None:
    """Callback of a section: it was opened or closed. Back does not undo it."""
    now = {*opened, name} if st.session_state.get(f"{key}_{name}") else {*opened} - {name}
    address.write({key: ",".join(section for section in sections if section in now)}, is_step=False)


def stage() -> DeltaGenerator:
    """The place of a chart with its row of hands, as high as that of a picture."""
    return st.container(key="stage", gap="small")


def note(sentence: str) -> None:
    """What the chart of the stage shows, over it; an exported file has it too."""
    st.session_state[page.NOTE] = sentence
    prose(sentence)


def curves(
    text: Lesson,
    lines: Callable[..., Sequence[Line]],
    inputs: tuple[Hashable, ...],
    x: str,
    y: str,
    key: str,
    *,
    has_file: bool = True,
    **options: Hashable,
) -> None:
    """Curves on logarithmic axes (`charts.lines.on_log_axis`), their last points in words, and all points as a file.

    lines: gives the curves of these inputs (`page.cached`). x, y: what the axes are called, in the lesson's table `chart`.
    key: of the chart, and the name of its file. options: those of `on_log_axis`, and `at_label`, what `at` is called there.
    """
    alt = page.cached(_ends, text, lines, inputs, x, y)
    page.chart(_curves, text, lines, inputs, x, y, tuple(options.items()), key=key, alt=alt, name=key)
    if has_file:
        labels = text.entries("chart")
        names = {"x": labels[x], "y": labels[y], **load("shared").entries("table")}

        def table() -> "pd.DataFrame":
            import pandas as pd  # as in ui/page.py

            return pd.concat([pd.DataFrame(line.table()) for line in lines(*inputs)]).rename(columns=names)

        page.download_csv(table, name=f"{key}.csv", key=f"{key}_csv")


def _curves(
    text: Lesson,
    lines: Callable[..., Sequence[Line]],
    inputs: tuple[Hashable, ...],
    x: str,
    y: str,
    options: tuple[tuple[str, Any], ...],
) -> Chart:
    labels, look = text.entries("chart"), {"at_label": "train_length", **dict(options)}
    at_label, at = look.pop("at_label"), look.get("at")
    axes = {"x": labels[x], "y": labels[y], "hover": joined(("%{x:,.6~g}", "%{y:,.4~r}"), "colon")}
    axes["ends"] = load("shared").entries("labels")["ends"]
    if at is not None:
        axes["at"] = text.entry("chart", at_label, length=at)
    return on_log_axis(lines(*inputs), axes, dark=page.dark(), **look)


def _ends(text: Lesson, lines: Callable[..., Sequence[Line]], inputs: tuple[Hashable, ...], x: str, y: str) -> str:
    """The last points of curves in words."""
    labels = text.entries("chart")
    ends = joined(f"{line.name} {format_number(float(line.y[-1]))}" for line in lines(*inputs))
    return load("shared").label("curves", x=labels[x], y=labels[y], ends=ends).replace("<br>", " ")


def end(
    text: Lesson, sections: Sections, *code: Callable[..., Any] | type, sources: Mapping[str, object] | None = None
) -> None:
    """“Look closer”: each section of the lesson's table `sections` draws itself when it is open; `code` is the last one.
    Then the lesson that follows, and the sources: their numbers."""
    address.current_state().is_below = True
    if page_options.presenting():
        return
    if sections or code:
        _sections(text, sections, code)
    if following := navigation.following(text.name):
        navigation.link(following, joined((load("shared").label("next"), load(following).text("title")), "colon"))
    page.sources(text, sources)
