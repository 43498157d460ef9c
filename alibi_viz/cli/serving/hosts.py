"""The names under which a server may be opened: a page of another site must not reach it under a name of its own.

It is Streamlit's option `server.allowedHosts`, set in the environment of the servers. Who has set it keeps it.
"""

import os
import socket

from alibi_viz.classroom.network import EVERYWHERE, LISTENS_ON

SETTING = "STREAMLIT_SERVER_ALLOWED_HOSTS"
LOCAL = ("localhost", "127.0.0.1", "::1")


def environment(host: str) -> dict[str, str]:
    """The settings for servers that are reached at `host`, the address to listen on.

    On every network of the machine any name may be meant: which ones lead here, only its owner knows.
    """
    if host in EVERYWHERE:
        names: tuple[str, ...] = ("*",)
    elif host in LOCAL:
        names = LOCAL
    else:
        own = socket.gethostname().lower()
        names = (*LOCAL, host, own, f"{own}.local")
    return {SETTING: os.environ.get(SETTING) or " ".join(names), LISTENS_ON: host}
