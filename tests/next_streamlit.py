"""Which of our hooks into other libraries can go: `make next`.

In an environment of its own, made on top of this one and thrown away, it installs the newest Streamlit and Plotly that pip
finds, runs the tests of the hooks there, and says of each file whether it is still needed.
"""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import tempfile
import venv
from collections import defaultdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

LIBRARIES = ("streamlit", "plotly")
TESTS = (
    "tests/ui/streamlit_patches",
    "tests/browser/test_streamlit_patches.py",
    "tests/unit/test_figure.py",
)
_passed: dict[str, list[str]] = defaultdict(list)  # file -> the tests that need it
_refuted: dict[str, list[str]] = defaultdict(list)  # file -> the tests whose last line holds no more
_broken: list[str] = []  # tests that say nothing, since what they use has changed, or what we make of it


def main() -> int:
    """0: all hooks work, or are needed no more."""
    with tempfile.TemporaryDirectory(prefix="next-") as folder:
        venv.create(folder, symlinks=True, with_pip=True)
        python = [str(Path(folder, "bin", "python")), "-m"]
        paths = sysconfig.get_paths(vars={"base": folder, "platbase": folder})
        Path(paths["purelib"], "below.pth").write_text(sysconfig.get_path("purelib"))
        subprocess.run([*python, "pip", "install", "--quiet", "--upgrade", *LIBRARIES], check=True)
        return subprocess.run([*python, "pytest", "-p", __spec__.name, "--tb=no", "-r", "", *TESTS]).returncode


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
    report = yield
    mark, error = item.get_closest_marker("hook"), call.excinfo and call.excinfo.value
    if error is None and mark and call.when == "call":
        _passed[mark.args[0]].append(item.nodeid)
    elif mark and call.when == "call" and isinstance(error, (AssertionError, pytest.fail.Exception)):
        _refuted[mark.args[0]].append(item.nodeid)
    elif error is not None and not report.skipped:
        _broken.append(item.nodeid)
    return report


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Only what no longer works is a failure."""
    if session.exitstatus == pytest.ExitCode.TESTS_FAILED and not _broken:
        session.exitstatus = pytest.ExitCode.OK


def pytest_terminal_summary(terminalreporter: Any) -> None:
    write = terminalreporter.write_line
    write("\n" + ", ".join(f"{name} {version(name)}" for name in LIBRARIES))
    for file in sorted({*_passed, *_refuted}):
        write(f"{'needed' if file not in _refuted else 'in part' if file in _passed else 'can go':8} {file}")
    for test in _broken:
        write(f"no longer works: {test}")


if __name__ == "__main__":
    sys.exit(main())
