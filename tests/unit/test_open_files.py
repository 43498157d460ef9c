"""The limit of open files: raised at the start, and counted against."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from alibi_viz.classroom import full_page, open_files
from alibi_viz.lessons import Lesson

resource = pytest.importorskip("resource", reason="Windows has no such limit.")
UNIT = Path(__file__).resolve().parents[2] / "deploy" / "alibi-viz.service"


def limited(soft: int, hard: int, code: str) -> list[str]:
    """What Python prints in a process with these limits."""
    command = [sys.executable, "-c", f"from alibi_viz.classroom import open_files\n{code}"]
    limit = f'ulimit -Sn {soft}; ulimit -Hn {hard}; exec "$@"'
    run = subprocess.run(["bash", "-c", limit, "bash", *command], capture_output=True, text=True, check=True)
    return run.stdout.split()


def test_the_soft_limit_is_raised_to_the_hard_one() -> None:
    code = "import resource\nprint(open_files.raise_limit(), *resource.getrlimit(resource.RLIMIT_NOFILE))"
    assert limited(128, 256, code) == ["256", "256", "256"]


def test_what_is_open_is_counted_to_the_last_descriptor() -> None:
    code = """
free, opened = open_files.count_free(), [open("/dev/null") for _ in range(20)]
print(free - open_files.count_free())
try:
    while True:
        opened.append(open("/dev/null"))
except OSError:
    print(open_files.count_free())
"""
    assert limited(64, 64, code) == ["20", "0"]


def test_the_unit_for_systemd_asks_for_as_many() -> None:
    limit = re.search(r"^LimitNOFILE=(\d+)$", UNIT.read_text(), re.MULTILINE)
    assert limit is not None
    assert int(limit[1]) == open_files.ENOUGH


def test_the_words_of_the_page_are_no_html(monkeypatch: pytest.MonkeyPatch) -> None:
    words = Lesson("words", {"full": "- title: <b>\n- reason: a & b\n- wait: {{seconds}} s"})
    monkeypatch.setattr(full_page, "load", lambda name: words)
    text = full_page.html.__wrapped__()
    assert "<h1>&lt;b&gt;</h1>" in text
    assert "<p>a &amp; b</p>" in text
    assert f'content="{full_page.RETRY_AFTER}"' in text
