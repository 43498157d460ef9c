"""Which of our hooks into other libraries can go: `make next`.

In an environment of its own, made on top of this one and thrown away, it installs the newest Streamlit, Plotly and Dask
that pip finds, runs the tests of the hooks there, and says of each file whether it is still needed.
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

LIBRARIES = ("streamlit", "plotly", "distributed")
TESTS = (
    "tests/ui/streamlit_patches",
    "tests/browser/test_streamlit_patches.py",
    "tests/unit/test_figure.py",
    "tests/jobs/test_dask_processes.py",
)
_files: dict[str, str] = {}  # test -> the file that it is about
_outcomes: dict[str, list[tuple[str, str]]] = defaultdict(list)  # file, or "" -> test and outcome


def main() -> int:
    """0: all hooks work, or are needed no more."""
    with tempfile.TemporaryDirectory(prefix="next-") as folder:
        venv.create(folder, symlinks=True, with_pip=True)
        python = [str(Path(folder, "bin", "python")), "-m"]
        paths = sysconfig.get_paths(vars={"base": folder, "platbase": folder})
        Path(paths["purelib"], "below.pth").write_text(sysconfig.get_path("purelib"))
        subprocess.run([*python, "pip", "install", "--quiet", "--upgrade", *LIBRARIES], check=True)
        return subprocess.run([*python, "pytest", "-p", __spec__.name, "--tb=no", "-r", "", *TESTS]).returncode


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    _files.update({item.nodeid: mark.args[0] for item in items if (mark := item.get_closest_marker("hook"))})


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "call" or report.outcome != "passed":
        _outcomes[_files.get(report.nodeid, "")].append((report.nodeid, report.outcome))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Only what no longer works is a failure."""
    if session.exitstatus == pytest.ExitCode.TESTS_FAILED and not _lost(""):
        session.exitstatus = pytest.ExitCode.OK


def pytest_terminal_summary(terminalreporter: Any) -> None:
    write = terminalreporter.write_line
    write("\n" + ", ".join(f"{name} {version(name)}" for name in LIBRARIES))
    for file in sorted(filter(None, _outcomes)):
        lost = _lost(file)
        write(f"{'needed' if not lost else 'can go' if len(lost) == len(_outcomes[file]) else 'in part':8} {file}")
    for test in _lost(""):
        write(f"no longer works: {test}")


def _lost(file: str) -> list[str]:
    """The tests about a file that do not pass."""
    return [test for test, outcome in _outcomes[file] if outcome == "failed"]


if __name__ == "__main__":
    sys.exit(main())
