"""A class survives its server: its rooms are written to disk while they last, and a server that starts goes on with them.

Notable choices:
- Written each second if something has changed, else each minute, so that the file says how long nobody was there.
- A server has a file of its own, by its port; it goes with the last room.
- Keys of browsers are not in it: members are hashes of them, as in memory. Nor is the key of the owner's link.
- A file that is damaged, too old or of another version is let go. Where nothing can be written, rooms live in memory alone.
"""

import json
import logging
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alibi_viz.classroom.rooms import LEFT, Room, Rooms
from alibi_viz.files import read_file, write_atomically

PACE, AGAIN = 1.0, 60.0  # seconds between two looks at the rooms, and two writings when nothing has changed
MOST_BYTES = 64 * 1024 * 1024
NAME = "rooms-{}.json"  # by the server's port
#: What changes with every look, the windows of a server, and what it alone knows.
UNKEPT = {"key": True, "seen": True, "members": {"__all__": {"seen"}}, "screens": True, "met": True}
AS_JSON: Any = {"mode": "json", "exclude": {"rooms": {"__all__": UNKEPT}}}

if TYPE_CHECKING:
    from pydantic import TypeAdapter

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Kept:
    """What a file says. at: seconds since 1970; clock: what the clock of the rooms said then."""

    at: float
    clock: float
    rooms: dict[str, Room]


@dataclass
class Keeper:
    """Keeps the rooms of one server in a file. now: seconds since 1970."""

    rooms: Rooms
    path: Path
    now: Callable[[], float] = time.time
    _written: dict[str, object] | None = None  # the rooms in the file; None: it may be of an earlier server
    _at: float = 0.0
    _over: threading.Event = field(default_factory=threading.Event)

    def resume(self) -> None:
        """Go on with what the file holds. Files of servers that have long ended go."""
        for other in self.path.parent.glob(NAME.format("*")):
            with suppress(OSError):
                if other != self.path and abs(self.now() - other.stat().st_mtime) > LEFT:
                    other.unlink()
        try:
            data = read_file(self.path, MOST_BYTES)
        except FileNotFoundError:
            return
        except (OSError, ValueError):
            data = b""
        try:
            kept = _adapter().validate_json(data)
        except ValueError:
            _log.warning("The rooms of an earlier server cannot be read, and are left.")
            return
        away = max(0.0, self.now() - kept.at)  # a clock that was set back says nothing
        if away < LEFT:
            self.rooms.resume(kept.rooms, kept.clock, away)

    def write(self) -> None:
        """Write what has changed; without rooms there is no file."""
        at = self.now()
        if self.rooms.told(lambda rooms, _: not rooms):
            if self._written != {}:
                self.path.unlink(missing_ok=True)
                self._written = {}
            return
        kept = self.rooms.told(lambda rooms, clock: _adapter().dump_python(Kept(at, clock, rooms), **AS_JSON))
        if kept["rooms"] != self._written or abs(at - self._at) >= AGAIN:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(self.path, json.dumps(kept).encode())
            self._written, self._at = kept["rooms"], at

    def start(self) -> None:
        """Go on with the file, and keep it from now on."""
        self.resume()
        threading.Thread(target=self._keep, name="rooms", daemon=True).start()

    def stop(self) -> None:
        self._over.set()
        with suppress(OSError):
            self.write()

    def _keep(self) -> None:
        is_said = False
        while not self._over.wait(PACE):
            try:
                self.write()
            except OSError as error:
                if not is_said:
                    _log.warning("Rooms are in memory alone: %s", error)
                is_said = True


@cache
def _adapter() -> "TypeAdapter[Kept]":
    """Writes and checks a file."""
    from pydantic import TypeAdapter  # here: the first answer of a server does not wait for it

    return TypeAdapter(Kept)
