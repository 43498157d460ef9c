"""The pages belong to the user interface, which no other package imports: a command becomes the one that renders them, the
library starts a process for it.

The app is an extra of the package (`[app]`). The core is the library and a few commands.
"""

import os
import runpy
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from alibi_viz import APP_FOLDER, __version__

INSTALL = f"pip install 'alibi_viz-{__version__}-py3-none-any.whl[app]'"  # as docs/library.md has it


def has_app() -> bool:
    """Whether Streamlit is installed; it is not imported."""
    return find_spec("streamlit") is not None


def need_app(what: str) -> None:
    """Raises ValueError with the command that installs the app, if it is not there."""
    if not has_app():
        raise ValueError(f"{what} needs the app: {INSTALL}.")


def check(lesson: str, output: Path) -> None:
    """Raises ValueError for a lesson or a file that cannot be, before the app is loaded."""
    lessons = sorted(file.parent.name for file in APP_FOLDER.glob("pages/*/page.py"))
    if lesson not in lessons:
        raise ValueError(f"There is no lesson “{lesson}”. The lessons are: {', '.join(lessons)}.")
    if output.is_dir():
        raise ValueError(f"{output} is a folder; name a file in it.")
    if not output.parent.is_dir():
        raise ValueError(f"There is no folder {output.parent}.")


def run(module: str, *arguments: str) -> int:
    """A module of alibi_viz.ui as the command, in this process, so that nothing outlives it; returns the exit status.

    Raises ValueError if the app is not installed.
    """
    need_app("A picture")
    end_in_good_order()
    os.chdir(APP_FOLDER)
    sys.path.insert(0, str(APP_FOLDER))
    sys.argv = [module, *arguments]
    runpy.run_module(f"alibi_viz.ui.{module}", run_name="__main__")  # it exits
    return 0


def end_in_good_order() -> None:
    """Let what ends this process raise SystemExit, so that half of a file or a folder is removed first."""

    def end(number: int, _: object) -> None:
        for other in ends:
            signal.signal(other, signal.SIG_IGN)
        sys.exit(128 + number)

    named = (getattr(signal, name, None) for name in ("SIGINT", "SIGTERM", "SIGHUP"))  # Windows has no SIGHUP
    ends = [number for number in named if number and signal.getsignal(number) != signal.SIG_IGN]  # nohup ignores one
    for number in ends:
        signal.signal(number, end)


def site(folder: Path, url: str, repository: str) -> int:
    """The site, written into a folder; returns the exit status. Raises ValueError if what it needs is not installed."""
    if missing := [name for name in ("markdown_it", "mdit_py_plugins", "latex2mathml") if find_spec(name) is None]:
        raise ValueError(f"The site needs {missing[0]}: {INSTALL.replace('[app]', '[app,site]')}.")
    return run("site", str(folder), url, repository)


def file_of(lesson: str, controls: Mapping[str, object]) -> str:
    """The stage of a lesson as one HTML file. Raises ValueError with the sentence of the page that refused."""
    need_app("A picture")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "picture.html"
        pairs = [f"{name}={_typed(value)}" for name, value in controls.items()]
        command = [sys.executable, "-m", "alibi_viz.ui.exporting", "picture", lesson, str(file), *pairs]
        done = subprocess.run(command, cwd=APP_FOLDER, check=False, capture_output=True, encoding="utf-8")
        if done.returncode:
            said = done.stderr.strip().splitlines() or ["The page ended without a picture."]
            raise ValueError(said[-1].removeprefix("Error: "))
        return file.read_text(encoding="utf-8")


def _typed(value: object) -> str:
    """A value as an address has it: true, 12, alibi,rope."""
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
