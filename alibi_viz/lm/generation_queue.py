"""The generation queue: one thread that writes texts for all readers, in turns, into a cache that all share.

Notable choices:
- A reader says by `ask` what it waits for, again and again: that is also how it is known to be there. Another wish replaces
  the old one; a reader that is silent for SILENCE seconds has left the line. What is written stays in the cache.
- Readers take turns, a piece of PIECE bytes each: a task of a pool of one thread. Of a reader's texts the shortest goes on,
  so columns grow together.
- A text does not depend on its length, so orders that differ in the length alone share one text.
- The cache is bounded in texts, each of a few kilobytes. What a reader waits for, or has asked for a moment ago, is never
  dropped.
- Keys and values are kept for texts that somebody waits for, up to CACHE_BYTES; others are read again when they go on.
- The lock is held only while the lists change, never while a model writes.
- When Python ends, it waits for the piece at hand.
- A text that fails, fails alone. It is tried anew when it is asked for again after nobody did.
"""

import logging
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import torch

from alibi_viz.checks import finite_number, whole_number
from alibi_viz.lessons.problems import Problem, kept
from alibi_viz.lm.model import DecoderLM
from alibi_viz.lm.windowed import windowed
from alibi_viz.lm.writing import HIGHEST_TEMPERATURE, LARGEST_SEED, LONGEST, LONGEST_PROMPT, START, Writer

PIECE = 32  # bytes
SILENCE = 4.0  # seconds; a page asks a few times a second
MOST_ORDERS = 16  # of one reader at a time
MOST_TEXTS = 1024  # in the cache, beside what is waited for
CACHE_BYTES = 134_217_728  # of keys and values, all texts together

Key = tuple[str, bytes, float, int, int]


@dataclass(frozen=True)
class Order:
    """A text that is wanted. Raises ValueError, in one sentence, for a value out of range."""

    model: str  # its name, for the function that loads it
    prompt: bytes  # an empty one becomes `writing.START`
    temperature: float = 0.7
    seed: int = 1
    length: int = 1024  # bytes to write after the prompt
    window: int = 0  # bytes: every layer hides the keys farther back; 0: none is hidden

    def __post_init__(self) -> None:
        if len(self.prompt) > LONGEST_PROMPT:
            raise Problem("writing.prompt", bytes=len(self.prompt), most=LONGEST_PROMPT)
        temperature = finite_number(self.temperature, "The temperature")
        if not 0 <= temperature <= HIGHEST_TEMPERATURE:
            raise ValueError(f"The temperature must be between 0 and {HIGHEST_TEMPERATURE:g}, not {temperature:g}.")
        whole_number(self.seed, "The seed", 0, LARGEST_SEED)
        whole_number(self.length, "The length", 1, LONGEST)
        whole_number(self.window, "The window", 0, LONGEST)
        object.__setattr__(self, "prompt", self.prompt or START)

    @property
    def key(self) -> Key:
        """What the text follows from."""
        return self.model, self.prompt, self.temperature, self.seed, self.window


@dataclass(frozen=True)
class Progress:
    """How far an order is."""

    order: Order
    written: bytes  # so far, without the prompt
    done: bool  # nothing more comes
    problem: Problem | str | None  # why it is done before its length: its positions end, or it failed
    place: int  # readers whose turn comes first, each for one piece; 0: its piece is written now or next, or it is done

    @property
    def text(self) -> bytes:
        return self.order.prompt + self.written


@dataclass
class _Text:
    written: bytes = b""
    ended: Problem | str | None = None  # why it cannot go on
    failed: bool = False

    def waits(self, order: Order) -> bool:
        return len(self.written) < order.length and not self.ended


