"""The file that moves, as text: what travels, what it may do, and that no text of a reader can end a script."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace

import numpy as np
import pytest

from alibi_viz import export
from alibi_viz.cli import pairs
from alibi_viz.export import Link, Part, Scene, Words, header_of, moving, with_header
from alibi_viz.pictures.curve_view.message import Axis, Curve, pack

AXIS = Axis("x", 0, 1, (0, 1))
HOSTILE = "</script><script>alert(1)</script><!--"


def picture(**options):
    return pack(np.array([0.0, 1.0]), [Curve(np.array([0.0, 1.0]), {"slope": 0.5})], AXIS, AXIS, key="k", **options)


def part(**options):
    return Part("curve_view", "curve_view/entry.js", ("picture.css", "curve_view/view.css"), picture(**options))


def test_a_header_changes_and_the_arrays_stay():
    message = picture(size="stage", locked=[1, 2], form="decay")
    changed = with_header(message, {"locked": None, "unknown": 1})
    assert header_of(message)["locked"] == [1, 2]
    assert header_of(changed) == header_of(message) | {"locked": None}
    arrays = [text[4 + int.from_bytes(text[:4], "little") :] for text in (message, changed)]
    assert arrays[0] == arrays[1]
    assert (4 + int.from_bytes(changed[:4], "little")) % 8 == 0


def test_the_stage_goes_and_nothing_else():
    stage = replace(part(), data=picture(size="stage"))
    assert moving([part(), stage]) == [stage]
    assert moving([part()]) == []


def test_the_policy_names_every_script_and_no_text_ends_one():
    scene = Scene(HOSTILE, [part(size="stage", alt=HOSTILE, filename=HOSTILE)], HOSTILE, HOSTILE, HOSTILE)
    text = export.page([scene], Words(HOSTILE, {HOSTILE: HOSTILE}, HOSTILE))
    scripts = re.findall(r'<script type="module">(.*?)</script>', text, re.DOTALL)
    policy = re.search(r'Policy" content="([^"]*)"', text)[1]
    assert "default-src 'none'" in policy
    assert set(re.findall(r"'sha256-([^']+)'", policy)) == {
        base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts
    }
    assert "alert(1)" not in re.sub(r"&lt;|\\u003c", "", "".join(scripts))
    assert "<script>alert" not in text
    parts = json.loads(re.search(r'class="parts">(.*?)</script>', text, re.DOTALL)[1])
    assert header_of(base64.b64decode(parts[0]["bytes"]))["alt"] == HOSTILE
    assert not re.search(r"https?://(?!www\.w3\.org)", "".join(scripts))


def test_a_site_names_its_pages_and_escapes_what_it_says():
    text = export.index(
        HOSTILE, [Link("a.html", HOSTILE, HOSTILE)], [HOSTILE], {"about": "", "more": "", "run": HOSTILE}
    )
    assert '<a href="a.html">' in text
    assert "<script" not in text
    assert not re.search(r"(href|src)=\"(/|https?:)", text), "relative links only"


def test_controls_of_the_command_line():
    assert pairs(["--heads", "12", "--n", "512"]) == ["heads=12", "n=512"]
    for wrong in (["--heads"], ["heads", "12"], ["--", "12"]):
        with pytest.raises(ValueError, match="--heads 12"):
            pairs(wrong)
