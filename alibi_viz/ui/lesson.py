"""The frame of a lesson whose state is the address: how it opens, its prose, its sections, and what ends it; and, where
the picture is a chart without hands, the widgets beside it.
"""

from collections.abc import Callable, Mapping, Sequence
from math import floor, log2
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from alibi_viz.charts.lines import Line, on_log_axis
from alibi_viz.lessons import Lesson, load
from alibi_viz.ui import address, classroom, page, question
from alibi_viz.ui.controls import page_options
from alibi_viz.ui.controls.params import Value
from alibi_viz.ui.format import format_number
from alibi_viz.ui.shell import navigation, present
from alibi_viz.user_input import printable

SIDE = 292  # pixels: the widgets beside a chart
STOPS = 4  # of a logarithmic slider, from a number to its double
CORRECTED = ":material/info:"  # of what the page shows otherwise than it was asked for
FEW = 4  # choices that stand side by side


def begin(name: str, numbers: Mapping[str, object] | None = None) -> Lesson:
    """Open a lesson: its title, and what it is about in a few sentences. numbers: of these sentences."""
    text = load(name)
    address.open_page(name, page_options.PARAMS)
    present.show()
    navigation.tabs(name)
    st.title(text.text("title"), anchor=False)
    prose(text.text("lead", numbers))
    question.begin()
    return text


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
    if sentences := dict.fromkeys([*address.problems(text), *others, *room]):
        with st.container(key="notes"):
            st.info("  \n".join(sentences), icon=CORRECTED)


def seen_and_formula(seen: Sequence[str], formula: Sequence[str] = ()) -> None:
    """“What you see”, then the formula (LaTeX and Markdown, a paragraph each), both where there are any; and the title of
    the sections."""
    seen_title, formula_title, closer = map(load("shared").label, ("seen", "formula", "closer"))
    titled = [
        f"## {title}\n\n" + "\n\n".join(part) for title, part in ((seen_title, seen), (formula_title, formula)) if part
    ]
    prose(*titled, f"## {closer}")


def sections(text: Lesson, contents: Mapping[str, Callable[[], object]], *code: Callable[..., Any] | type) -> None:
    """“Look closer”: each section of the lesson's table `sections` draws itself when it is open; `code` is the last one."""
    address.current_state().is_below = True
    if page_options.presenting():
        return
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


def stage() -> tuple[DeltaGenerator, DeltaGenerator]:
    """The first screen of a lesson whose picture has no hands: places for a chart, and for the widgets beside it."""
    with st.container(key="stage_row", horizontal=True, gap="medium"):
        picture = st.container(key="stage_picture", gap="small")
        side = st.container(key="stage_side", width=SIDE, gap="small")
    side.html(f'<span id="{page.CONTROLS}" tabindex="-1"></span>')  # the skip link leads here
    return picture, side


def note(sentence: str) -> None:
    """What the chart of the stage shows, over it; an exported file has it too."""
    st.session_state[page.NOTE] = sentence
    prose(sentence)


def curves(
    text: Lesson,
    lines: Sequence[Line],
    x: str,
    y: str,
    key: str,
    *,
    at: float | None = None,
    at_label: str = "train_length",
    height: int | None = 380,
    has_file: bool = True,
    **options: Any,
) -> None:
    """Curves on logarithmic axes (`charts.lines.on_log_axis`), their last points in words, and all points as a file.

    x, y, at_label: what the axes and the value `at` of x are called, in the lesson's table `chart`. key: of the chart, and
    the name of its file. height: None for the stage.
    """
    words, labels = load("shared"), text.entries("chart")
    axes = {"x": labels[x], "y": labels[y], "hover": "%{x:,.6~g}: %{y:,.4~r}", "ends": words.entries("labels")["ends"]}
    if at is not None:
        axes["at"] = text.entry("chart", at_label, length=at)
    ends = ", ".join(f"{line.name} {format_number(float(line.y[-1]))}" for line in lines)
    fig = on_log_axis(lines, axes, dark=page.dark(), height=height, at=at, **options)
    alt = words.label("curves", x=labels[x], y=labels[y], ends=ends)
    page.chart(fig, key=key, alt=alt.replace("<br>", " "), name=key)
    if has_file:
        names = {"x": labels[x], "y": labels[y], "low": "low", "high": "high"}
        rows = [pd.DataFrame(line.table()) for line in lines]
        page.download_csv(lambda: pd.concat(rows).rename(columns=names), name=f"{key}.csv", key=f"{key}_csv")


