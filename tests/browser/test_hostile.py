"""A hostile reader at a real server: addresses, texts and clicks in a browser leave no error and ask no other host; and
others go on beside a client that sends what no browser would."""

import contextlib
import json
import math
from itertools import cycle
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest
import websockets
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from alibi_viz.ui.shell import navigation
from benchmarks.reader import Reader
from tests.browser.actions import settle
from tests.hostile import nonsense
from tests.hostile.test_doors import BOXES
from tests.threads import run_in_a_thread

#: What leads to another host though it came from a reader: an element's own attribute, since its property holds the page's.
TAKEN_FOR_MARKUP = f"""() => [...document.querySelectorAll("[src], [href]")]
  .filter((element) => /^(https?:)?\\/\\/[^?]*{nonsense.HOST}|^javascript:/.test(
    element.getAttribute("src") ?? element.getAttribute("href")))
  .map((element) => element.outerHTML)"""
PLAIN = ("clear_cache", "stop_script", "load_git_info", "debug_shutdown_runtime", "debug_disconnect_websocket")
EXCEPTION = "[data-testid=stException], [data-testid=stBidiComponentError]"


def look(page):
    """What must hold after anything."""
    settle(page)
    assert page.evaluate(TAKEN_FOR_MARKUP) == []
    assert page.locator(EXCEPTION).all_inner_texts() == []


def visit(page, address):
    page.goto(address)
    look(page)


def test_no_other_site_may_tell_the_page_what_to_do(app):
    """Streamlit's browser obeys messages of the sites that are named here: where uploads go, for one."""
    with urlopen(f"{app}/_stcore/host-config", timeout=30) as answer:
        assert json.load(answer)["allowedOrigins"] == []


def open_box(page, key):
    """The box of a text: in a picture behind its “More”, or beside a chart in a section."""
    box = page.locator(f".st-key-{key} textarea, .st-key-{key} input, #hand-{key}").first
    if not box.is_visible():
        page.locator("button.more").first.click()
    return box


@pytest.mark.slow
@pytest.mark.parametrize(("lesson", "url", "key"), BOXES)
def test_no_script_of_a_reader_runs(app, new_page, lesson, url, key):
    """Every piece of markup, wherever a page shows a reader's text: in words, tables, pictures, their titles, a link."""
    page = new_page()
    visit(page, f"{app}/{navigation.url_path(lesson)}?{urlencode(url)}")
    for text in ("\n\n".join(nonsense.MARKUP), " ".join(nonsense.ODD), *nonsense.MARKUP[:3]):
        box = open_box(page, key)
        box.fill(nonsense.sent(text).replace("\0", ""))
        box.press("Control+Enter")
        box.blur()
        look(page)
        assert box.input_value(), "it was typed"
    page.get_by_role("button", name="Share").click()  # a link with the text, or the text as a file
    look(page)


@pytest.mark.slow
@settings(max_examples=20, suppress_health_check=[*HealthCheck])
@given(link=nonsense.links(), clicks=st.lists(st.integers(0, 99), max_size=8))
def test_hostile_addresses_and_clicks_leave_no_error(app, new_page, link, clicks):
    from playwright.sync_api import Error

    page, (lesson, url) = new_page(), link
    visit(page, f"{app}/{navigation.url_path(lesson)}?{urlencode(url, doseq=True)}")
    places = page.locator("main button:visible, main summary:visible, main input:visible, main canvas:visible")
    for place in clicks:
        with contextlib.suppress(Error):  # it may be covered, or gone by now
            places.nth(place % max(1, places.count())).click(timeout=1_000)
    look(page)
    page.close()


# A client that speaks Streamlit's protocol, and means no good


def frames(known):
    """Orders to all, runs with states that no widget has, and what is no message at all."""
    for order in PLAIN:
        yield BackMsg(**{order: True}).SerializeToString()
    values = {"int_value": -(2**62), "double_value": math.nan, "string_value": nonsense.MARKUP[0], "bool_value": True}
    values |= {"json_value": "{}", "bytes_value": b"\x80", "trigger_value": True, "json_trigger_value": "["}
    queries = ("a=%zz&&=", "&".join(f"k{n}=1" for n in range(500)), nonsense.MARKUP[1])
    for (name, value), query, page in zip(values.items(), cycle(queries), cycle(["", "../app", "x" * 5_000])):
        run = BackMsg()
        asked = run.rerun_script
        asked.query_string, asked.page_name, asked.page_script_hash = query, page, "x"
        asked.widget_states.widgets.extend(
            WidgetState(id=each, **{name: value}) for each in (*known, "", "$$ID-0-heads")
        )
        whole = run.SerializeToString()
        yield from (whole, whole[: len(whole) // 2])
    yield bytes(range(1, 200))


async def attack(address):
    """What an honest reader is told before and after the attack, in the one session."""
    said: list[str] = []
    async with Reader(address, said.append) as honest:
        await honest.open("slopes", "")
        shown = [*honest.controls.values(), *honest.pictures.values()]
        before, known = " ".join(said), [part.element.id for part in shown]
        stream = address.replace("http", "ws", 1) + "/_stcore/stream"
        for sent in frames(known):  # each on a connection of its own: the server may end it
            async with websockets.connect(stream, max_size=None) as socket:
                with contextlib.suppress(websockets.ConnectionClosed):
                    await socket.send(sent)
                    await socket.send(BackMsg(clear_cache=True).SerializeToString())
        said.clear()
        await honest.release("slopes", {"heads": 12})
        return before, " ".join(said)


@pytest.mark.slow
def test_other_readers_go_on(app):
    before, after = run_in_a_thread(attack(app))
    assert "8 heads, slopes from" in before
    assert "12 heads, slopes from" in after
