"""The file that moves, as text: what travels, what it may do, and that no text of a reader can end a script."""

import base64
import hashlib
import json
import re

import numpy as np

from alibi_viz import export
from alibi_viz.export import Part, header_of
from alibi_viz.pictures.hands.message import Hands
from alibi_viz.pictures.message import pack
from alibi_viz.pictures.slopes.message import Message

HOSTILE = "</script><script>alert(1)</script><!--"


def test_the_policy_names_every_script_and_no_text_ends_one():
    curve = np.array([1.0, 2.0])
    data = pack(Message(curve, [1.0], [0], curve[None], hands=Hands((), {}), words={}, alt=HOSTILE, filename=HOSTILE))
    part = Part("slopes", "slopes/view.js", ("picture.css", "slopes/view.css"), data)
    text = export.page([part], {}, language="en", **dict.fromkeys(("title", "note", "settings", "credit"), HOSTILE))
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
