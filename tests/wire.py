"""A wire to a server on this machine, which a test can cut and mend."""

import socket
import threading
from contextlib import suppress


class Wire:
    """What is sent to `port` goes to `target`, another port of this machine, and back."""

    def __init__(self, target: int) -> None:
        self.target, self.whole = target, True
        self._ends: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True).start()

    def hang(self) -> None:
        """Carry nothing more. Neither side hears of it, as with a laptop out of reach of its network."""
        self.whole = False

    def cut(self) -> None:
        """End all connections, and take no new ones."""
        self.whole = False
        while self._ends:
            _end(self._ends.pop())

    def mend(self) -> None:
        self.whole = True

    def close(self) -> None:
        self.cut()
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):  # closed
            while True:
                near, far = self._listener.accept()[0], socket.socket()
                if not self.whole or far.connect_ex(("127.0.0.1", self.target)):  # it is cut, or no server is there
                    _end(near)
                    continue
                self._ends += near, far
                for source, sink in ((near, far), (far, near)):
                    threading.Thread(target=self._carry, args=(source, sink), daemon=True).start()

    def _carry(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65_536):
                if self.whole:
                    sink.sendall(data)
        _end(source)
        _end(sink)


def _end(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()
