"""The HTML document: it has its style and a key of its reader, and nothing else that the server answers is touched."""

import re

import pytest
from starlette.responses import Response
from starlette.testclient import TestClient

from alibi_viz.ui import reader
from alibi_viz.ui.shell.document import Document

PAGE = "<html><head></head><body><div id=root></div></body></html>"


def browser(address="http://testserver", accept="text/html", **other) -> TestClient:
    server = Document(Response(PAGE, headers={"etag": "old"}, **{"media_type": "text/html"} | other))
    return TestClient(server, base_url=address, headers={"accept": accept})


@pytest.mark.parametrize("path", ["/", "/?heads=4&present=true"])
def test_a_page_has_its_style_before_its_first_script(path):
    got = browser().get(path)
    assert got.text.endswith("</script></body></html>")
    assert ".st-key-stage {" in got.text
    assert ('id="presenting" media="all"' in got.text) == (path != "/")
    assert "etag" not in got.headers


@pytest.mark.parametrize(
    ("path", "schemes"),
    [
        ("/", ["light dark"]),
        ("/slopes?theme=dark", ["dark"]),
        ("/slopes?present=true", []),
        ("/glossary", []),
        ("/nowhere", []),
    ],
)
def test_a_page_with_a_picture_has_its_frame_in_its_theme(path, schemes):
    assert re.findall(r'<div id="frame".*?color-scheme: ([a-z ]+);', browser().get(path).text) == schemes


def test_a_document_travels_compressed_where_a_browser_takes_it():
    packed, plain = (browser().get("/", headers={"accept-encoding": way}) for way in ("gzip", "identity"))
    assert (packed.headers["content-encoding"], packed.text) == ("gzip", plain.text)
    assert int(packed.headers["content-length"]) < int(plain.headers["content-length"]) / 2
    assert "content-encoding" not in plain.headers


@pytest.mark.parametrize("other", [{"media_type": "application/json"}, {"status_code": 404}, {"accept": "*/*"}])
def test_other_answers_pass_unchanged(other):
    got = browser(**other).get("/")
    assert (got.text, got.headers["etag"]) == (PAGE, "old")
    assert "set-cookie" not in got.headers


def test_every_browser_gets_a_key_that_no_script_reads_and_keeps_it():
    client = browser()
    answer = client.get("/")
    assert {"HttpOnly", "Path=/", "SameSite=lax"} <= set(answer.headers["set-cookie"].split("; "))
    assert "private" in answer.headers["cache-control"]
    key = client.cookies[reader.COOKIE]
    assert reader.KEY.fullmatch(key)
    assert key in client.get("/").headers["set-cookie"], "the same one"
    made_up = {"cookie": f"{reader.COOKIE}=short; {reader.COOKIE}2=x; ;=;%%"}
    for other in (browser().get("/"), browser().get("/", headers=made_up)):
        fresh = other.headers["set-cookie"].split(";")[0].removeprefix(f"{reader.COOKIE}=")
        assert reader.KEY.fullmatch(fresh)
        assert fresh != key
    assert "Secure" in browser("https://testserver").get("/").headers["set-cookie"]
