"""A hostile reader at a real server: addresses, texts and clicks in a browser leave no error and ask no other host; and
others go on beside a client that sends what no browser would."""

from __future__ import annotations

import contextlib
import json
import random
from typing import Any
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest
import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from alibi_viz.ui.shell import navigation
from benchmarks.reader import Reader
from tests.browser.actions import settle
from tests.hostile import nonsense
from tests.hostile.looking import NIGHTLY
from tests.hostile.test_texts import BOXES
from tests.threads import run_in_a_thread

#: What leads to another host though it came from a reader: an element's own attribute, since its property holds the page's.
TAKEN_FOR_MARKUP = f"""() => [...document.querySelectorAll("[src], [href]")]
  .filter((element) => /^(https?:)?\\/\\/[^?]*{nonsense.HOST}|^javascript:/.test(
    element.getAttribute("src") ?? element.getAttribute("href")))
  .map((element) => element.outerHTML)"""
FRAMES = 10  # of a connection, unless the server ends it sooner
PLAIN = ("clear_cache", "stop_script", "load_git_info", "debug_shutdown_runtime", "debug_disconnect_websocket")
EXCEPTION = "[data-testid=stException], [data-testid=stBidiComponentError]"


def look(page: Any) -> None:
    """What must hold after anything."""
    settle(page)
    assert page.evaluate(TAKEN_FOR_MARKUP) == []
    assert page.locator(EXCEPTION).all_inner_texts() == []


def visit(page: Any, address: str) -> None:
    page.goto(address)
    look(page)


def test_no_other_site_may_tell_the_page_what_to_do(app):
    """Streamlit's browser obeys messages of the sites that are named here: where uploads go, for one."""
    with urlopen(f"{app}/_stcore/host-config", timeout=30) as answer:
        assert json.load(answer)["allowedOrigins"] == []


@pytest.mark.slow
def test_hostile_addresses_in_a_browser(app, new_page):
    page = new_page()
    for number in range(max(20, NIGHTLY // 100)):
        lesson, url = nonsense.link(random.Random(f"browser {number}"))
        print(number, lesson, url)
        visit(page, f"{app}/{navigation.url_path(lesson)}?{urlencode(url, doseq=True)}")


@pytest.mark.slow
@pytest.mark.parametrize(("lesson", "url", "key"), BOXES)
def test_hostile_texts_in_a_browser(app, new_page, lesson, url, key):
    """Every piece of markup, wherever a page shows a reader's text: in words, tables, pictures and their titles."""
    page = new_page()
    visit(page, f"{app}/{navigation.url_path(lesson)}?{urlencode(url)}")
    rng = random.Random(f"{lesson} {key}")
    for text in ("\n\n".join(nonsense.MARKUP), nonsense.text(rng, 2_000), *nonsense.MARKUP[:3]):
        box = page.locator(f".st-key-{key} textarea, .st-key-{key} input, #hand-{key}").first
        if not box.is_visible():  # in a picture behind its “More”, beside a chart in a section
            page.locator(".st-key-stage_more summary, button.more").first.click()
        box.fill(text.encode(errors="replace").decode().replace("\0", ""))
        box.press("Control+Enter")
        box.blur()
        look(page)
        assert box.input_value() or not text, "it was typed"
    page.get_by_role("button", name="Share").click()  # a link with the text, or the text as a file
    look(page)


@pytest.mark.slow
def test_random_clicks_in_a_browser(app, new_page):
    page, rng = new_page(), random.Random("clicks")
    page.context.grant_permissions(["clipboard-write"])  # for the buttons that copy
    for _ in range(max(5, NIGHTLY // 500)):
        lesson, url = nonsense.link(rng)
        said = f"?{urlencode(url, doseq=True)}" if rng.random() < 0.5 else ""
        visit(page, f"{app}/{navigation.url_path(lesson)}{said}")
        for _ in range(8):
            click(page, rng)
        look(page)


def click(page: Any, rng: random.Random) -> None:
    """Click on something that can be clicked, or press a key."""
    from playwright.sync_api import Error

    with contextlib.suppress(Error):  # it may be covered, or gone by now
        if rng.random() < 0.2:
            keys = ["ArrowRight", "ArrowLeft", "Space", "Enter", "Escape", "Tab", "t", "1", "Home", "End"]
            page.keyboard.press(rng.choice(keys))
            return
        places = page.locator("main button:visible, main summary:visible, main input:visible, main canvas:visible")
        places.nth(rng.randrange(max(1, places.count()))).click(timeout=1_000)


# A client that speaks Streamlit's protocol, and means no good


def frame(rng: random.Random, known: list[str]) -> bytes:
    """A message to the server: an order to all, a run with states that no widget has, or no message at all."""
    message, kind = BackMsg(), rng.random()
    if kind < 0.3:
        setattr(message, rng.choice(PLAIN), True)
    elif kind < 0.85:
        lesson, url = nonsense.link(rng)
        asked = message.rerun_script
        asked.page_name = rng.choice([lesson, "", "../app", "x" * 5_000])
        asked.query_string = rng.choice([repr(url), "a=%zz&&=", "&".join(f"k{n}=1" for n in range(500))])
        asked.page_script_hash = rng.choice(["", "0" * 32, "x"])
        asked.fragment_id = rng.choice(["", "", "0" * 32])
        asked.widget_states.widgets.extend(state(rng, known) for _ in range(rng.randint(0, 20)))
    whole = message.SerializeToString()
    return rng.choice([whole, whole, whole, rng.randbytes(rng.randint(1, 200)), whole[: len(whole) // 2]])


def state(rng: random.Random, known: list[str]) -> WidgetState:
    """A value of a widget, known or not, of a type that it may not have."""
    made = WidgetState(id=rng.choice([*known, "", "x", "$$ID-0-heads"]))
    values = {
        "int_value": -(2**62),
        "double_value": float("nan"),
        "string_value": nonsense.MARKUP[0],
        "bool_value": True,
    }
    values |= {
        "json_value": nonsense.report(rng),
        "bytes_value": b"\x80",
        "trigger_value": True,
        "json_trigger_value": "[",
    }
    name = rng.choice(list(values))
    setattr(made, name, values[name])
    return made


async def attack(address: str, connections: int) -> tuple[str, str]:
    """What an honest reader is told before and after the attack, in the one session."""
    said: list[str] = []
    async with Reader(address, said.append) as honest:
        await honest.open("slopes", "")
        shown = [*honest.controls.values(), *honest.pictures.values()]
        before, known = " ".join(said), [part.element.id for part in shown]
        for number in range(connections):
            rng = random.Random(f"frames {number}")
            stream = address.replace("http", "ws", 1) + "/_stcore/stream"
            async with websockets.connect(stream, max_size=None) as socket:
                with contextlib.suppress(websockets.ConnectionClosed):
                    for _ in range(FRAMES):
                        await socket.send(frame(rng, known))
        said.clear()
        await honest.release("slopes", {"heads": 12})
        return before, " ".join(said)


@pytest.mark.slow
def test_other_readers_go_on(app):
    before, after = run_in_a_thread(attack(app, max(30, NIGHTLY // 30)))
    assert "8 heads, slopes from" in before
    assert "12 heads, slopes from" in after
