"""The generation queue: turns, shared texts, changed wishes, silent readers, bounds, failures; and its thread."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from alibi_viz.lessons import problems
from alibi_viz.lessons.problems import Problem
from alibi_viz.lm import generation_queue as module
from alibi_viz.lm.corpus import python_text
from alibi_viz.lm.generation_queue import MOST_ORDERS, SILENCE, GenerationQueue, Order
from alibi_viz.lm.model import DecoderLM
from alibi_viz.lm.windowed import windowed
from alibi_viz.lm.writing import Writer
from alibi_viz.results import pretrained, trained, writing

PIECE = 8  # bytes; as many as the queue writes at a time would make these tests slow


@pytest.fixture(autouse=True)
def short_pieces() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "PIECE", PIECE)
        yield


def tiny(method: str = "alibi") -> DecoderLM:
    torch.manual_seed(3)
    return DecoderLM(method, train_length=32, width=8, layers=1, heads=2).eval().requires_grad_(False)


MODELS = {method: tiny(method) for method in ("alibi", "rope", "learned")}


def load(name: str) -> DecoderLM:
    if name not in MODELS:
        raise ValueError("This model is not here.")
    return MODELS[name]


class Still(GenerationQueue):
    """A queue without a thread: the test lets it write piece by piece. `turns` are the orders whose piece was written."""

    def __init__(self, load: Callable[[str], DecoderLM] = load, **options: Any) -> None:
        self.now = 0.0
        super().__init__(load, clock=lambda: self.now, **options)
        self.turns: list[Order] = []

    def _take_turn(self, reader: str) -> None:
        self._line.append(reader)

    def _go_on(self, order: Order, written: bytes) -> tuple[bytes, str, bool]:
        self.turns.append(order)
        return super()._go_on(order, written)

    def write(self, pieces: int = 1) -> int:
        """Pieces that were written, of so many."""
        before = len(self.turns)
        while self._line and len(self.turns) < before + pieces:
            self._write_piece()
        return len(self.turns) - before


def order(prompt: str = "a", model: str = "alibi", length: int = 3 * PIECE, **facts: Any) -> Order:
    return Order(model, prompt.encode(), length=length, **facts)


def direct(order: Order) -> bytes:
    """What its model writes without a queue."""
    writer = Writer(load(order.model), order.prompt, temperature=order.temperature, seed=order.seed)
    return writer.write(order.length)


def test_the_same_order_of_two_readers_is_written_once():
    queue, wish = Still(), order()
    for reader in ("one", "other"):
        queue.ask(reader, [wish])
    assert queue.write(10) == 3
    assert queue.ask("one", [wish]) == queue.ask("other", [order()])
    assert queue.ask("later", [wish])[0].done


def test_an_order_that_fails_fails_alone_and_is_tried_anew_later():
    here = dict(MODELS)

    def breaking(name: str) -> DecoderLM:
        if name == "broken":
            raise RuntimeError("at /some/path")
        if name not in here:
            raise ValueError("This model is not here.")
        return here[name]

    queue = Still(breaking)
    gone, _, good = wishes = [order(model=name) for name in ("gone", "broken", "alibi")]
    queue.ask("me", wishes)
    assert queue.write(10) == 5, "three pieces, and two failures that are not tried again and again"
    assert [(progress.done, problems.say(progress.problem)) for progress in queue.ask("me", wishes)] == [
        (True, "This model is not here."),
        (True, "The model could not write on (RuntimeError)."),
        (True, ""),
    ]
    here["gone"] = tiny()
    queue.ask("me", [good])
    queue.ask("me", [gone])
    assert queue.write(5) == 3


def test_a_text_that_fails_midway_keeps_its_bytes(monkeypatch):
    model = tiny()
    queue, wish = Still(lambda name: model), order()
    queue.ask("me", [wish])
    queue.write()
    model.norm.weight.fill_(torch.nan)
    queue.write()
    (progress,) = queue.ask("me", [wish])
    assert progress.written == direct(wish)[:PIECE]
    assert progress.problem == Problem("writing.not_finite")


def test_what_is_shipped_is_there_at_once_and_goes_on():
    wish = order(length=25)
    queue = Still(shipped=lambda order: (direct(wish)[:20], "") if order.key == wish.key else (b"", ""))
    (progress,) = queue.ask("me", [order(length=20)])
    assert (progress.written, progress.done) == (direct(wish)[:20], True)
    assert not queue.ask("me", [wish])[0].done
    assert queue.write(9) == 1
    assert queue.ask("me", [wish])[0].written == direct(wish)


@pytest.mark.parametrize(
    ("facts", "sentence"),
    [
        ({"temperature": 2.1}, "The temperature must be between 0 and 2, not 2.1."),
        ({"temperature": float("nan")}, "finite"),
        ({"seed": -1}, "The seed"),
        ({"length": 2049}, "The length"),
        ({"prompt": "x" * 2049}, "The beginning has 2,049 bytes; at most 2,048 are read."),
    ],
)
def test_an_order_out_of_range_is_refused(facts, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)):
        order(**facts)


def test_a_reader_asks_for_sixteen_texts_at_most():
    with pytest.raises(ValueError, match="At most 16"):
        Still().ask("me", [order(seed=seed) for seed in range(MOST_ORDERS + 1)])


STEP = st.one_of(
    st.tuples(st.just("ask"), st.integers(0, 3), st.lists(st.integers(0, 7), max_size=4)),
    st.tuples(st.just("wait"), st.integers(1, 5), st.just([])),
    st.tuples(st.just("write"), st.integers(1, 5), st.just([])),
)
TEXTS = [
    *(order(str(number % 3), length=3 + 6 * number) for number in range(7)),  # some are the beginning of another
    order(model="learned", length=100),  # its table ends
]
WRITTEN = {wish: direct(wish) for wish in TEXTS}


@given(st.lists(STEP, max_size=40), st.sampled_from([1, module.CACHE_BYTES]))
def test_whatever_readers_do_texts_are_right_and_turns_fair(steps, cache_bytes):
    """Who is silent or leaves is forgotten, and nobody else; also where there is no room for keys and values."""
    queue, wishes, heard = Still(), dict[int, list[Order]](), dict[int, float]()
    seen = dict[tuple[int, Order], int]()  # bytes
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST_TEXTS", 3)
        patch.setattr(module, "CACHE_BYTES", cache_bytes)
        for what, number, texts in steps:
            if what == "ask":
                waited = wishes.get(number, []) if queue.now - heard.get(number, 0) <= SILENCE else []
                wishes[number], heard[number] = [TEXTS[text] for text in texts], queue.now
                for progress in queue.ask(str(number), wishes[number]):
                    before, seen[number, progress.order] = seen.get((number, progress.order), 0), len(progress.written)
                    assert len(progress.written) >= before or progress.order not in waited, "it is not dropped"
                    assert WRITTEN[progress.order].startswith(progress.written)
                    assert progress.done == (progress.written == WRITTEN[progress.order])
                    assert 0 <= progress.place < len(wishes)
            elif what == "wait":
                queue.now += number
            else:
                queue.write(number)
                here = {text for who, of in wishes.items() if queue.now - heard[who] <= SILENCE for text in of}
                asked = {order.key for orders, _ in queue._readers.values() for order in orders}
                assert asked == {text.key for text in here}
                assert len(queue._texts) <= max(3, len(asked) + 1)
                assert queue._writers.keys() <= asked
        for who in range(4):
            queue.ask(str(who), [])
        # Nobody's text is another's beginning: it could end in that reader's turn.
        everyone = {str(who): [order(f"{who}?", length=20), order(f"{who}!", length=3 + who)] for who in range(4)}
        asked = {reader: queue.ask(reader, texts) for reader, texts in everyone.items()}
        waiting = [everyone[reader] for reader, of in asked.items() if not all(progress.done for progress in of)]
        places = {max(progress.place for progress in queue.ask(reader, texts)) for reader, texts in everyone.items()}
        assert places == set(range(len(waiting))) or not waiting
        began = len(queue.turns)
        assert queue.write(len(waiting)) == len(waiting)
        assert all(sum(turn in texts for turn in queue.turns[began:]) == 1 for texts in waiting), "one turn each"


def test_many_readers_at_once_get_their_texts():
    texts, queue = [order(str(number % 6), length=30) for number in range(12)], GenerationQueue(load)
    with ThreadPoolExecutor(12) as pool:
        assert list(pool.map(lambda number: whole(queue, str(number), texts[number]), range(12))) == list(
            map(direct, texts)
        )


def whole(queue: GenerationQueue, reader: str, order: Order) -> bytes:
    """The text when it has been written."""
    end = time.monotonic() + 60
    while not (progress := queue.ask(reader, [order])[0]).done and time.monotonic() < end:
        time.sleep(0.002)
    return progress.written


def test_with_a_window_the_bytes_are_those_of_the_model_that_sees_no_farther():
    prompt, window = python_text().held_out[:300], 64
    queue = writing.generation_queue()
    order = Order("rope", prompt, seed=3, length=40, window=window)
    writer = Writer(windowed(trained.shipped("rope"), window), prompt, seed=3)
    assert whole(queue, "near", order) == writer.write(40)
    assert whole(queue, "near", replace(order, window=0)) != writer.written
    queue.ask("near", [])


def test_the_servers_desk_has_the_shipped_texts_and_refuses_what_is_not_there():
    shipped, queue = writing.shipped(), writing.generation_queue()

    def of_text(method: str) -> Order:
        return Order(method, shipped.prompt, shipped.temperature, seed=1, length=len(shipped.texts["alibi"][0]))

    for progress in queue.ask("test", [of_text(method) for method in pretrained.METHODS]):
        assert progress.done
        assert progress.written == shipped.texts[progress.order.model][0]
        assert progress.problem == shipped.ends.get(progress.order.model)
    missing = Order("0123456789abcdef", b"x", length=5)
    whole(queue, "test", missing)
    assert queue.ask("test", [missing])[0].problem == Problem("writing.no_model")
    queue.ask("test", [])