def presets(text: Lesson, table: Mapping[str, Mapping[str, Value]]) -> None:
    """Buttons that set several values; the one whose values are shown is marked. Called when these have been read.

    table: names of the lesson's table `try`. Presented, a number is a button's key.
    """
    with st.container(key="stage_presets", horizontal=True):
        for number, (name, values) in enumerate(table.items(), start=1):
            look: dict[str, Any] = {"type": "primary" if address.holds(values) else "secondary"}
            look["shortcut"] = str(number) if page_options.presenting() else None
            key = f"try_{text.name}_{name}"
            st.button(text.entry("try", name), key=key, on_click=address.write, args=(values,), **look)


def slider(text: Lesson, key: str, default: int, *, low: int, high: int, step: int = 1, log: bool = False) -> int:
    """A slider of Streamlit's for a whole number; nothing is drawn where there is one value alone.

    log: equal ways are equal ratios.
    """
    value: int = address.number(key, default, low=low, high=high)
    if low == high:
        return value
    if log:
        stops = (round(low * 2 ** (stop / STOPS)) for stop in range(floor(STOPS * log2(high / low)) + 1))
        options = sorted({*stops, high, value})
        _widget(st.select_slider, text, key, value, options=options, format_func=lambda number: f"{number:,}")
    else:
        _widget(st.slider, text, key, value, min_value=low, max_value=high, step=step)
    return value


def number(text: Lesson, key: str, default: int, *, low: int, high: int, step: int = 1) -> int:
    """A field for a whole number."""
    value: int = address.number(key, default, low=low, high=high)
    # All are floats: of “1e6” Streamlit's field for whole numbers reads the 1 alone.
    bounds = {"min_value": float(low), "max_value": float(high), "step": float(step)}
    _widget(st.number_input, text, key, float(value), format="%.0f", **bounds)
    return value


def choice(text: Lesson, key: str, options: Sequence[str] | Mapping[str, str], default: str) -> str:
    """One of a few words, side by side; of more than FEW in a list.

    options: what the reader sees stands with them, or in the lesson's table `choices` under their names.
    """
    value, names = address.choice(key, default, options), list(options)
    titles = options if isinstance(options, Mapping) else {name: text.choice(name) for name in options}
    look: dict[str, Any] = {"options": names, "format_func": lambda name: titles.get(name, name)}
    if len(names) > FEW:
        _widget(st.selectbox, text, key, value, **look)
    else:
        _widget(st.segmented_control, text, key, value, required=True, **look)
    return value


def multi_choice(text: Lesson, key: str, titles: Mapping[str, str], default: Sequence[str]) -> tuple[str, ...]:
    """Any of a few words, in their own order; where none is chosen, those of the default. titles: what the reader sees."""
    chosen = address.choices(key, ",".join(default), titles) or tuple(default)
    look: dict[str, Any] = {"options": titles, "format_func": titles.__getitem__, "selection_mode": "multi"}
    _widget(st.pills, text, key, list(chosen), **look)
    return chosen


def line(text: Lesson, key: str, default: str, longest: int) -> str:
    """One line of the reader's text."""
    value = address.text(key, default, longest)
    _widget(st.text_input, text, key, value)
    return value


def switch(text: Lesson, key: str) -> bool:
    """A switch, off by default."""
    value = address.flag(key)
    _widget(st.toggle, text, key, value)
    return value


def text_area(text: Lesson, key: str, default: str, *, longest: int) -> str:
    """A text of several lines."""
    value = address.text(key, default, longest)
    _widget(st.text_area, text, key, value, height=110)
    return value


def _widget(draw: Callable[..., object], text: Lesson, key: str, value: Value | list[str], **options: Any) -> None:
    """A widget of Streamlit's whose value is that of the address."""
    address.mark_on_stage(key)
    widget = f"widget_{key}"
    st.session_state[widget] = value
    about = text.entries("help").get(key) if "help" in text else None
    is_typed = address.current_state().reads[key].param.kind == "text"
    draw(text.label(key), key=widget, help=about, on_change=_set, args=(key, widget, is_typed), **options)


def _set(key: str, widget: str, is_typed: bool) -> None:
    """Callback. Back does not undo what is typed."""
    value = st.session_state[widget]
    address.write({key: ",".join(value) if isinstance(value, list) else value}, is_step=not is_typed)


def end(text: Lesson, sources: Mapping[str, object] | None = None) -> None:
    """The lesson that follows, and the sources."""
    if page_options.presenting():
        return
    if following := navigation.following(text.name):
        navigation.link(following, f"{load('shared').label('next')}: {load(following).text('title')}")
    page.sources(text, sources)
