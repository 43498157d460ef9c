"""A client that speaks Streamlit's protocol and means no good: other readers go on as if it were not there."""

from __future__ import annotations

import contextlib
import random

import pytest
import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from benchmarks.reader import Reader
from tests.hostile import nonsense
from tests.hostile.looking import NIGHTLY
from tests.threads import run_in_a_thread

FRAMES = 10  # of a connection, unless the server ends it sooner
PLAIN = ("clear_cache", "stop_script", "load_git_info", "debug_shutdown_runtime", "debug_disconnect_websocket")


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
        before, known = " ".join(said), [control.element.id for control in honest.controls.values()]
        for number in range(connections):
            rng = random.Random(f"frames {number}")
            stream = address.replace("http", "ws", 1) + "/_stcore/stream"
            async with websockets.connect(stream, max_size=None) as socket:
                with contextlib.suppress(websockets.ConnectionClosed):
                    for _ in range(FRAMES):
                        await socket.send(frame(rng, known))
        said.clear()
        await honest.set_number("heads", 12)
        return before, " ".join(said)


@pytest.mark.slow
def test_other_readers_go_on(app):
    before, after = run_in_a_thread(attack(app, max(30, NIGHTLY // 30)))
    assert "8 heads, slopes from" in before
    assert "12 heads, slopes from" in after
