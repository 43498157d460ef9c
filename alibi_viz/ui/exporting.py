"""A stage as one file, without a server: what `alibi-viz export` runs, in a process of its own.

The app runs once a page, as its tests run it; then the page's pictures, as it has drawn them, go into the file.
"""

import logging
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

import streamlit as st

from alibi_viz import APP_FOLDER, __version__
from alibi_viz.export import CHART, Scene, Words, moving, page
from alibi_viz.lessons import load, plain
from alibi_viz.typed import printable
from alibi_viz.ui import address, caption
from alibi_viz.ui.components import mount
from alibi_viz.ui.controls import packing
from alibi_viz.ui.controls.params import Param
from alibi_viz.ui.lesson import CORRECTED
from alibi_viz.ui.page import EDIT
from alibi_viz.ui.shell import navigation
from alibi_viz.ui.shell.present import SCENE

SECONDS = 120  # that a page may take
WANTED, FILE = "_file_wanted", "_file"  # in the session of a command: whether a file is wanted, and what stands in it


def keep() -> None:
    """At the end of a page's run, where a command has asked for it: its picture, the words around it, and its controls."""
    if not st.session_state.get(WANTED):
        return
    lesson = caption.open_lesson()
    said, question = (str(st.session_state[key]) for key in (caption.NOTE, caption.QUESTION))
    note = "\n".join(line for line in said.splitlines() if not line.startswith("|"))  # without tables
    scene = Scene(plain(note), moving(mount.drawn()), title=plain(question))
    made = load("words").entry("export", "made", version=__version__, date=datetime.now(UTC).date().isoformat())
    words = Words(lesson.text("title"), caption.settings(), made, lesson.language)
    st.session_state[FILE] = scene, words, [read.param for read in address.state().reads.values()]


def file_of(lesson: str, query: Mapping[str, str], *, charts: bool = True) -> str:
    """The stage of a lesson as one file; all scenes, where it has some and the address names none.

    charts: also those that Plotly draws. Raises ValueError for an unknown lesson, control or value, and where there is no
    picture.
    """
    if lesson not in navigation.ICONS:
        raise ValueError(f"There is no lesson “{lesson}”. The lessons are: {', '.join(navigation.ICONS)}.")
    scene, words, params = _stage(lesson, query)
    scenes, turned = [scene], next((param for param in params if param.key == SCENE), None)
    if turned is not None and turned.key not in query:
        rest = (_stage(lesson, {**query, turned.key: str(number)})[0] for number in range(2, int(turned.high or 1) + 1))
        scenes = [replace(scene, name=str(number)) for number, scene in enumerate(chain(scenes, rest), start=1)]
        words = replace(words, settings={})  # they are of one scene
    if not charts:
        scenes = [replace(scene, parts=[part for part in scene.parts if part.kind != CHART]) for scene in scenes]
    if not any(scene.parts for scene in scenes):
        raise ValueError(f"The lesson “{lesson}” has no picture that moves by itself.")
    return page(scenes, words)


def _stage(lesson: str, query: Mapping[str, str]) -> tuple[Scene, Words, Sequence[Param]]:
    """What a file of the page has, the words around it, and the page's controls with their ranges.

    Raises ValueError where the page has no such control, or shows another value than was asked for.
    """
    from streamlit.testing.v1 import AppTest  # a command needs it, the app does not

    app = AppTest.from_file(str(APP_FOLDER / "app.py"), default_timeout=SECONDS)  # anew: pages share their controls
    app.run()  # only now AppTest knows the pages
    app.session_state[WANTED] = True
    for key, value in query.items():
        app.query_params[key] = value
    app.switch_page(navigation.script(lesson)).run()
    if app.exception:
        raise ValueError(app.exception[0].value)
    kept: tuple[Scene, Words, Sequence[Param]] = app.session_state[FILE]
    known = [param.key for param in kept[2]]
    if unknown := [key for key in query if key not in (*known, packing.KEY)]:
        raise ValueError(f"The lesson “{lesson}” has no control “{printable(unknown[0])}”. It has: {', '.join(known)}.")
    if problem := app.session_state[caption.PROBLEM]:
        raise ValueError(problem)
    if query and (said := [box.value for box in (*app.warning, *app.info) if box.icon in (EDIT, CORRECTED)]):
        raise ValueError(plain(said[0]))  # the page shows another value than was asked for
    return kept


def export(lesson: str, output: str, *pairs: str, charts: bool = True) -> None:
    """Write one file. pairs: controls and their values, key=value, as in the address of the page."""
    query = dict(pair.split("=", 1) for pair in pairs)
    Path(output).write_text(file_of(lesson, query, charts=charts), encoding="utf-8")


def picture(lesson: str, output: str, *pairs: str) -> None:
    """Write one file of what moves: a chart of Plotly's is too large for a notebook."""
    export(lesson, output, *pairs, charts=False)


COMMANDS: dict[str, Callable[..., None]] = {"export": export, "picture": picture}


def main(command: str, *arguments: str) -> int:
    logging.disable(logging.WARNING)  # Streamlit's lines about running without a server
    try:
        COMMANDS[command](*arguments)
    except ValueError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
