"""Websockets of other sites’ pages are refused before Streamlit sees them, and nobody is asked for an address."""

import pytest
import streamlit as st
from starlette.datastructures import Headers
from streamlit import net_util
from streamlit.web.server.server_util import is_url_from_allowed_origins

from alibi_viz.ui.streamlit_patches.same_origin import REFUSED, SameOrigin, is_allowed
from tests.threads import run_in_a_thread

OWN = ["http://127.0.0.1:8501", "http://localhost:3000", "https://class.example:8501"]
FOREIGN = ["https://evil.example", "http://class.example.evil.example", "http://class.example:8502", "null", "http://["]


def headers(origin):
    return Headers({"host": "class.example:8501", "origin": origin})


@pytest.mark.parametrize("origin", [*OWN, *FOREIGN])
def test_only_the_own_page_reaches_streamlit(origin):
    reached, sent = [], []

    async def app(scope, receive, send):
        reached.append(scope)

    async def send(message):
        sent.append(message)

    scope = {"type": "websocket", "headers": headers(origin).raw}
    run_in_a_thread(SameOrigin(app)(scope, None, send))
    assert (reached, sent) == (([scope], []) if origin in OWN else ([], [REFUSED]))


def test_the_configuration_can_allow_more(monkeypatch):
    options = {
        "server.enableCORS": True,
        "browser.serverAddress": "a.example",
        "server.corsAllowedOrigins": ["https://b.example"],
    }
    monkeypatch.setattr(st, "get_option", options.__getitem__)
    allowed = [is_allowed(headers(f"https://{name}.example")) for name in "abc"]
    assert allowed == [True, True, False]
    options["server.enableCORS"] = False
    assert is_allowed(headers("https://c.example"))


@pytest.mark.hook("alibi_viz/ui/streamlit_patches/same_origin.py")
def test_streamlit_alone_asks_the_network(monkeypatch):
    asked = []
    monkeypatch.setattr(net_util, "get_external_ip", lambda: asked.append("public address"))
    monkeypatch.setattr(net_util, "get_internal_ip", lambda: None)
    assert not is_url_from_allowed_origins("https://evil.example")
    assert asked
