"""The file that moves, as text: what travels, what it may do, and that no text of a reader can end a script."""

import base64
import hashlib
import json
import re

import numpy as np

from alibi_viz import export
from alibi_viz.export import Part, Words, header_of
from alibi_viz.pictures.hands.message import Hands, Slider
from alibi_viz.pictures.matrices.message import Colours, Panel, Sentence, View
from alibi_viz.pictures.matrices.message import Message as Matrices
from alibi_viz.pictures.message import pack
from alibi_viz.pictures.slopes.message import Message

HOSTILE = "</script><script>alert(1)</script><!--"


def test_matrices_answer_no_slider_that_they_do_not_follow():
    hands = Hands([Slider("heads", ""), Slider("n", ""), Slider("new", "")], {"heads": 1, "n": 1, "new": 1, "cell": ""})
    panel = Panel("", np.zeros((1, 1), np.float32), Colours("bias", None))
    view = View([panel], follows={"heads": "heads", "n": "length"})
    assert Matrices("m", hands, [view], Sentence("", {})).answered == ["heads", "n", "cell"]


def test_the_policy_names_every_script_and_no_text_ends_one():
    curve = np.array([1.0, 2.0])
    data = pack(Message(Hands((), {}), curve, [1.0], [0], curve[None], {}, alt=HOSTILE, filename=HOSTILE))
    part = Part("slopes", "slopes/view.js", ("picture.css", "slopes/view.css"), data)
    text = export.page([part], Words(HOSTILE, HOSTILE, {HOSTILE: HOSTILE}, HOSTILE))
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
