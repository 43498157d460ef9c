"""What every answer of the server says to browsers, and what the server does not answer."""

from __future__ import annotations

import pytest

from alibi_viz.ui.shell.answers import FRAMES, Answers, headers
from tests.threads import run_in_a_thread


def answer(middleware, path="/", host="127.0.0.1:8501"):
    """Status, headers and body for a page that is asked for."""
    sent = []

    async def app(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/html")]})
        await send({"type": "http.response.body", "body": b"the app"})

    async def send(message):
        sent.append(message)

    asked = [(b"host", host.encode()), (b"accept", b"text/html")]
    run_in_a_thread(middleware(app)({"type": "http", "method": "GET", "path": path, "headers": asked}, None, send))
    return sent[0]["status"], dict(sent[0]["headers"]), sent[1]["body"]


def test_an_answer_keeps_its_own_headers_and_gets_ours():
    status, found, body = answer(Answers)
    assert (status, body) == (200, b"the app")
    assert found == {
        b"content-type": b"text/html",
        b"x-content-type-options": b"nosniff",
        b"referrer-policy": b"same-origin",
    }


@pytest.mark.parametrize("path", ["/_stcore/metrics", "/below/_stcore/metrics"])
def test_the_counters_of_streamlit_are_closed(path):
    status, found, body = answer(Answers, path)
    assert (status, body) == (404, b"Not Found")
    assert found[b"x-content-type-options"] == b"nosniff"


@pytest.mark.parametrize(
    ("sites", "policy"),
    [
        ("none", "frame-ancestors 'none'"),
        ("'self' https://*.learning.example:8443", "frame-ancestors 'self' https://*.learning.example:8443"),
        ("https://none.example", "frame-ancestors https://none.example"),
    ],
)
def test_who_may_show_the_app_in_a_frame_is_a_setting(monkeypatch, sites, policy):
    assert "content-security-policy" not in headers()
    monkeypatch.setenv(FRAMES, sites)
    assert headers()["content-security-policy"] == policy


@pytest.mark.parametrize("sites", ["a; script-src *", "a\r\nset-cookie: b", "a,b", "é", "\udcff"])
def test_sites_cannot_bring_another_header(monkeypatch, sites):
    monkeypatch.setenv(FRAMES, sites)
    with pytest.raises(ValueError, match="with blanks between them"):
        headers()
