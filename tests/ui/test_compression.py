"""Scripts and style sheets are compressed once for all readers, and only what never changes is kept."""

import asyncio

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from alibi_viz.ui.components import modules
from alibi_viz.ui.shell import compression
from alibi_viz.ui.shell.compression import Compression

TEXT = "export const one = 1;\n" * 2_000
IMMUTABLE = {"cache-control": "public, immutable, max-age=31536000"}


class Server:
    """Answers with a file, and counts how often."""

    def __init__(self, path, headers=IMMUTABLE, status=200):
        path.write_text(TEXT)
        self.count = 0

        async def answer(request: Request) -> Response:
            self.count += 1
            await asyncio.sleep(0.01)
            return FileResponse(path, headers=headers, media_type="text/javascript", status_code=status)

        self.app = Compression(Starlette(routes=[Route("/{path:path}", answer)]))
        self.client = TestClient(self.app, headers={"accept-encoding": "gzip"})


def test_a_file_is_compressed_once_and_is_the_same(tmp_path):
    server = Server(tmp_path / "one.js")
    first, second = (server.client.get("/one.js") for _ in range(2))
    assert server.count == 1
    for got in (first, second):
        assert got.text == TEXT
        assert got.headers["content-encoding"] == "gzip"
        assert got.headers["vary"].lower() == "accept-encoding"
        assert got.headers["cache-control"] == IMMUTABLE["cache-control"]
        assert int(got.headers["content-length"]) < len(TEXT) / 20
        assert not {"etag", "last-modified"} & set(got.headers), "those of the plain file"


def test_who_has_a_part_or_an_older_one_gets_all_of_it(tmp_path):
    server = Server(tmp_path / "one.js")
    for header in ({"range": "bytes=0-9"}, {"if-modified-since": "Fri, 01 Jan 2100 00:00:00 GMT"}):
        got = server.client.get("/one.js", headers=header)
        assert (got.status_code, got.text) == (200, TEXT)


def test_a_browser_that_cannot_unpack_gets_the_file_plain(tmp_path):
    server = Server(tmp_path / "one.js")
    server.client.get("/one.js")
    got = server.client.get("/one.js", headers={"accept-encoding": "identity"})
    assert (got.text, got.headers.get("content-encoding")) == (TEXT, None)


@pytest.mark.parametrize(("headers", "status"), [({"cache-control": "no-cache"}, 200), (IMMUTABLE, 404)])
def test_what_may_change_is_asked_for_again(headers, status, tmp_path):
    server = Server(tmp_path / "one.js", headers, status)
    assert [server.client.get("/one.js").status_code for _ in range(3)] == [status] * 3
    assert server.count == 3


@pytest.mark.parametrize("path", ["/one.css.txt", "/page", "/"])
def test_other_answers_pass_as_they_are(path, tmp_path):
    server = Server(tmp_path / "one.js")
    got = server.client.get(path)
    assert "content-encoding" not in got.headers
    assert "etag" in got.headers


def test_addresses_that_are_made_up_take_no_more_room(tmp_path, monkeypatch):
    monkeypatch.setattr(compression, "KEPT", 3)
    server = Server(tmp_path / "one.js")
    for number in range(6):
        server.client.get("/one.js")
        server.client.get(f"/{modules.AGAIN}{number}/one.js")
    assert len(server.app._answers) == 3
    assert server.count == 7, "what is asked for often stays"
