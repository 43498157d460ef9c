"""A stage as one file, without a server: what `alibi-viz export` runs; for the library, in a process of its own.

The app runs once a page, as its tests run it; then the pictures that it has sent to the browser go into the file.
"""

import json
import logging
import os
import sys
from collections import ChainMap
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from alibi_viz import APP_FOLDER, __version__
from alibi_viz.export import CHART, Part, header_of, page
from alibi_viz.files import write_atomically
from alibi_viz.lessons import languages, load, plain
from alibi_viz.ui import address, weights
from alibi_viz.ui.components import modules
from alibi_viz.ui.controls import packing, page_options
from alibi_viz.ui.lesson import CORRECTED
from alibi_viz.ui.page import EDIT, NOTE, settings
from alibi_viz.ui.shell import navigation
from alibi_viz.ui.streamlit_patches import page_of_app
from alibi_viz.user_input import printable, strip_control_characters

SECONDS = 120  # that a page may take


def file_of(lesson: str, query: Mapping[str, str], *, charts: bool = True) -> str:
    """The stage of a lesson as one file.

    charts: also those that Plotly draws. Raises ValueError for an unknown lesson, control or value, and where there is no
    picture.
    """
    if lesson not in navigation.ICONS:
        raise ValueError(f"There is no lesson “{lesson}”. The lessons are: {', '.join(navigation.ICONS)}.")
    parts, words = _stage(lesson, query)
    if not charts:
        parts = [part for part in parts if part.kind != CHART]
    if not parts:
        raise ValueError(f"The lesson “{lesson}” has no picture that moves by itself.")
    headers = [header_of(part.data) for part in parts if isinstance(part.data, bytes)]
    files = [weights.used(json.dumps(header.get("carried", header))) for header in headers]
    return page(parts, dict(ChainMap(*files)), **words)


def started() -> Any:
    """The app, as its tests run it."""
    from streamlit.testing.v1 import AppTest  # a command needs it, the app does not

    return AppTest.from_file(str(APP_FOLDER / "app.py"), default_timeout=SECONDS)


def run_page(app: Any, name: str, query: Mapping[str, str]) -> None:
    """Run a page with these values in its address. Raises ValueError where it fails."""
    for key, value in query.items():
        app.query_params[key] = value
    page_of_app.choose(app, navigation.url_path(name)).run()
    if app.exception:
        raise ValueError(app.exception[0].value)


def chart_data(proto: Any) -> dict[str, Any]:
    """A chart of Plotly's as the app has sent it: what draws it, what it shows in words, and the settings of its tools."""
    return {"figure": json.loads(proto.spec), "alt": proto.alt, "config": json.loads(proto.config)}


def _stage(lesson: str, query: Mapping[str, str]) -> tuple[list[Part], dict[str, str]]:
    """What a file of the page has, and the words around it.

    Raises ValueError where the page has no such control, or shows another value than was asked for.
    """
    app = started()  # anew: pages share their controls
    run_page(app, lesson, query)
    state: address.State = app.session_state[address.STATE]
    if unknown := [key for key in query if key not in (*state.reads, packing.KEY)]:
        controls = ", ".join(state.reads)
        raise ValueError(f"The lesson “{state.page}” has no control “{printable(unknown[0])}”. It has: {controls}.")
    parts = list(_drawn(app))
    if query and (notes := [box.value for box in (*app.warning, *app.info) if box.icon in (EDIT, CORRECTED)]):
        raise ValueError(plain(notes[0]))  # the page shows another value than was asked for
    chosen = str(state.reads[page_options.LANGUAGE.key].cleaned.value)
    text = load(lesson, chosen if chosen in languages.LANGUAGES else languages.ENGLISH)
    lines = app.session_state.get(NOTE, "").splitlines()
    note = "\n".join(line for line in lines if not line.startswith("|"))  # no table
    words = {"title": text.text("title"), "note": plain(note), "settings": settings(state, text)}
    return parts, words | {"credit": credit(text.language), "language": text.language}


def credit(language: str) -> str:
    """By which version, and when."""
    date = datetime.now(UTC).date().isoformat()
    return load("shared", language).entry("export", "made", version=__version__, date=date)


def _drawn(app: Any) -> Iterator[Part]:
    """The pictures and charts of a page's stage, as it has sent them to the browser.

    Raises ValueError with the sentence that stands in place of a picture.
    """
    for picture in app.get("bidi_component"):
        name, message = picture.proto.component_name.removeprefix(modules.PREFIX), picture.proto.bytes
        header = header_of(message) if message else {}
        if problem := header.get("problem"):
            raise ValueError(problem)
        if header.get("size") == "stage":
            yield Part(name, *modules.SOURCES[name], message)
    for chart in app.get("plotly_chart"):
        data = chart_data(chart.proto)
        if "height" not in data["figure"]["layout"]:  # it fills its place
            yield Part(CHART, "", (), data)


def main(command: str, lesson: str, output: str, *pairs: str) -> int:
    """Write one file. pairs: controls and their values, key=value, as in the address of the page.

    command: "export"; or "picture" for what moves alone, since a chart of Plotly's is too large for a notebook.
    """
    logging.disable(logging.WARNING)  # Streamlit's lines about running without a server
    query = dict(pair.split("=", 1) for pair in pairs)
    try:
        text = file_of(lesson, query, charts=command == "export")
        write(Path(output), text)
    except ValueError as error:
        print(f"Error: {strip_control_characters(str(error))}", file=sys.stderr)
        return 2
    return 0


def write(path: Path, text: str) -> None:
    """Write a whole file, or none. Raises ValueError with one sentence."""
    try:
        if path.exists() and not path.is_file():  # a device
            path.write_text(text, encoding="utf-8")
        else:
            os.umask(umask := os.umask(0))
            mode = path.stat().st_mode if path.exists() else 0o666 & ~umask  # as any other file that is written here
            write_atomically(path, text.encode())
            path.chmod(mode)
    except OSError as error:
        raise ValueError(f"{path} cannot be written: {error.strerror}.") from None


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
