"""The writing desk: one thread that writes texts for all readers, in turns, into a cache that all share.

Notable choices:
- A reader says by `ask` what it waits for, again and again: that is also how it is known to be there. Another wish replaces
  the old one; a reader that is silent for SILENCE seconds has left the line. What is written stays in the cache.
- Readers take turns, a piece of PIECE bytes each; of a reader's texts the shortest goes on, so columns grow together.
- A text does not depend on its length, so orders that differ in the length alone share one text.
- The cache is bounded in texts, each of a few kilobytes. What a reader waits for, or has asked for a moment ago, is never
  dropped.
- Keys and values are kept for texts that somebody waits for, up to CACHE_BYTES; others are read again when they go on.
- The lock is held only while the lists change, never while a model writes.
- A text that fails, fails alone. It is tried anew when it is asked for again after nobody did.
- The thread starts when there is something to write, and ends when there is nothing.
"""

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch

from alibi_viz.checks import whole_number
from alibi_viz.lm.model import DecoderLM
from alibi_viz.lm.writing import LONGEST, Writer, check_prompt

PIECE = 32  # bytes
SILENCE = 4.0  # seconds; a page asks a few times a second
ENDING = 5.0  # seconds that a piece may still take when the server ends
MOST_ORDERS = 16  # of one reader at a time
MOST_TEXTS = 1024  # in the cache, beside what is waited for
CACHE_BYTES = 134_217_728  # of keys and values, all texts together

Key = tuple[str, bytes, float, int]


@dataclass(frozen=True)
class Order:
    """A text that is wanted. Raises ValueError, in one sentence, for a value out of range."""

    model: str  # its name, for the function that loads it
    prompt: bytes  # an empty one becomes `writing.START`
    temperature: float = 0.7
    seed: int = 1
    length: int = 1024  # bytes to write after the prompt

    def __post_init__(self) -> None:
        checked = check_prompt(self.prompt, self.temperature, self.seed)
        for name, value in zip(("prompt", "temperature", "seed"), checked, strict=True):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "length", whole_number(self.length, "The length", 1, LONGEST))

    @property
    def key(self) -> Key:
        """What the text follows from."""
        return self.model, self.prompt, self.temperature, self.seed


@dataclass(frozen=True)
class Progress:
    """How far an order is."""

    order: Order
    written: bytes  # so far, without the prompt
    done: bool  # nothing more comes
    problem: str  # why it is done before its length, in one sentence: its positions end, or it failed
    place: int  # readers whose turn comes first, each for one piece; 0: its piece is written now or next, or it is done

    @property
    def text(self) -> bytes:
        return self.order.prompt + self.written


@dataclass
class _Text:
    written: bytes = b""
    ended: str = ""  # why it cannot go on
    failed: bool = False

    def waits(self, order: Order) -> bool:
        return len(self.written) < order.length and not self.ended


@dataclass
class _Reader:
    orders: tuple[Order, ...] = ()
    heard: float = 0.0  # by the clock


