"""What a server does once: before it serves anyone, it imports what the first page needs, mends Streamlit
(streamlit_patches/), and lets go what the data folder need not keep. Then, in the background, it imports and reads what the
other pages need: the first readers of a class come within seconds, and would all wait for it.

What is imported lives as long as the server, so it is frozen, apart from garbage collection. A full collection walks over
every object of torch, Plotly and pandas, some 270,000 of them: 0.2 to 0.4 seconds in which no reader is served. (After
every run Streamlit asks for one unless `runner.postScriptGC` is off: .streamlit/config.toml.)
"""

import ctypes
import gc
import importlib
import logging
import platform
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from functools import partial

import streamlit as st

from alibi_viz.classroom.kept import NAME, Keeper
from alibi_viz.ui.classroom import ROOMS
from alibi_viz.ui.shell import navigation
from alibi_viz.ui.streamlit_patches import callbacks, fragments, page_not_found, sessions, theme_options

FIRST_ANSWER, PAUSE = 1.0, 0.02  # seconds: that the first reader has alone; between two steps, for readers who wait
#: Streamlit compiles one pattern of all emojis when it first draws a choice: 0.4 s.
LATER = ("streamlit.emojis", "pandas", "alibi_viz.results.table")
#: What glibc's malloc is told (M_ARENA_MAX, M_MMAP_THRESHOLD): every run of a page has a thread of its own, and each thread
#: one of eight arenas a core, which keep what is freed in them. With two a server of 120 readers takes 570 MB, else 800.
MALLOC = {-8: 2, -3: 128 * 1024}
_log = logging.getLogger(__name__)


@asynccontextmanager
async def serving(_: object) -> AsyncIterator[None]:
    """For `st.App(lifespan=)`: what comes before the server listens."""
    save_memory()
    navigation.announce()
    for patch in (sessions, callbacks, fragments, page_not_found, theme_options):
        patch.install()
    importlib.import_module("torch")
    gc.collect()
    gc.freeze()
    from alibi_viz.lm.runs import RunStore  # it imports torch, and all of that is to be imported above

    store = RunStore()
    store.make_room()
    rooms = Keeper(ROOMS, store.data / NAME.format(st.get_option("server.port")))
    rooms.start()
    threading.Thread(target=prepare, name="prepare", daemon=True).start()
    yield
    rooms.stop()


def save_memory() -> None:
    """Let few threads share what is freed; on Linux with glibc, others have another malloc."""
    if platform.libc_ver()[0] == "glibc":
        for option, value in MALLOC.items():
            ctypes.CDLL(None).mallopt(option, value)


def prepare() -> None:
    """Import and read what the other pages need, step by step. A step that fails is left to the reader who needs it."""
    time.sleep(FIRST_ANSWER)
    for step in steps():
        try:
            step()
        except Exception:
            _log.exception("A step of the preparation failed.")
        time.sleep(PAUSE)
    gc.freeze()


def steps() -> Iterator[Callable[[], object]]:
    """The modules of all lessons, the records of the shipped runs, what they write, and the models that most pages show, on
    the server and in browsers."""
    yield from (partial(importlib.import_module, name) for name in LATER)
    yield from (partial(importlib.import_module, f"pages.{lesson}.page") for lesson in navigation.ICONS)
    from alibi_viz.results import pretrained, table, trained, writing
    from alibi_viz.ui import weights

    yield from (partial(pretrained.load_all, kind) for kind in pretrained.KINDS)
    yield table.losses
    yield from (
        partial(read, language) for language in writing.LANGUAGES for read in (writing.shipped, writing.real_text)
    )
    yield from (partial(trained.load, method) for method in pretrained.MAIN)
    yield from (partial(weights.address_of, name) for name in weights.SHIPPED)
