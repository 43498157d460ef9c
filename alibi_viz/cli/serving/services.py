"""Processes that serve together: started, waited for, started again when one ends, and ended all at once.

Notable choices:
- Each has a process group of its own. So Ctrl-C reaches this process alone, which ends the others in good order; and what
  they have started themselves ends with them.
- If this process is killed, guard.py ends them.
- A process that has stopped answering is killed, and so started again.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console

GUARD = Path(__file__).with_name("guard.py")
POSIX = os.name == "posix"
LOOK_EVERY, SILENT_FOR = 0.2, 1.0  # seconds
ENDING = 8.0  # seconds that a process has to end, once asked
ANSWERING, CHECK_EVERY, DEAF = 15.0, 5.0, 2  # seconds for an answer, seconds between checks, missed answers
LAST = 3000  # characters of what a quiet process wrote, if it cannot run
SHORT_LIFE, SHORT_LIVES = 30.0, 5  # seconds; so many in a row, and we give up


@dataclass
class Service:
    """One process.

    environment: beside that of this process. health: an address that answers when it is ready. quiet: what it writes is
    shown only if it cannot run.
    """

    name: str
    command: list[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    health: str = ""
    quiet: bool = False
    process: Any = None  # subprocess.Popen
    begun: float = 0.0
    has_answered: bool = False  # since it was started
    short_lives: int = 0

    def is_ready(self, timeout: float = 2.0) -> bool:
        if not self.health:
            return True
        with contextlib.suppress(OSError), urllib.request.urlopen(self.health, timeout=timeout) as answer:
            self.has_answered = bool(answer.status == 200)
            return self.has_answered
        return False


class Services:
    """Use as a context: at its end every process ends. folder: a temporary one, for their files."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="alibi-viz-"))
        self.console = Console(stderr=True, highlight=False)
        self._services: list[Service] = []
        self._stopped = threading.Event()
        self._guard: Any = None

    def __enter__(self) -> "Services":
        if POSIX:
            command = [sys.executable, "-I", "-S", str(GUARD), str(self.folder)]
            self._guard = subprocess.Popen(command, stdin=subprocess.PIPE, text=True, start_new_session=True)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: self._stopped.set())
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        for service in reversed(self._services):
            service.process.terminate()
        until = time.monotonic() + ENDING
        for service in self._services:
            with contextlib.suppress(subprocess.TimeoutExpired):
                service.process.wait(max(0.1, until - time.monotonic()))
            self._end(service)
        if self._guard is not None:
            self._guard.stdin.close()
            self._guard.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self, *services: Service) -> None:
        for service in services:
            self._start(service)
            self._services.append(service)

    def wait(self, what: str) -> bool:
        """Wait until all are ready; after a second, say `what` is being done. False if we were asked to stop.

        Raises ValueError if a process ends.
        """
        begun, status = time.monotonic(), self.console.status(what)
        said = False
        with contextlib.ExitStack() as showing:
            while not all(service.is_ready() for service in self._services):
                if self._stopped.wait(LOOK_EVERY):
                    return False
                for service in self._services:
                    if service.process.poll() is not None:
                        raise ValueError(self._what_ended(service, "ended while it was starting"))
                if not said and time.monotonic() - begun > SILENT_FOR:
                    said = True
                    if self.console.is_terminal:
                        showing.enter_context(status)
                    else:
                        self.console.print(what)
        return not self._stopped.is_set()

    def watch(self) -> None:
        """Start again what ends, until we are asked to stop. Raises ValueError for what ends again and again."""
        threading.Thread(target=self._check_answers, daemon=True).start()
        while not self._stopped.wait(LOOK_EVERY):
            for service in self._services:
                if service.process.poll() is not None:
                    self._start_again(service)

    def _start(self, service: Service) -> None:
        # Streamlit's greeting names addresses that readers do not use; what goes wrong is on standard error.
        with self._log(service).open("wb") if service.quiet else contextlib.nullcontext() as log:
            service.process = subprocess.Popen(
                service.command,
                env={**os.environ, **service.environment},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=log,
                start_new_session=POSIX,
                # By the new process itself, before it is another program: at no moment is there one that guard.py misses.
                preexec_fn=partial(self._tell_guard, None) if POSIX else None,
            )
        service.begun, service.has_answered = time.monotonic(), False

    def _start_again(self, service: Service) -> None:
        self._end(service)
        service.short_lives = service.short_lives + 1 if time.monotonic() - service.begun < SHORT_LIFE else 0
        if service.short_lives >= SHORT_LIVES:
            raise ValueError(self._what_ended(service, "ends again and again"))
        self.console.print(f"Ended, and started again: {service.name}.")
        if not self._stopped.wait(service.short_lives):
            self._start(service)

    def _log(self, service: Service) -> Path:
        return self.folder / f"{service.name}.log"

    def _what_ended(self, service: Service, how: str) -> str:
        if service.quiet:
            written = self._log(service).read_text(encoding="utf-8", errors="replace")
            print(written[-LAST:], file=sys.stderr)
        return f"{service.name} {how}; the lines above may say why."

    def _end(self, service: Service) -> None:
        """Kill what is left of a service's group."""
        with contextlib.suppress(OSError):
            if POSIX:
                os.killpg(service.process.pid, signal.SIGKILL)
            else:
                service.process.kill()
        service.process.wait()
        self._tell_guard(-service.process.pid)

    def _tell_guard(self, number: int | None) -> None:
        """A process group that has begun, or -n for one that has ended; None: this process's own."""
        if self._guard is not None:
            with contextlib.suppress(OSError):
                os.write(self._guard.stdin.fileno(), b"%d\n" % (os.getpid() if number is None else number))

    def _check_answers(self) -> None:
        missed: dict[str, int] = {}
        while not self._stopped.wait(CHECK_EVERY):
            for service in self._services:
                is_deaf = not service.is_ready(ANSWERING) and service.has_answered  # else it may still be starting
                missed[service.name] = missed.get(service.name, 0) + 1 if is_deaf else 0
                if missed[service.name] >= DEAF:
                    service.process.kill()
