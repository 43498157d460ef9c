"""A server that is nearly out of descriptors: who is new is turned away, who is in is not."""

from __future__ import annotations

import asyncio
import errno
import socket
from typing import Any

import pytest

from alibi_viz.classroom import full_page, open_files
from alibi_viz.ui.reader import COOKIE
from alibi_viz.ui.shell import capacity
from alibi_viz.ui.shell.capacity import Capacity, guard_listeners
from alibi_viz.ui.streamlit_patches.same_origin import REFUSED
from tests.threads import run_in_a_thread

PAGE = {"type": "http", "headers": [(b"accept", b"text/html")]}
SCRIPT = {"type": "http", "headers": [(b"accept", b"*/*")]}
NEW = {"type": "websocket", "headers": [(b"sec-websocket-protocol", b"streamlit, token")]}
BACK = {"type": "websocket", "headers": [(b"sec-websocket-protocol", b"streamlit, token, session")]}
PASSED = {"type": "passed on"}


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch) -> Any:
    """answer(free, scope): the messages of a server with so many free descriptors."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send(PASSED)

    middleware = Capacity(app)

    def ask(free: float, scope: Any) -> list[Any]:
        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        monkeypatch.setattr(open_files, "count_free", lambda: free)
        run_in_a_thread(middleware(scope, None, send))  # type: ignore[arg-type]
        return sent

    return ask


def test_who_finds_no_room_gets_a_page_that_says_so(answer: Any) -> None:
    start, body = answer(capacity.FOR_A_PAGE - 1, PAGE)
    assert start["status"] == 503
    assert dict(start["headers"])[b"retry-after"] == str(full_page.RETRY_AFTER).encode()
    assert body["body"].decode() == full_page.html()


def test_pages_are_refused_first_and_those_who_are_in_last(answer: Any) -> None:
    def admitted(free: int) -> list[bool]:
        return [answer(free, scope) == [PASSED] for scope in (NEW, BACK, SCRIPT)]

    assert admitted(capacity.FOR_A_NEW_READER) == [True, True, True]
    assert admitted(capacity.FOR_A_NEW_READER - 1) == [False, True, True]
    assert admitted(capacity.FOR_A_RETURN - 1) == [False, False, True]
    assert answer(0, NEW) == [REFUSED]
    levels = capacity.FOR_A_PAGE, capacity.FOR_A_NEW_READER, capacity.FOR_A_RETURN, capacity.FOR_A_CONNECTION
    assert sorted(set(levels), reverse=True) == list(levels)


def test_a_page_that_was_handed_out_keeps_a_place_until_its_reader_connects(
    answer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    monkeypatch.setattr(capacity.time, "monotonic", lambda: now[0])
    free = capacity.FOR_A_PAGE + 1
    assert [answer(free, PAGE)[0] == PASSED for _ in range(3)] == [True, True, False]
    answer(free, NEW)
    assert answer(free, PAGE) == [PASSED]
    assert answer(free, PAGE) != [PASSED]
    now[0] += capacity.COMING + 1  # nobody came
    assert answer(free, PAGE) == [PASSED]


def test_who_is_in_may_load_the_page_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The browser asks for the page first, and closes the old connection then."""
    free, sent = [float(capacity.FOR_A_PAGE)], list[Any]()
    monkeypatch.setattr(open_files, "count_free", lambda: free[0])
    cookie = (b"cookie", f"{COOKIE}=mine".encode())

    async def ask(middleware: Capacity, scope: Any) -> Any:
        sent.clear()
        await middleware({**scope, "headers": [*scope["headers"], cookie]}, None, remember)  # type: ignore[arg-type]
        return sent[0]

    async def remember(message: Any) -> None:
        sent.append(message)

    async def story() -> tuple[Any, Any]:
        ends = asyncio.Event()

        async def app(scope: Any, receive: Any, send: Any) -> None:
            await send(PASSED)
            if scope["type"] == "websocket":
                await ends.wait()

        middleware = Capacity(app)
        connection = asyncio.create_task(ask(middleware, NEW))
        await asyncio.sleep(0)
        free[0] = capacity.FOR_A_RETURN
        during = await ask(middleware, PAGE)
        ends.set()
        await connection
        return during, await ask(middleware, PAGE)

    during, after = run_in_a_thread(story())
    assert during == PASSED
    assert after["status"] == 503


def test_a_full_server_accepts_nobody_and_goes_on_when_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a real socket; Python's own loop would log the refusal 2,048 times."""
    free, problems = [0.0], list[Any]()
    monkeypatch.setattr(open_files, "count_free", lambda: free[0])

    async def story() -> bytes:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: problems.append(context["exception"].errno))
        guard_listeners(loop)

        async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(b"welcome")
            writer.close()

        with socket.create_server(("127.0.0.1", 0)) as listening:
            server = await asyncio.start_server(greet, sock=listening, backlog=2048)
            async with server:
                reader, writer = await asyncio.open_connection(*listening.getsockname())
                while not problems:
                    await asyncio.sleep(0.01)
                free[0] = capacity.FOR_A_CONNECTION
                text = await asyncio.wait_for(reader.read(), 20)
                writer.close()
        return text

    assert run_in_a_thread(asyncio.wait_for(story(), 20)) == b"welcome"
    assert problems == [errno.EMFILE]
