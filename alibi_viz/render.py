"""The pages belong to the user interface, which no other package imports: they are rendered in a process of their own."""

import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from alibi_viz import APP_FOLDER
from alibi_viz.extras import need_app


def run(*arguments: str, capture: bool = False) -> subprocess.CompletedProcess[str]:
    """A command of alibi_viz.ui.exporting. Raises ValueError if the app is not installed."""
    need_app("A picture")
    command = [sys.executable, "-m", "alibi_viz.ui.exporting", *arguments]
    return subprocess.run(command, cwd=APP_FOLDER, check=False, capture_output=capture, encoding="utf-8")


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
