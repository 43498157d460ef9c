"""A reader without a browser: Streamlit's own protocol (protobuf over its websocket), as its page speaks it.

Notable choices:
- A control is named by its key in the app. Its identifier, and the fragment that it reruns, are read from what the server
  has sent, as the browser does.
- It fetches the page first, as a browser does, and keeps its cookies, by which the reader is known. The
  next reader with the same `cookies` is the same browser after a reload.
- When the whole page has run, or a part of it, what that did not draw again is gone, with its state.
- A page that is loaded again is that of the address line, which the app writes in place.
- Fragments that the server wants looked at again and again (`run_every`) are asked for at that pace, as long as the
  connection lasts. Streamlit sends no end of a run if such a look comes in its last moment: the end of the look, which
  comes after it, then stands for both.
"""

from __future__ import annotations

import asyncio
import json
import struct
import time
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from typing import Any

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

TIMEOUT = 120.0  # seconds
_DONE = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)
_CONTROLS = ("button", "number_input", "slider", "button_group", "selectbox", "checkbox", "text_input")


@dataclass(frozen=True)
class Control:
    """A control that the page shows."""

    element: Any  # its message: id, label, range
    fragment: str  # that it reruns; empty: the whole page


@dataclass(frozen=True)
class Picture:
    """A picture with its own hands, as the page shows it now: what its message says (alibi_viz.pictures.message)."""

    element: Any
    fragment: str
    message: dict[str, Any]

    @property
    def hands(self) -> dict[str, Any]:
        """Its controls, as alibi_viz.pictures.hands has them."""
        found: dict[str, Any] = self.message["hands"]
        return found


