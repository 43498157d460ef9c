"""Who reads: by which key a reader is known, and when a reader is alone with the server."""

import hashlib
from types import SimpleNamespace
from typing import Any

import pytest

from alibi_viz.ui import reader

KEY = "k" * 43


def came(monkeypatch, address, headers, **cookies):
    """The reader came to a server that listens at this address, with these headers."""
    context = SimpleNamespace(headers=headers, cookies=cookies)
    options = {"server.address": address}
    fake: Any = SimpleNamespace(context=context, session_state={}, get_option=options.__getitem__)
    monkeypatch.setattr(reader, "st", fake)


@pytest.mark.parametrize(
    ("address", "headers", "alone"),
    [
        ("127.0.0.1", {"Host": "127.0.0.1:8501"}, True),
        ("::1", {}, True),
        ("", {}, False),
        ("0.0.0.0", {}, False),
        ("127.0.0.1", {"X-Forwarded-For": "10.0.0.7"}, False),
        ("127.0.0.1", {"Forwarded": "for=10.0.0.7"}, False),
    ],
)
def test_a_reader_is_alone_only_on_loopback_and_behind_no_proxy(monkeypatch, address, headers, alone):
    came(monkeypatch, address, headers, **{reader.COOKIE: KEY})
    assert reader.unless_alone() == ("" if alone else reader.owner())
    monkeypatch.setenv("ALIBI_VIZ_CLASS", "1")
    assert reader.unless_alone() == reader.owner() == hashlib.sha256(KEY.encode()).hexdigest()


@pytest.mark.parametrize("cookie", ["", "a" * 42, "a" * 44, "a" * 42 + "\n", "é" * 43, "a" * 42 + ";"])
def test_without_a_cookie_of_ours_the_key_is_the_sessions(monkeypatch, cookie):
    came(monkeypatch, None, {}, **{reader.COOKIE: cookie})
    first = reader.owner()
    assert first != hashlib.sha256(cookie.encode()).hexdigest()
    assert reader.owner() == first, "it stays while the session lasts"
    came(monkeypatch, None, {}, **{reader.COOKIE: cookie})
    assert reader.owner() != first
