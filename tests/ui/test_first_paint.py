"""The style in the document: every HTML answer has it, and nothing else is touched."""

from __future__ import annotations

import pytest
from starlette.responses import Response
from starlette.testclient import TestClient

from alibi_viz.ui.shell.first_paint import FirstPaint

PAGE = "<html><head></head><body><div id=root></div></body></html>"


def answer(path="/", accept="text/html", **other):
    client = TestClient(FirstPaint(Response(PAGE, headers={"etag": "old"}, **{"media_type": "text/html"} | other)))
    return client.get(path, headers={"accept": accept})


@pytest.mark.parametrize("path", ["/", "/?heads=4&present=true"])
def test_a_page_has_its_style_before_its_first_script(path):
    got = answer(path)
    assert "</style><script>" in got.text
    assert got.text.endswith("</script></body></html>")
    assert ".st-key-stage_row" in got.text
    assert ("margin-left: 300px" in got.text) == (path == "/"), "presented, there is no sidebar"
    assert int(got.headers["content-length"]) == len(got.content)
    assert "etag" not in got.headers


@pytest.mark.parametrize("other", [{"media_type": "application/json"}, {"status_code": 404}, {"accept": "*/*"}])
def test_other_answers_pass_unchanged(other):
    got = answer(**other)
    assert (got.text, got.headers["etag"]) == (PAGE, "old")