@dataclass
class Reader:
    """One session. address: of the server. heard: is given each text of the page as it arrives. cookies: the browser's."""

    address: str
    heard: Callable[[str], object] = lambda text: None
    cookies: dict[str, str] = field(default_factory=dict)
    controls: dict[str, Control] = field(default_factory=dict)  # by key
    pictures: dict[str, Picture] = field(default_factory=dict)  # by key
    components: dict[str, Control] = field(default_factory=dict)  # by key: pictures, and what else reports
    texts: dict[tuple[int, ...], tuple[str, str]] = field(default_factory=dict)  # by place: fragment, and Markdown
    toasts: list[str] = field(default_factory=list)
    elements: int = 0  # and bytes that the last run has sent
    received: int = 0
    page: str = ""
    query: str = ""
    line: str = ""  # the query in the address line
    shown: str = ""  # the page whose run has come to its end last
    _states: dict[str, dict[str, Any]] = field(
        default_factory=dict
    )  # identifier -> field -> value, of what was changed
    _polls: dict[str, asyncio.Task[None]] = field(default_factory=dict)  # by fragment
    _drawn: set[object] = field(
        default_factory=set
    )  # keys of controls, and places of texts, that the last run has drawn
    _pages: dict[str, str] = field(default_factory=dict)  # Streamlit's name of a page -> that of the address
    _finished: asyncio.Event = field(default_factory=asyncio.Event)
    _begun: bool = False  # the whole page has run, or runs, since something was asked for
    _pressed: str = ""  # the fragment of what was asked for last by hand
    _failure: str = ""  # what went wrong in a run
    _script: str = ""  # Streamlit's name of the page that is open

    async def __aenter__(self) -> Reader:
        await asyncio.to_thread(self._fetch_page)
        stream = self.address.replace("http", "ws", 1) + "/_stcore/stream"
        # Without an answer to pings and an end: the server is the one that is measured, and may be slow.
        options: dict[str, Any] = {"max_size": None, "ping_interval": None, "open_timeout": TIMEOUT}
        self._socket = await websockets.connect(stream, additional_headers=self._cookie_header(), **options)
        self._listener = asyncio.create_task(self._listen())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._stop_polls(list(self._polls))
        self._listener.cancel()
        with suppress(asyncio.CancelledError, websockets.ConnectionClosed):  # the server may be gone
            await self._listener
        await self._socket.close()

    def _fetch_page(self) -> None:
        request = urllib.request.Request(self.address, headers={"Accept": "text/html", **self._cookie_header()})
        with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
            for given in answer.headers.get_all("Set-Cookie", []):
                self.cookies |= {name: morsel.value for name, morsel in SimpleCookie(given).items()}

    def _cookie_header(self) -> dict[str, str]:
        return {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())} if self.cookies else {}

    async def open(self, page: str, query: str = "") -> float:
        """Open a page by its address, or turn to it; returns the seconds until its run has finished."""
        self.page, self.query, self.line = page, query, query
        for shown in (self.controls, self.pictures, self.components, self.texts):
            shown.clear()
        self._script = ""
        return await self._run("")

    async def reload(self) -> float:
        """Load the page again, as the same browser."""
        await self.__aexit__()
        self._states.clear()
        await self.__aenter__()
        return await self.open(self.page, self.line)

    async def press(self, key: str) -> float:
        """Press a button."""
        control = self.controls[key]
        return await self._run(control.fragment, {control.element.id: {"trigger_value": True}})

    async def open_box(self, key: str) -> float:
        """Open what a button of the row at the top hides."""
        return await self.change(key, bool_value=True)

    async def change(self, key: str, **value: Any) -> float:
        """Change a widget. value: a field of its state in Streamlit's protocol, such as bool_value."""
        control = self.controls[key]
        self._states[control.element.id] = value
        return await self._run(control.fragment)

    async def release(self, key: str, values: dict[str, Any]) -> float:
        """Let go of hands of a picture that say this."""
        now = self.pictures[key].hands["values"] | values
        return await self.tell(key, "hands", {"values": now, "is_step": True})

    async def tell(self, key: str, event: str, value: object) -> float:
        """What a picture, or another component, reports."""
        component = self.components[key]
        identifier = f"$$STREAMLIT_INTERNAL_KEY_{component.element.id}__events"
        told = json.dumps([{"event": event, "value": value}])
        return await self._run(component.fragment, {identifier: {"json_trigger_value": told}})

    async def _run(self, fragment: str, triggered: dict[str, dict[str, Any]] | None = None) -> float:
        began = time.perf_counter()
        self._finished.clear()
        self._begun, self._pressed = False, fragment
        self.elements = self.received = 0
        await self._ask(fragment, triggered)
        await asyncio.wait_for(self._finished.wait(), TIMEOUT)
        if self._failure:  # what is measured would be the cost of a failure
            raise RuntimeError(self._failure)
        return time.perf_counter() - began

    async def _ask(self, fragment: str, triggered: dict[str, dict[str, Any]] | None = None, auto: bool = False) -> None:
        message = BackMsg()
        request = message.rerun_script
        request.page_name, request.query_string, request.fragment_id = self.page, self.query, fragment
        request.page_script_hash, request.is_auto_rerun = self._script, auto
        request.context_info.url = f"{self.address}/{self.page}"
        for identifier, values in (self._states | (triggered or {})).items():
            request.widget_states.widgets.add(id=identifier, **values)
        await self._socket.send(message.SerializeToString())

    async def _listen(self) -> None:
        async for raw in self._socket:
            message = ForwardMsg()
            message.ParseFromString(raw)
            self.received += len(raw)
            self._handle(message)

    def _handle(self, message: ForwardMsg) -> None:
        kind = message.WhichOneof("type")
        self.elements += kind == "delta"
        if kind == "new_session":
            self._drawn.clear()
            if not message.metadata.run.fragment_ids:
                self._begun = True
                self._stop_polls(list(self._polls))
        elif kind == "navigation":
            self._script = message.navigation.page_script_hash
            self._pages = {page.page_script_hash: page.url_pathname for page in message.navigation.app_pages}
            self.page = self._pages.get(self._script, self.page)
        elif kind == "page_info_changed":
            self.query = self.line = message.page_info_changed.query_string
        elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
            place = tuple(message.metadata.delta_path)
            self._element(message.delta.new_element, message.delta.fragment_id, place)
        elif kind == "delta" and (box := message.delta.add_block.popover).id:
            self._control(box, message.delta.fragment_id)
        elif kind == "auto_rerun":
            self._poll(message.auto_rerun.fragment_id, message.auto_rerun.interval)
        elif kind == "stop_auto_rerun":
            self._stop_polls(message.stop_auto_rerun.fragment_ids)
        elif kind == "script_finished" and message.script_finished in _DONE:
            polled = set(message.metadata.run.fragment_ids)
            by_hand = self._pressed in polled or not polled <= set(self._polls)  # else a look again
            if polled or message.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY:
                self._forget(polled)
            if self._begun or (self._pressed and by_hand):  # the end of a part is no end of a page that was asked for
                self._finished.set()

    def _control(self, element: Any, fragment: str) -> None:
        key = element.id.split("-", 2)[-1]  # "$$ID-<hash>-<key>"
        self.controls[key] = Control(element, fragment)
        self._drawn.add(key)

    def _forget(self, fragments: set[str]) -> None:
        """As the browser: what these parts (none: the whole page) have not drawn again is gone."""

        def stays(name: object, fragment: str) -> bool:
            return name in self._drawn or bool(fragments and fragment not in fragments)

        self.controls = {key: control for key, control in self.controls.items() if stays(key, control.fragment)}
        self.texts = {place: text for place, text in self.texts.items() if stays(place, text[0])}
        shown = {control.element.id for control in self.controls.values()}
        self._states = {identifier: state for identifier, state in self._states.items() if identifier in shown}

    def _element(self, element: Any, fragment: str, place: tuple[int, ...]) -> None:
        kind = element.WhichOneof("type")
        part = getattr(element, kind)
        if kind in _CONTROLS:
            self._control(part, fragment)
        elif kind == "bidi_component":
            key = part.id.split("-", 2)[-1]
            self.components[key] = Control(part, fragment)
            message = _header(part.bytes)
            if "hands" in message:
                self.pictures[key] = Picture(part, fragment, message)
            elif key == "address":
                self.line, self.shown = message["query"], message["page"]
        elif kind == "markdown":
            self._drawn.add(place)
            self.texts[place] = fragment, part.body
            self.heard(part.body)
        elif kind == "progress":
            self._drawn.add(place)
            self.texts[place] = fragment, part.text
        elif kind == "code":
            self.heard(part.code_text)
        elif kind == "toast":
            self.toasts.append(part.body)
        elif kind == "exception":
            self._failure = f"The run of /{self.page}?{self.query} failed: {part.message}"

    def _poll(self, fragment: str, interval: float) -> None:
        self._stop_polls([fragment])
        self._polls[fragment] = asyncio.create_task(self._look_again(fragment, interval))

    async def _look_again(self, fragment: str, interval: float) -> None:
        while True:
            await asyncio.sleep(interval)
            await self._ask(fragment, auto=True)

    def _stop_polls(self, fragments: Any) -> None:
        for fragment in list(fragments):
            if task := self._polls.pop(fragment, None):
                task.cancel()


def _header(data: bytes) -> dict[str, Any]:
    """What the message of a component says, without its arrays; empty where it has none."""
    if len(data) < 8:
        return {}
    (length,) = struct.unpack_from("<I", data)
    header = json.loads(data[4 : 4 + length])
    return header if isinstance(header, dict) else {}