class GenerationQueue:
    """Orders in, bytes out. All methods may be called from any thread.

    load: the model of a name, which must stay unchanged; ValueError, in one sentence, where there is none. shipped: what is
    written already for a new order, and why it ends.
    """

    def __init__(
        self,
        load: Callable[[str], DecoderLM],
        shipped: Callable[[Order], tuple[bytes, Problem | None]] = lambda order: (b"", None),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._load, self._shipped, self._clock = load, shipped, clock
        self._lock = threading.Lock()
        self._readers: dict[str, tuple[tuple[Order, ...], float]] = {}  # what each asked for last, and when
        self._line: deque[str] = deque()  # readers whose turn is to come; the first one's piece is written now
        self._texts: OrderedDict[Key, _Text] = OrderedDict()  # the least recently used first
        self._writers: OrderedDict[Key, Writer] = OrderedDict()  # of the thread alone; the least recently used first
        self._pool = ThreadPoolExecutor(1, "alibi-viz-writing", initializer=torch.set_num_threads, initargs=(1,))

    def ask(self, reader: str, orders: Sequence[Order]) -> tuple[Progress, ...]:
        """What this reader waits for from now on, and how far each is. Raises ValueError for more than MOST_ORDERS."""
        if len(orders) > MOST_ORDERS:
            raise ValueError(f"At most {MOST_ORDERS} texts are written at a time, not {len(orders)}.")
        with self._lock:
            self._readers[reader] = tuple(orders), self._clock()
            for order in orders:
                if order.key not in self._texts:
                    self._texts[order.key] = _Text(*self._shipped(order))
                self._texts.move_to_end(order.key)
            self._forget()
            if self._next(reader) is not None and reader not in self._line:
                self._take_turn(reader)
            place = self._line.index(reader) if reader in self._line else 0
            return tuple(self._progress(order, place) for order in orders)

    def _take_turn(self, reader: str) -> None:
        """To the end of the line: the pool takes the pieces in the order in which they come."""
        self._line.append(reader)
        self._pool.submit(self._write_piece)

    def _progress(self, order: Order, place: int) -> Progress:
        text = self._texts[order.key]
        written, waits = text.written[: order.length], text.waits(order)
        problem = text.ended if len(written) < order.length else None
        return Progress(order, written, not waits, problem, place if waits else 0)

    def _next(self, reader: str) -> tuple[Order, _Text] | None:
        """Which of a reader's texts goes on: the shortest that is not whole."""
        orders, _ = self._readers.get(reader, ((), 0.0))
        texts = [(order, self._texts[order.key]) for order in orders]
        waiting = [(order, text) for order, text in texts if text.waits(order)]
        return min(waiting, key=lambda pair: len(pair[1].written), default=None)

    def _forget(self) -> None:
        """Drop readers that are silent, failed texts that nobody asks for, and old texts."""
        silent = self._clock() - SILENCE
        self._readers = {name: (orders, heard) for name, (orders, heard) in self._readers.items() if heard >= silent}
        requested = {order.key for orders, _ in self._readers.values() for order in orders}
        for key in [key for key in self._texts if key not in requested]:
            if self._texts[key].failed or len(self._texts) > MOST_TEXTS:
                del self._texts[key]

    # Everything below runs in the thread.

    def _write_piece(self) -> None:
        """Write a piece for the reader whose turn it is; who waits for more goes to the end of the line."""
        with self._lock:
            self._forget()
            turn = self._next(self._line[0])
        if turn is not None:
            order, text = turn
            piece = self._go_on(order, text.written)
            with self._lock:
                text.written, text.ended, text.failed = piece
        with self._lock:
            reader = self._line.popleft()
            if self._next(reader) is not None:
                self._take_turn(reader)
            requested = [order for orders, _ in self._readers.values() for order in orders]
            waited = {order.key for order in requested if self._texts[order.key].waits(order)}
        # Keys and values stay for the texts that somebody waits for, of the last used ones within CACHE_BYTES.
        for key in self._writers.keys() - waited:
            del self._writers[key]
        size = sum(writer.memory for writer in self._writers.values())
        while size > CACHE_BYTES and len(self._writers) > 1:
            size -= self._writers.popitem(last=False)[1].memory

    def _go_on(self, order: Order, written: bytes) -> tuple[bytes, Problem | str | None, bool]:
        """The new bytes with one piece more; why they cannot go on; and whether that is a failure."""
        writer = self._writers.get(order.key)
        try:
            if writer is None:
                _, prompt, temperature, seed, window = order.key
                model = self._load(order.model)
                if window:
                    model = windowed(model, window)
                writer = Writer(model, prompt, temperature=temperature, seed=seed, written=written)
                self._writers[order.key] = writer
            self._writers.move_to_end(order.key)
            writer.write(min(PIECE, order.length - len(written)))
            return writer.written, writer.ended, False
        except ValueError as error:
            problem = kept(error)
        except Exception as error:
            logging.getLogger(__name__).exception("A text could not be written.")
            problem = Problem("writing.failed", error=type(error).__name__)
        self._writers.pop(order.key, None)
        return written if writer is None else writer.written, problem, True
