"""Who reads: by which key a reader is known, and when a reader is alone with the server."""

from __future__ import annotations

import hashlib
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.testclient import TestClient

from alibi_viz.ui import reader
from alibi_viz.ui.reader import BrowserKey

KEY = "k" * 43


def came(monkeypatch: pytest.MonkeyPatch, address: str | None, headers: dict[str, str], **cookies: str) -> None:
    """The reader came to a server that listens at this address, with these headers."""
    context = SimpleNamespace(headers=headers, cookies=cookies)
    options = {"server.address": address}
    fake: Any = SimpleNamespace(context=context, session_state={}, get_option=options.__getitem__)
    monkeypatch.setattr(reader, "st", fake)


@pytest.mark.parametrize(
    ("address", "headers", "alone"),
    [
        ("127.0.0.1", {"Host": "127.0.0.1:8501"}, True),
        ("localhost", {}, True),
        ("::1", {}, True),
        (None, {}, False),
        ("", {}, False),
        ("0.0.0.0", {}, False),
        ("127.0.0.1", {"X-Forwarded-For": "10.0.0.7"}, False),
        ("127.0.0.1", {"Forwarded": "for=10.0.0.7"}, False),
    ],
)
def test_a_reader_is_alone_only_on_loopback_and_behind_no_proxy(monkeypatch, address, headers, alone):
    came(monkeypatch, address, headers, **{reader.COOKIE: KEY})
    assert reader.unless_alone() == ("" if alone else reader.owner())
    assert not reader.is_class()
    monkeypatch.setenv("ALIBI_VIZ_CLASS", "1")
    assert reader.unless_alone() == reader.owner()
    assert reader.is_class()


def test_the_key_is_the_browsers_and_else_the_sessions(monkeypatch):
    came(monkeypatch, None, {}, **{reader.COOKIE: KEY})
    assert reader.owner() == hashlib.sha256(KEY.encode()).hexdigest()
    came(monkeypatch, None, {})
    first = reader.owner()
    assert reader.owner() == first, "it stays while the session lasts"
    came(monkeypatch, None, {})
    assert reader.owner() != first


@pytest.mark.parametrize("bad", ["", "x", "a" * 42, "a" * 44, "a" * 42 + "\n", "é" * 43, "a" * 42 + ";"])
def test_a_cookie_that_is_no_key_of_ours_is_not_used(monkeypatch, bad):
    came(monkeypatch, None, {}, **{reader.COOKIE: bad})
    assert reader.owner() != hashlib.sha256(bad.encode()).hexdigest()


async def _server(scope, receive, send):
    """Answers with a page, or with something else."""
    kind = HTMLResponse if scope["path"] == "/" else PlainTextResponse
    await kind("x", status_code=404 if scope["path"] == "/gone" else 200)(scope, receive, send)


def browser(address: str = "http://testserver") -> TestClient:
    return TestClient(BrowserKey(_server), base_url=address, headers={"accept": "text/html"})


def test_every_browser_gets_a_key_that_no_script_reads_and_keeps_it():
    client = browser()
    cookie = client.get("/").headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert "Secure" not in cookie
    key = client.cookies[reader.COOKIE]
    assert reader.KEY.fullmatch(key)
    assert key in client.get("/").headers["set-cookie"], "the same one"
    assert browser().get("/").headers["set-cookie"].split(";")[0] != f"{reader.COOKIE}={key}", "of another browser"
    assert "private" in client.get("/").headers["cache-control"]
    assert "Secure" in browser("https://testserver").get("/").headers["set-cookie"]


def test_a_cookie_that_was_made_up_is_replaced():
    client = browser()
    answer = client.get("/", headers={"cookie": f"{reader.COOKIE}=short; {reader.COOKIE}2=x; ;=;%%"})
    assert reader.KEY.fullmatch(answer.headers["set-cookie"].split(";")[0].removeprefix(f"{reader.COOKIE}="))


def test_what_is_no_page_brings_no_key():
    assert "set-cookie" not in TestClient(BrowserKey(_server)).get("/", headers={"accept": "*/*"}).headers
    assert "set-cookie" not in browser().get("/gone").headers
