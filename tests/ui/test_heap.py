"""Freed memory goes back to the system, whatever else still lives."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

from alibi_viz.ui.shell import heap

# Every second block is freed: those that live on stand between.
SCRIPT = """
import sys
import psutil
from alibi_viz.ui.shell import heap
if sys.argv[1] == "set":
    assert heap.return_large_blocks()
size = psutil.Process().memory_info
bytearray(b"x") * 20_000_000  # freed at once: from now on glibc keeps what is smaller
blocks = [bytearray(b"x") * 400_000 for _ in range(500)]
most = size().rss
del blocks[::2]
print((most - size().rss) / 100_000_000)
"""


def returned(how: str) -> float:
    """The share of 100 MB of freed blocks that the system has back."""
    return float(subprocess.run([sys.executable, "-c", SCRIPT, how], check=True, capture_output=True, text=True).stdout)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc has this setting")
def test_freed_blocks_between_living_ones_go_back():
    assert returned("set") > 0.9
    assert returned("as it is") < 0.5, "glibc does so by itself now: heap.py is needed no more"


def test_another_system_is_left_alone(monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    assert not heap.return_large_blocks()
