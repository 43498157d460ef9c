"""`python -m alibi_viz run`: serve the app. Streamlit runs in this process, so whatever ends the process ends the server.

Notable choices:
- Streamlit's greeting is off. It names addresses that readers do not use, and asks a public service for this machine's.
- A page of another site can make its own name lead to this machine (DNS rebinding), so the server opens no connection
  under names that were not meant: Streamlit's option `server.allowedHosts`. Who has set it keeps it.
"""

import contextlib
import errno
import ipaddress
import logging
import os
import runpy
import signal
import socket
import sys
import tempfile
import threading
import time
import urllib.request

from rich.console import Console

from alibi_viz import APP_FOLDER
from alibi_viz.classroom.network import EVERYWHERE, own_addresses
from alibi_viz.cli import LOOPBACK

LOCAL = ("localhost", LOOPBACK, "::1")
ALLOWED_HOSTS = "STREAMLIT_SERVER_ALLOWED_HOSTS"
TRIED = 50  # ports, from the one that was asked for
LOOK_EVERY = 0.2  # seconds


def serve(host: str, port: int) -> int:
    """Serve the app at this address until it is stopped; returns the exit status."""
    host = listening_address(host)
    port = free_port(host, port)
    os.environ |= environment(host)
    # Streamlit looks for settings in the home folder; of an account that has none, every page would end with an error.
    if not os.path.isdir(os.path.expanduser("~")):
        os.environ["HOME"] = tempfile.gettempdir()
    threading.Thread(target=_say_when_ready, args=(host, port), daemon=True).start()
    options = {
        "server.headless": "true",
        "server.address": host,
        "server.port": str(port),
        "logger.hideWelcomeMessage": "true",
    }
    sys.argv = ["streamlit", "run", str(APP_FOLDER / "app.py"), *(f"--{name}={text}" for name, text in options.items())]
    for number in (signal.SIGINT, signal.SIGTERM):  # the server stops in good order, and then raises it again
        signal.signal(number, _stop)
    try:
        runpy.run_module("streamlit", run_name="__main__")
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 0
    return 0


def _stop(*_: object) -> None:
    """Handler: the end. Who presses Ctrl-C twice lets the server break off what it does; no traceback says so."""
    logging.disable(logging.CRITICAL)
    sys.exit(0)


def listening_address(host: str) -> str:
    """The address to listen on; 0.0.0.0 or :: for every spelling of “everywhere”. Raises ValueError for none at all."""
    if not host.strip():
        raise ValueError(f"Name an address to listen on, such as {LOOPBACK}; 0.0.0.0 is every network of this machine.")
    with contextlib.suppress(OSError, UnicodeError, ValueError):  # free_port says that there is no such address
        address = ipaddress.ip_address(socket.getaddrinfo(host, None)[0][4][0])
        return str(address) if address.is_unspecified else host
    return host


def environment(host: str) -> dict[str, str]:
    """The settings of a server that listens at `host`: under which names it may be opened.

    On every network of the machine any name may be meant: which ones lead here, only its owner knows.
    """
    if host in EVERYWHERE:
        names: tuple[str, ...] = ("*",)
    elif host in LOCAL:
        names = LOCAL
    else:
        own = socket.gethostname().lower()
        names = (*LOCAL, host, own, f"{own}.local")
    return {ALLOWED_HOSTS: os.environ.get(ALLOWED_HOSTS) or " ".join(names)}


def free_port(host: str, wanted: int) -> int:
    """The first free port from `wanted` on. Raises ValueError if there is none, or no such address."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for port in range(wanted, min(wanted + TRIED, 65536)):
        try:
            socket.create_server((host, port), family=family).close()
        except PermissionError:
            raise ValueError(f"This account may not use port {port}; try --port 8501.") from None
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise ValueError(f"{host!r} is not an address of this machine.") from None
        else:
            if port != wanted:
                print(f"Port {wanted} is taken; the app takes {port}.", flush=True)
            return port
    raise ValueError(f"No port from {wanted} on is free on {host}.")


def _say_when_ready(host: str, port: int) -> None:
    """Say where the app is as soon as it answers."""
    console = Console(stderr=True, highlight=False)
    with console.status("Loading PyTorch and the lessons; the first start takes longest …"):
        while not _answers(f"{_address(host, port)}/_stcore/health"):
            time.sleep(LOOK_EVERY)
    others = own_addresses() if host in EVERYWHERE else []
    places = ", ".join(_address(place, port) for place in (host, *others))
    print(f"ALiBi Visualizer: {places}   (Ctrl-C stops it)", flush=True)


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=2) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def _address(host: str, port: int) -> str:
    if host in EVERYWHERE:
        host = LOOPBACK if host == "0.0.0.0" else "::1"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
