"""Which of our hooks into other libraries can go: `make next`.

In an environment of its own, made on top of this one and thrown away, it installs the newest Streamlit and Plotly that pip
finds, runs the tests of the hooks there, and says of each file whether it is still needed.
"""

import subprocess
import sys
import sysconfig
import tempfile
import venv
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

LIBRARIES = ("streamlit", "plotly")
TESTS = ("tests/ui/streamlit_patches", "tests/browser/test_streamlit_patches.py", "tests/unit/test_figure.py")
_found: dict[str, set[str]] = defaultdict(set)  # file -> what its tests say of it


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="next-") as folder:
        venv.create(folder, symlinks=True, with_pip=True)
        python = [str(Path(folder, "bin", "python")), "-m"]
        paths = sysconfig.get_paths(vars={"base": folder, "platbase": folder})
        Path(paths["purelib"], "below.pth").write_text(sysconfig.get_path("purelib"))
        subprocess.run([*python, "pip", "install", "--quiet", "--upgrade", *LIBRARIES], check=True)
        return subprocess.run([*python, "pytest", "-p", __spec__.name, "--tb=no", *TESTS]).returncode


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
    report = yield
    if (mark := item.get_closest_marker("hook")) and (call.when == "call" or report.failed):
        refuted = call.excinfo and call.excinfo.errisinstance((AssertionError, pytest.fail.Exception))
        _found[mark.args[0]].add("needed" if report.passed else "can go" if refuted else "no longer works")
    return report


def pytest_terminal_summary(terminalreporter: Any) -> None:
    for file, found in sorted(_found.items()):
        terminalreporter.write_line(f"{file}: {', '.join(sorted(found))}")


if __name__ == "__main__":
    sys.exit(main())
