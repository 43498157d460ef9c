"""What the server answers: its pages, their headers, and the files that they ask for by addresses that pages alone give."""

import asyncio
import re

import pytest
from starlette.applications import Starlette
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

import alibi_viz.ui.components.hands  # noqa: F401, so that its components are mounted
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.corpus import python_text
from alibi_viz.lm.runs import Run, RunStore
from alibi_viz.lm.training import build_model
from alibi_viz.lm.words import known_words
from alibi_viz.ui import reader, weights
from alibi_viz.ui.components import modules
from alibi_viz.ui.shell import compression
from alibi_viz.ui.shell.compression import Compression
from alibi_viz.ui.shell.document import Document
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


PAGE = "<html><head></head><body><div id=root></div></body></html>"


def browser(address="http://testserver", accept="text/html", **other):
    server = Document(Response(PAGE, headers={"etag": "old"}, **{"media_type": "text/html"} | other))
    return TestClient(server, base_url=address, headers={"accept": accept})


@pytest.mark.parametrize("path", ["/", "/?heads=4&present=true"])
def test_a_page_has_its_style_before_its_first_script(path):
    got = browser().get(path)
    assert got.text.endswith("</script></body></html>")
    assert ".st-key-stage {" in got.text
    assert ('id="presenting" media="all"' in got.text) == (path != "/")
    assert "etag" not in got.headers


def test_a_page_with_a_picture_has_its_frame_in_its_theme():
    schemes = {"/": ["light dark"], "/slopes?theme=dark": ["dark"], "/slopes?present=true": [], "/glossary": []}
    frame = re.compile(r'<div id="frame".*?color-scheme: ([a-z ]+);')
    for path, expected in (schemes | {"/nowhere": []}).items():
        assert frame.findall(browser().get(path).text) == expected, path


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


TEXT = "export const one = 1;\n" * 2_000
IMMUTABLE = {"cache-control": "public, immutable, max-age=31536000"}


class Server:
    """Answers with a file, and counts how often."""

    def __init__(self, path, headers=IMMUTABLE, status=200):
        path.write_text(TEXT)
        self.count = 0

        async def answer(request):
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


def test_who_has_a_part_or_an_older_one_gets_all_of_it_and_who_cannot_unpack_gets_it_plain(tmp_path):
    server = Server(tmp_path / "one.js")
    for header in ({"range": "bytes=0-9"}, {"if-modified-since": "Fri, 01 Jan 2100 00:00:00 GMT"}):
        got = server.client.get("/one.js", headers=header)
        assert (got.status_code, got.text) == (200, TEXT)
    plain = server.client.get("/one.js", headers={"accept-encoding": "identity"})
    assert (plain.text, plain.headers.get("content-encoding")) == (TEXT, None)


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


FOLDER = re.search(r'"(modules-[^/]+)/', modules.source(modules.SOURCES["slopes"][0]))[1]
CLIENT = TestClient(Starlette(routes=modules.routes()), base_url="http://reader/")


OTHERS = "../app.py again-1/again-1/pictures/plot.js pictures/message.py %2e%2e/%2e%2e/etc/passwd pictures/no.css.js"


@pytest.mark.parametrize("path", OTHERS.split())
def test_nothing_else_is_served(path):
    assert CLIENT.get(f"{FOLDER}/{path}").status_code == 404


def test_no_list_of_styles_is_made_that_no_component_has():
    """Thousands of them in one address took the server from everybody for seconds."""
    sheet = "pictures/picture.css"
    for sheets in ([sheet], [sheet] * 2, [sheet] * 3_000):
        answer = CLIENT.get(f"{FOLDER}/{'+'.join(sheets)}.js")
        assert (answer.status_code, len(answer.content)) == (404, len("Not Found"))


WEIGHTS = TestClient(Starlette(routes=weights.routes()), base_url="http://reader/")
CONFIG = TrainConfig("fire", width=16, heads=2, head_dim=8, length=16, steps=1)


@pytest.fixture
def own(tmp_path, monkeypatch):
    monkeypatch.setenv("ALIBI_VIZ_DATA", str(tmp_path))
    model = build_model(CONFIG)
    RunStore().finish(Run(CONFIG, status="finished", step=1), {n: p.detach() for n, p in model.named_parameters()})
    return CONFIG.hash


def test_a_shipped_file_and_a_reader_s_come_from_the_addresses_that_pages_give(own):
    for name in ("alibi", "zh/t5", own):
        answer = WEIGHTS.get(weights.address_of(name))
        assert (answer.status_code, answer.content) == (200, weights.content(name))
        assert "immutable" in answer.headers["cache-control"]
    words = WEIGHTS.get(weights.address_of_words("en")).content.split(b"\n")
    assert set(words) == known_words(python_text().train)


def test_nothing_is_served_at_an_address_that_no_page_gives(own):
    """A run's name follows from its configuration, which others can guess."""
    token = weights.address_of("alibi").split("/")[1]
    below = (own, "rope", "../alibi", "é")
    for path in (own, f"{'0' * 32}/{own}", "é/rope", *(f"{token}/{name}" for name in below)):
        assert WEIGHTS.get(f"weights/{path}").status_code == 404, path
    for name in ("../../app", "0123456789abcdef", "", "words/", "words/xx", "recall/alibi"):
        assert WEIGHTS.get(f"weights/{token}/{name}").status_code == 404, name
        assert weights.address_of(name) == ""


def test_a_message_names_the_files_that_go_into_an_exported_one():
    named = [weights.address_of("alibi"), weights.address_of_words("ja")]
    message = f'{{"columns": [{{"weights": "{named[0]}"}}], "known": "{named[1]}", "text": "weights/alibi"}}'
    assert weights.used(message) == {address: WEIGHTS.get(address).content for address in named}
