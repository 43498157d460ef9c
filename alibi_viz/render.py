"""The pages belong to the user interface, which no other package imports: they are rendered in a process of their own.

The app is an extra of the package (`[app]`). The core is the library and a few commands.
"""

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


def run(*arguments: str, capture: bool = False, module: str = "exporting") -> subprocess.CompletedProcess[str]:
    """A command of a module of alibi_viz.ui. Raises ValueError if the app is not installed."""
    need_app("A picture")
    command = [sys.executable, "-m", f"alibi_viz.ui.{module}", *arguments]
    return subprocess.run(command, cwd=APP_FOLDER, check=False, capture_output=capture, encoding="utf-8")


def site(folder: Path, url: str) -> int:
    """The site, written into a folder; returns the exit status. Raises ValueError if what it needs is not installed."""
    if missing := [name for name in ("markdown_it", "mdit_py_plugins", "latex2mathml") if find_spec(name) is None]:
        raise ValueError(f"The site needs {missing[0]}: {INSTALL.replace('[app]', '[app,site]')}.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ValueError(f"{folder} cannot be made: {error.strerror}.") from None
    return run(str(folder), url, module="site").returncode


def file_of(lesson: str, controls: Mapping[str, object]) -> str:
    """The stage of a lesson as one HTML file. Raises ValueError with the sentence of the page that refused."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "picture.html"
        pairs = [f"{name}={_typed(value)}" for name, value in controls.items()]
        done = run("picture", lesson, str(file), *pairs, capture=True)
        if done.returncode:
            said = done.stderr.strip().splitlines() or ["The page ended without a picture."]
            raise ValueError(said[-1].removeprefix("Error: "))
        return file.read_text(encoding="utf-8")


def _typed(value: object) -> str:
    """A value as an address has it: true, 12, alibi,rope."""
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
