"""One event loop for the scripts of all sessions: a reader holds one descriptor, the connection, and not four.

Streamlit opens an event loop for each session, three descriptors, so that a script can use asyncio. It installs the
loop in the script's thread and never runs it. A session that has ended keeps its loop as long as the server remembers the
session: up to 128 of them on an idle server. No script of ours uses asyncio, so one loop, which stays open, serves all.

Without it: a reader holds four descriptors in place of one, and a server is full with a quarter of the readers.
Versions: 1.67; the loops came with PR #16167 (2026-07).
Public ways tried: no option turns the loops off, and none bounds how many sessions are remembered.
"""

import asyncio
from functools import cache


class _Loop(asyncio.SelectorEventLoop):
    def close(self) -> None:
        """Nothing: a session that ends would close the loop of the others."""


@cache
def _shared() -> asyncio.AbstractEventLoop:
    return _Loop()


def in_place_of(own: asyncio.AbstractEventLoop) -> asyncio.AbstractEventLoop:
    """The loop of this process. own: the loop that a session has opened, which is closed."""
    own.close()
    return _shared()
