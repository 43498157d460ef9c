"""What one reader may take of the server that all share."""

import contextlib
import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from alibi_viz.lessons import load
from alibi_viz.ui.shell.fairness import EACH, IN_STORE, MESSAGES, RESERVED, RETRY, STREAM, UPLOADS, Budget, Fairness

LARGEST = 5 * 2**20  # as .streamlit/config.toml has it
HTML = {"accept": "text/html"}


async def echo(socket):
    await socket.accept()
    with contextlib.suppress(WebSocketDisconnect):
        while True:
            await socket.send_bytes(await socket.receive_bytes())


async def keep(request):
    """As Streamlit: it takes what it is sent, unless the name says that it does not."""
    return Response(status_code=400 if "refused" in request.url.path else 204)


def client(places):
    async def document(_):
        return PlainTextResponse("the app")

    upload = Route("/_stcore/upload_file/{session}/{file}", keep, methods=["PUT", "DELETE"])
    app = Fairness(Starlette(routes=[Route("/", document), WebSocketRoute(STREAM, echo), upload]))
    app.places = places
    return TestClient(app)


@given(st.lists(st.floats(0, 3), min_size=1, max_size=300))
def test_a_session_that_sends_what_it_can_is_taken_at_a_steady_pace(pauses):
    now = 0.0
    budget, came = Budget(MESSAGES, IN_STORE, lambda: now), []
    for pause in pauses:
        now += pause + budget.wait()
        budget.take()
        came.append(now)
    for first, begun in enumerate(came):
        for count, at in enumerate(came[first:], start=1):
            assert count <= IN_STORE + MESSAGES * (at - begun) + 1


def test_a_reader_who_sends_no_more_than_people_do_never_waits():
    now = 0.0
    budget = Budget(MESSAGES, IN_STORE, lambda: now)
    for _ in range(1_000):
        assert budget.wait() == 0
        budget.take()
        now += 1 / MESSAGES


def test_messages_arrive_whole_and_in_their_order():
    with client(places=1).websocket_connect(STREAM) as socket:
        for number in range(20):
            socket.send_bytes(bytes([number]))
        assert [socket.receive_bytes() for _ in range(20)] == [bytes([number]) for number in range(20)]


def test_further_readers_get_one_sentence_and_a_place_as_soon_as_there_is_one():
    reader = client(places=2)
    with reader.websocket_connect(STREAM), reader.websocket_connect(STREAM):
        with pytest.raises(WebSocketDisconnect), reader.websocket_connect(STREAM):
            pass
        full = reader.get("/", headers=HTML | {"accept-language": "ja,en;q=0.5"})
        assert (full.status_code, full.headers["retry-after"]) == (503, str(RETRY))
        assert load("shared", "ja").entry("server", "full", readers=2, seconds=RETRY) in full.text
        assert reader.get("/_stcore/health").status_code == 404, "what is no page is answered as ever"
    assert reader.get("/", headers=HTML).text == "the app"
    with reader.websocket_connect(STREAM):
        pass


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such limit")
def test_a_server_takes_as_many_files_as_it_may_have_and_holds_as_many_readers():
    """By a process of its own: nobody can raise a limit again. What a session takes: test_sessions.py."""
    code = "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (256, 1024))\n"
    code += (
        "from alibi_viz.ui.shell import fairness\nprint(fairness.places(), *resource.getrlimit(resource.RLIMIT_NOFILE))"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.split() == [str((1024 - RESERVED) // EACH), "1024", "1024"]


def put(reader, session, file, size=LARGEST):
    headers = {"content-length": str(size)}
    return reader.put(f"/_stcore/upload_file/{session}/{file}", content=b"", headers=headers).status_code


def test_a_session_holds_few_uploads_and_has_room_again_when_it_deletes_one():
    reader = client(places=1)
    for number in range(UPLOADS):
        assert put(reader, "a", f"refused-{number}") == 400, "what is not taken does not count"
    assert [put(reader, "a", f"{number}") for number in range(UPLOADS + 2)] == [204] * UPLOADS + [413] * 2
    assert put(reader, "a", "0") == 204, "the same file again"
    assert put(reader, "b", "0") == 204, "its neighbour has room of its own"
    for method in ("GET", "OPTIONS", "POST"):
        reader.request(method, "/_stcore/upload_file/a/0")
    assert put(reader, "a", "more") == 413
    reader.delete("/_stcore/upload_file/a/0")
    assert put(reader, "a", "more") == 204


def test_many_small_files_are_many_files():
    with client(places=1) as reader:
        taken = [put(reader, "a", str(number), size=1) for number in range(500)]
    assert 0 < taken.count(204) < 400
