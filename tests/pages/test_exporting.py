"""Files and a site from the terminal."""

from __future__ import annotations

import base64
import json
import re

import pytest

from alibi_viz.export import PLOTLY, header_of
from alibi_viz.ui.exporting import NoPicture, file_of, main
from alibi_viz.ui.shell import navigation


def parts(text):
    return json.loads(re.search(r'class="parts">(.*?)</script>', text, re.DOTALL)[1])


def test_a_file_has_the_controls_that_were_asked_for():
    text = file_of("bias", {"heads": "12", "n": "200"})
    (picture,) = parts(text)
    values = header_of(base64.b64decode(picture["bytes"]))["hands"]["values"]
    assert (values["heads"], values["n"]) == (12, 200)


def test_what_cannot_be_saved_is_said(capsys):
    with pytest.raises(ValueError, match="no lesson"):
        file_of("nothing", {})
    with pytest.raises(NoPicture):
        file_of("today", {}, charts=False)
    assert main("export", "nothing", "x.html") == 2
    assert "no lesson" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("lesson", "pairs", "said"),
    [
        ("bias", ["bogus=3"], r"no control “bogus”\. It has: n, heads, head, .*, lang\."),
        ("bias", ["heads=9999", "n=-5"], "“heads” takes whole numbers, 1 to 128; not “9999”"),
        ("bias", ["heads=8", "head=9"], "“head” takes whole numbers, 1 to 8; not “9”"),  # a range that follows another
        ("compare", ["methods=alibi,foo"], "“methods” takes any of none, learned, .*; not “alibi,foo”"),
        ("slopes", ["rule=own list", "own=abc"], "abc"),
        ("lab_rope", ["rope_base=x"], "“rope_base” takes .*; not “x”"),
    ],
)
def test_a_control_or_value_that_no_page_shows_is_refused_in_one_line(lesson, pairs, said, capsys, tmp_path):
    assert main("export", lesson, str(tmp_path / "x.html"), *pairs) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert re.search(said, error)
    assert not any(tmp_path.iterdir())


@pytest.mark.slow
def test_a_site_is_a_folder_of_pages_that_link_to_each_other(tmp_path):
    assert main("site", str(tmp_path)) == 0
    files = {file.name: file.read_text(encoding="utf-8") for file in tmp_path.iterdir()}
    linked = set(re.findall(r'href="([^"]+)"', "".join(text for name, text in files.items() if name != PLOTLY)))
    assert linked | {PLOTLY} == set(files)
    assert sum(len(text.encode()) for name, text in files.items() if name != PLOTLY) < 6_000_000
    assert {"slopes.html", "bias.html", "attention.html", "playground.html"} < set(files)
    assert files["index.html"].count("<li>") == len(navigation.ICONS)
