"""`python -m alibi_viz run` and `python -m alibi_viz serve`."""

import errno
import os
import secrets
import socket
import sys
from collections.abc import Mapping
from typing import Annotated

import typer

from alibi_viz import APP_FOLDER
from alibi_viz.classroom import open_files, shared
from alibi_viz.classroom.network import EVERYWHERE, own_addresses
from alibi_viz.cli.serving import hosts, proxy, training
from alibi_viz.cli.serving.services import POSIX, Service, Services

APP = APP_FOLDER / "app.py"
LOOPBACK = "127.0.0.1"
TRIED = 50  # ports, from the one that was asked for
MOST = 16  # replicas, workers
LOADING = "Loading PyTorch and the lessons; the first start takes longest …"
Port = Annotated[int, typer.Option(min=1, max=65535, help="Port; if it is taken, the next one that is free.")]
Host = Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0: every network of this machine.")]


def run_command(port: Port = 8501, host: Host = LOOPBACK) -> int:
    """Serve the app, with one server."""
    open_files.raise_limit()
    with Services() as services:
        port = _free_port(host, port)
        services.start(_replica("Server", host, port, hosts.environment(host)))
        return _serve(services, host, port)


def serve_command(
    replicas: Annotated[int | None, typer.Option(min=1, max=MOST, help="Servers; as many as cores.")] = None,
    workers: Annotated[int | None, typer.Option(min=1, max=MOST, help="Training workers; as many as cores.")] = None,
    port: Port = 8501,
    host: Host = LOOPBACK,
) -> int:
    """Serve the app to a class: several servers behind nginx, with one scheduler and one folder of runs."""
    proxy.find()
    files = open_files.raise_limit()
    cores = min(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1, MOST)
    with Services() as services:
        port = _free_port(host, port)
        services.console.print("Starting …")
        scheduler, *ports = _free_ports(1 + (replicas or cores))
        environment = training.environment(scheduler, services.folder) | hosts.environment(host)
        environment |= {
            "OMP_NUM_THREADS": "1",
            "STREAMLIT_SERVER_COOKIE_SECRET": secrets.token_hex(32),  # one reader, whichever replica answers
            shared.SETTING: str(services.folder / "shared.sqlite"),
        }
        services.start(*training.services(scheduler, workers or cores, environment))
        services.start(*(_replica(f"Replica on port {own}", LOOPBACK, own, environment) for own in ports))
        if not services.wait(LOADING):
            return 0
        proxy.prepare(host, port, ports, services.folder, files)
        services.start(Service("Proxy", proxy.command(services.folder), health=_health(host, port)))
        return _serve(services, host, port)


def _serve(services: Services, host: str, port: int) -> int:
    """Say where the app is as soon as it is there, and go on until we are asked to stop."""
    if services.wait(LOADING):
        others = own_addresses() if host in EVERYWHERE else []
        places = ", ".join(_address(place, port) for place in (host, *others))
        print(f"ALiBi Visualizer: {places}   (Ctrl-C stops it)", flush=True)
        services.watch()
    return 0


def _replica(name: str, host: str, port: int, environment: Mapping[str, str]) -> Service:
    # -P: a file in the current folder is not taken for a module.
    command = [sys.executable, "-P", "-m", "streamlit", "run", str(APP), "--server.headless", "true"]
    command += ["--server.address", host, "--server.port", str(port)]
    return Service(name, command, environment, _health(host, port))


def _address(host: str, port: int) -> str:
    if host in EVERYWHERE:
        host = LOOPBACK if host == "0.0.0.0" else "::1"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _health(host: str, port: int) -> str:
    return f"{_address(host, port)}/_stcore/health"


def _free_port(host: str, wanted: int) -> int:
    """The first free port from `wanted` on. Raises ValueError if there is none, or no such address."""
    for port in range(wanted, min(wanted + TRIED, 65536)):
        if _is_free(host, port):
            if port != wanted:
                print(f"Port {wanted} is taken; the app takes {port}.", flush=True)
            return port
    raise ValueError(f"No port from {wanted} on is free on {host}.")


def _is_free(host: str, port: int) -> bool:
    """Whether a server may listen there. Raises ValueError for an address that is not of this machine."""
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except OSError:
        raise ValueError(f"{host!r} is not an address of this machine.") from None
    with socket.socket(family, kind, protocol) as probe:
        if POSIX:  # a port is free though connections of an earlier server are still being closed
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(place)
            probe.listen()
        except PermissionError:
            raise ValueError(f"This account may not use port {port}; try --port 8501.") from None
        except OSError as error:
            if error.errno == errno.EADDRNOTAVAIL:
                raise ValueError(f"{host!r} is not an address of this machine.") from None
            return False
    return True


def _free_ports(count: int) -> list[int]:
    """Ports that nobody listens on now."""
    probes = [socket.socket() for _ in range(count)]
    for probe in probes:
        probe.bind((LOOPBACK, 0))
    ports = [int(probe.getsockname()[1]) for probe in probes]
    for probe in probes:
        probe.close()
    return ports
