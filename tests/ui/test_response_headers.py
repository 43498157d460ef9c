"""What every answer of the server says to browsers, and what the server does not answer."""

import pytest
from starlette.responses import HTMLResponse
from starlette.testclient import TestClient

from alibi_viz.ui.shell.response_headers import FRAMES, ResponseHeaders, headers


def test_every_answer_has_our_headers_and_the_counters_of_streamlit_are_closed():
    client = TestClient(ResponseHeaders(HTMLResponse("the app")))
    answer, *closed = (client.get(path) for path in ("/", "/_stcore/metrics", "/below/_stcore/metrics"))
    assert (answer.status_code, answer.text) == (200, "the app")
    assert answer.headers["content-type"].startswith("text/html")
    assert answer.headers["referrer-policy"] == "same-origin"
    assert [(one.status_code, one.text) for one in closed] == [(404, "Not Found")] * 2
    assert {one.headers["x-content-type-options"] for one in (answer, *closed)} == {"nosniff"}


def test_who_may_show_the_app_in_a_frame_is_a_setting(monkeypatch):
    assert headers()["content-security-policy"] == "frame-ancestors 'self'", "no other site, unless it is named"
    for sites, policy in (("none", "'none'"), ("https://*.example:8443 'self'", "https://*.example:8443 'self'")):
        monkeypatch.setenv(FRAMES, sites)
        assert headers()["content-security-policy"] == f"frame-ancestors {policy}"


@pytest.mark.parametrize("sites", ["a; script-src *", "a\r\nset-cookie: b", "a,b", "\udcff"])
def test_sites_cannot_bring_another_header(monkeypatch, sites):
    monkeypatch.setenv(FRAMES, sites)
    with pytest.raises(ValueError, match="with blanks between them"):
        headers()
