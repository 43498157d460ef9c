"""“Download”: the stage's picture as a file, on a worksheet, or on paper."""

import contextlib
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import streamlit as st

from alibi_viz import __version__, export
from alibi_viz.export import Part, Scene
from alibi_viz.lessons import Lesson, load, plain
from alibi_viz.ui import moving, page_facts, qr, share
from alibi_viz.ui.components import mount
from alibi_viz.ui.components.takeaway import takeaway
from alibi_viz.ui.controls import frame, method_pills, state
from alibi_viz.ui.controls.params import Param
from alibi_viz.ui.shell import navigation

WANTED, FILE = (
    "_file_wanted",
    "_file",
)  # in the session of a command: whether a file is wanted, and what is to stand in it
LONGEST = 60  # characters of a setting in a caption
OPEN = "takeaway_open"  # in the session: whether the reader looks at it
QUESTIONS, KINDS = (1, 2, 3), ("question", "answer")  # of a worksheet


@st.fragment
def panel() -> None:
    """What can be taken away from the page that is open. Made when it is opened: a QR code takes 20 ms."""
    keep_file()
    words, lesson = load("words"), _open_lesson()
    title: dict[str, Any] = {"label": words.entry("takeaway", "title"), "icon": ":material/download:"}
    with st.popover(**title, type="tertiary", key=OPEN, on_change="rerun") as popover:
        if not popover.open:
            return
        link = share.link_to(predict=state.read(frame.PREDICT))
        missing = f" {words.entry('share', 'left_out')}" if state.left_out() else ""
        takeaway(
            title=lesson.text("title"),
            settings=settings(lesson),
            source=words.entry("takeaway", "source"),
            link=link + missing,
            qr=qr.svg(link) if len(link) <= share.LONGEST and share.is_reachable() else "",
            filename=lesson.name.replace("_", "-"),
            sheet=sheet(lesson),
            words=words.entries("takeaway"),
            from_app=words.label("app"),
        )
        moving_page(lesson)


def moving_page(lesson: Lesson) -> None:
    """A button that saves the stage as one file that moves; none where nothing on it moves by itself."""
    scenes = _scenes()
    if scenes is None:
        return
    around = words_around(lesson)
    file: dict[str, Any] = {
        "data": lambda: export.page(scenes(), around),
        "file_name": f"{lesson.name.replace('_', '-')}.html",
        "mime": "text/html",
    }
    look: dict[str, Any] = {"icon": ":material/web:", "type": "tertiary", "on_click": "ignore"}
    st.download_button(load("words").entry("takeaway", "html"), **file, **look)


def words_around(lesson: Lesson) -> export.Words:
    """What stands around the pictures of a file."""
    today = datetime.now(UTC).date().isoformat()
    made = load("words").entry("takeaway", "made", version=__version__, date=today)
    return export.Words(lesson.text("title"), _settings(lesson), made, lesson.language)


def _scenes() -> Callable[[], Sequence[Scene]] | None:
    """What the page has offered; else its stage as it is."""
    if offered := moving.offered():
        return offered
    parts = export.moving(mount.drawn())
    return (lambda: [_stage(parts)]) if parts else None


def _stage(parts: Sequence[Part]) -> Scene:
    """The stage as it is, its note without tables. Of a page with scenes, the one in sight."""
    note = "\n".join(line for line in page_facts.note().splitlines() if not line.startswith("|"))
    return Scene(plain(note), parts, title=plain(page_facts.question()))


def keep_file() -> None:
    """Where a command has asked for it: the scenes of a file, the words around them, and the controls of the page."""
    if st.session_state.get(WANTED):
        scenes = _scenes() or (lambda: [_stage(())])
        st.session_state[FILE] = scenes(), words_around(_open_lesson()), state.open_params()


def caption() -> str:
    """The question of the page that is open, and its settings, in one line."""
    lesson = _open_lesson()
    return f"{load('words').label('app')}: {lesson.text('title')} {settings(lesson)}"


def _open_lesson() -> Lesson:
    return load(state.open_page_name() or navigation.FIRST)


def settings(lesson: Lesson) -> str:
    """The controls that the picture depends on, and their values, for a caption."""
    return " · ".join(f"{label}: {text}" for label, text in _settings(lesson).items())


def _settings(lesson: Lesson) -> dict[str, str]:
    parts = [(_label(lesson, param), _worded(lesson, param)) for param in state.on_stage()]
    return {label: _shortened(text) for label, text in parts if text}


def _label(lesson: Lesson, param: Param) -> str:
    """The name of the control, as its page calls it."""
    labels = load("words").entries("labels") | lesson.entries("labels")
    return labels[param.key]


def _worded(lesson: Lesson, param: Param) -> str:
    """The value as the control shows it: a choice in the lesson's words, methods by their titles."""
    text, words = state.text(param), load("words")
    if param.kind == "flag":
        return words.label(text)
    names = [*map(str.strip, text.split(","))]
    if param.kind == "text" and set(names) <= set(method_pills.TITLES):
        return method_pills.titles(names)
    choices = lesson.entries("choices") if param.kind == "choice" and "choices" in lesson else {}
    return choices.get(text.replace(" ", "_"), text)


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def sheet(lesson: Lesson) -> list[dict[str, str]]:
    """The questions of the lesson's worksheet, and their answers with the numbers of the page as it is now.

    A lesson may have several worksheets (`worksheet`, `worksheet.…`): the first whose numbers the page has. None where the
    page has not come to any numbers, as with a text that it cannot read.
    """
    known = page_facts.known()
    for section in lesson.sections:
        if section.split(".")[0] == "worksheet":
            with contextlib.suppress(KeyError):
                return [{kind: _entry(lesson, section, kind, number, known) for kind in KINDS} for number in QUESTIONS]
    return []


def _entry(lesson: Lesson, section: str, kind: str, number: int, known: Mapping[str, object]) -> str:
    return plain(lesson.entry(section, f"{kind}_{number}", **known))