class Desk:
    """Orders in, bytes out. All methods may be called from any thread.

    load: the model of a name, which must stay unchanged; ValueError, in one sentence, where there is none. shipped: what is
    written already for a new order, and why it ends.
    """

    def __init__(
        self,
        load: Callable[[str], DecoderLM],
        shipped: Callable[[Order], tuple[bytes, str]] = lambda order: (b"", ""),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._load, self._shipped, self._clock = load, shipped, clock
        self._lock = threading.Lock()
        self._readers: OrderedDict[str, _Reader] = OrderedDict()  # the next in turn first
        self._texts: OrderedDict[Key, _Text] = OrderedDict()  # the least recently used first
        self._writing: Key | None = None
        self._writers: OrderedDict[Key, Writer] = OrderedDict()  # of the thread alone; the least recently used first
        self._thread: threading.Thread | None = None

    def ask(self, reader: str, orders: Sequence[Order]) -> tuple[Progress, ...]:
        """What this reader waits for from now on, and how far each is. Raises ValueError for more than MOST_ORDERS."""
        if len(orders) > MOST_ORDERS:
            raise ValueError(f"At most {MOST_ORDERS} texts are written at a time, not {len(orders)}.")
        with self._lock:
            asking = self._readers.setdefault(reader, _Reader())
            asking.orders, asking.heard = tuple(orders), self._clock()
            for order in orders:
                if order.key not in self._texts:
                    self._texts[order.key] = _Text(*self._shipped(order))
                self._texts.move_to_end(order.key)
            self._forget()
            if self._turn() is not None:
                self._start()
            place = [name for name, _ in self._waiting()].index(reader) if self._waits(asking) else 0
            return tuple(self._progress(order, place) for order in orders)

    def close(self) -> None:
        """Nobody waits any longer; returns when the thread has ended, so that Python can end."""
        with self._lock:
            self._readers.clear()
            thread = self._thread
        if thread is not None:
            thread.join(ENDING)

    def _progress(self, order: Order, place: int) -> Progress:
        text = self._texts[order.key]
        written, waits = text.written[: order.length], text.waits(order)
        problem = text.ended if len(written) < order.length else ""
        return Progress(order, written, not waits, problem, place if waits else 0)

    def _waits(self, reader: _Reader) -> bool:
        return any(self._texts[order.key].waits(order) for order in reader.orders)

    def _waiting(self) -> Iterator[tuple[str, _Reader]]:
        """Readers for whom something is to be written, the next one first."""
        return ((name, reader) for name, reader in self._readers.items() if self._waits(reader))

    def _turn(self) -> tuple[str, Order] | None:
        """Whose turn it is, and which of its orders goes on."""
        for name, reader in self._waiting():
            orders = [order for order in reader.orders if self._texts[order.key].waits(order)]
            return name, min(orders, key=lambda order: len(self._texts[order.key].written))
        return None

    def _forget(self) -> None:
        """Drop readers that are silent, failed texts that nobody asks for, and old texts."""
        silent = self._clock() - SILENCE
        for name in [name for name, reader in self._readers.items() if reader.heard < silent or not reader.orders]:
            del self._readers[name]
        asked = {order.key for reader in self._readers.values() for order in reader.orders}
        for key in [key for key in self._texts if key not in asked and key != self._writing]:
            if self._texts[key].failed or len(self._texts) > MOST_TEXTS:
                del self._texts[key]

    def _start(self) -> None:
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._work, name="alibi-viz-writing", daemon=True)
            self._thread.start()

    # Everything below runs in the thread.

    def _work(self) -> None:
        torch.set_num_threads(1)
        while self._write_piece():
            pass

    def _write_piece(self) -> bool:
        """Write a piece for the reader whose turn it is; False if there is none: the thread ends."""
        with self._lock:
            self._forget()
            turn = self._turn()
            orders = (order for reader in self._readers.values() for order in reader.orders)
            self._drop_writers({order.key for order in orders if self._texts[order.key].waits(order)})
            if turn is None:
                self._writing = self._thread = None
                return False
            reader, order = turn
            self._writing, text = order.key, self._texts[order.key]
        written, ended, failed = self._go_on(order, text.written)
        with self._lock:
            text.written, text.ended, text.failed, self._writing = written, ended, failed, None
            if reader in self._readers:
                self._readers.move_to_end(reader)
        return True

    def _go_on(self, order: Order, written: bytes) -> tuple[bytes, str, bool]:
        """The new bytes with one piece more; why they cannot go on; and whether that is a failure."""
        writer = self._writers.get(order.key)
        try:
            if writer is None:
                _, prompt, temperature, seed = order.key
                model = self._load(order.model)
                writer = Writer(model, prompt, temperature=temperature, seed=seed, written=written)
                self._writers[order.key] = writer
            self._writers.move_to_end(order.key)
            writer.write(min(PIECE, order.length - len(written)))
            return writer.written, writer.ended, False
        except ValueError as error:
            sentence = str(error)
        except Exception as error:
            logging.getLogger(__name__).exception("A text could not be written.")
            sentence = f"The model could not write on ({type(error).__name__})."
        self._writers.pop(order.key, None)
        return written if writer is None else writer.written, sentence, True

    def _drop_writers(self, waited: set[Key]) -> None:
        """Keep those of texts that somebody waits for, the last used ones, within CACHE_BYTES."""
        for key in [key for key in self._writers if key not in waited]:
            del self._writers[key]
        size = sum(writer.memory for writer in self._writers.values())
        while size > CACHE_BYTES and len(self._writers) > 1:
            size -= self._writers.popitem(last=False)[1].memory
