"""Files from the terminal."""

import base64
import json
import logging
import os
import re
from pathlib import Path

import pytest

from alibi_viz.export import header_of
from alibi_viz.ui.exporting import file_of, main, write


@pytest.fixture(autouse=True)
def the_log_stays(monkeypatch):
    """A command quiets its process for good: here are other tests."""
    monkeypatch.setattr(logging, "disable", lambda level: None)


def test_a_file_has_the_controls_that_were_asked_for():
    text = file_of("bias", {"heads": "12", "n": "200"})
    (picture,) = json.loads(re.search(r'class="parts">(.*?)</script>', text, re.DOTALL)[1])
    hands = header_of(base64.b64decode(picture["bytes"]))["hands"]
    assert (hands["values"]["heads"], hands["values"]["n"]) == (12, 200)
    assert hands["answered"] == ["n", "heads", "head", "row", "col", "span", "cell"], "what needs no server"
    with pytest.raises(ValueError, match="no picture"):
        file_of("today", {}, charts=False)


def test_others_may_read_a_new_file_and_an_old_one_keeps_who_may(tmp_path):
    new, old = tmp_path / "new.html", tmp_path / "old.html"
    old.touch(mode=0o640)
    before = os.umask(0o022)
    for path in (new, old):
        write(path, "text")
    os.umask(before)
    assert [path.stat().st_mode & 0o777 for path in (new, old)] == [0o644, 0o640]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
def test_a_full_disk_gives_one_sentence(capsys):
    assert main("export", "slopes", "/dev/full") == 2
    assert re.fullmatch(r"Error: /dev/full cannot be written: [^\n]*\.\n", capsys.readouterr().err)


@pytest.mark.parametrize(
    ("lesson", "pairs", "said"),
    [
        ("nothing", [], "no lesson"),
        ("bias", ["bogus=3"], r"no control “bogus”\. It has: .*n, heads, head, "),
        ("bias", ["heads=8", "head=9"], "Head.*: 9 is too large"),  # its range follows another
        ("compare", ["methods=alibi,foo"], "foo"),
        ("slopes", ["rule=own list", "own=abc"], "abc"),
    ],
)
def test_a_control_or_value_that_no_page_shows_is_refused_in_one_line(lesson, pairs, said, capsys, tmp_path):
    assert main("export", lesson, str(tmp_path / "x.html"), *pairs) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert re.search(said, error)
    assert not any(tmp_path.iterdir())
