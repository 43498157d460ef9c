"""Websockets of other sites’ pages are refused before Streamlit sees them, and nobody is asked for an address."""

import pytest
import streamlit as st
from starlette.datastructures import Headers
from streamlit import net_util
from streamlit.web.server.server_util import is_url_from_allowed_origins

from alibi_viz.ui.streamlit_patches import same_origin
from alibi_viz.ui.streamlit_patches.same_origin import REFUSED, SameOrigin, is_allowed
from tests.threads import run_in_a_thread

OWN = ["http://class.example:8501", "https://class.example:8501"]
FOREIGN = [
    *("https://evil.example", "http://class.example.evil.example", "http://class.example:8502", "null", "http://["),
    *(f"http://{host}{port}" for host in ("127.0.0.1", "localhost", "0.0.0.0") for port in (":9999", ":8501", "")),
]


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


@pytest.mark.parametrize("host", ["localhost:9000", "127.0.0.1:8501", "192.168.1.7", "[::1]:8501"])
def test_a_published_port_and_a_tunnel_are_the_same_for_both_headers(host):
    assert is_allowed(Headers({"host": host, "origin": f"http://{host}"}))
    assert not is_allowed(Headers({"host": host, "origin": f"http://{host.rpartition(':')[0] or host}:9999"}))


def test_the_configuration_can_allow_more(monkeypatch):
    options = {
        "server.enableCORS": True,
        "browser.serverAddress": "a.example/app",
        "browser.serverPort": 8501,
        "server.corsAllowedOrigins": ["https://b.example", "c.example:81"],
    }
    monkeypatch.setattr(st, "get_option", options.__getitem__)
    monkeypatch.setattr(same_origin, "is_manually_set", {"browser.serverAddress": True}.__getitem__)
    allowed = ["https://a.example", "http://a.example:8501", "https://b.example", "http://c.example:81"]
    others = ["http://a.example:9999", "https://b.example:9999"]
    others += ["http://b.example", "http://c.example", "https://d.example"]
    assert [is_allowed(headers(origin)) for origin in (*allowed, *others)] == [True] * 4 + [False] * 5
    options["server.enableCORS"] = False
    assert is_allowed(headers("https://d.example"))


@pytest.mark.hook("alibi_viz/ui/streamlit_patches/same_origin.py")
def test_streamlit_alone_asks_the_network(monkeypatch):
    asked = []
    monkeypatch.setattr(net_util, "get_external_ip", lambda: asked.append("public address"))
    monkeypatch.setattr(net_util, "get_internal_ip", lambda: None)
    assert not is_url_from_allowed_origins("https://evil.example")
    assert asked
