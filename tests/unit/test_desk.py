"""The writing desk: turns, shared texts, changed wishes, silent readers, bounds, failures; with its thread and without."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from alibi_viz.lm import desk as desk_module
from alibi_viz.lm.desk import MOST_ORDERS, SILENCE, Desk, Order, Progress
from alibi_viz.lm.model import DecoderLM
from alibi_viz.lm.writing import START, Writer
from alibi_viz.results import pretrained, writing

PIECE = 8  # bytes; as many as the desk writes at a time would make these tests slow


@pytest.fixture(autouse=True)
def short_pieces() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(desk_module, "PIECE", PIECE)
        yield


def tiny(method: str = "alibi") -> DecoderLM:
    torch.manual_seed(3)
    return DecoderLM(method, train_length=32, width=8, layers=1, heads=2).eval().requires_grad_(False)


MODELS = {method: tiny(method) for method in ("alibi", "rope", "learned")}


def load(name: str) -> DecoderLM:
    if name not in MODELS:
        raise ValueError("This model is not here.")
    return MODELS[name]


class Still(Desk):
    """A desk without a thread: the test lets it write piece by piece. `turns` are the orders whose piece was written."""

    def __init__(self, load: Callable[[str], DecoderLM] = load, **options: Any) -> None:
        self.now = 0.0
        super().__init__(load, clock=lambda: self.now, **options)
        self.turns: list[Order] = []

    def _start(self) -> None:
        pass

    def _go_on(self, order: Order, written: bytes) -> tuple[bytes, str, bool]:
        self.turns.append(order)
        return super()._go_on(order, written)

    def write(self, pieces: int = 1) -> int:
        """Pieces that were written, of so many."""
        return sum(self._write_piece() for _ in range(pieces))

    def models(self) -> list[str]:
        return [order.model for order in self.turns]


def order(prompt: str = "a", model: str = "alibi", length: int = 3 * PIECE, **facts: Any) -> Order:
    return Order(model, prompt.encode(), length=length, **facts)


def direct(order: Order) -> bytes:
    """What its model writes without a desk."""
    writer = Writer(load(order.model), order.prompt, temperature=order.temperature, seed=order.seed)
    return writer.write(order.length)


def test_an_order_is_written_in_pieces_to_its_length():
    desk, wanted = Still(), order(length=2 * PIECE + 5)
    for written in (0, PIECE, 2 * PIECE, 2 * PIECE + 5):
        (progress,) = desk.ask("me", [wanted])
        assert progress == Progress(wanted, direct(wanted)[:written], written > 2 * PIECE, "", 0)
        assert progress.text == b"a" + progress.written
        desk.write()
    assert desk.write() == 0


def test_readers_take_turns_and_see_their_place():
    desk, wishes = Still(), {"first": order("x"), "second": order("y"), "third": order("z")}
    assert [desk.ask(reader, [wish])[0].place for reader, wish in wishes.items()] == [0, 1, 2]
    desk.write(4)
    assert desk.turns == [*wishes.values(), wishes["first"]]
    assert [desk.ask(reader, [wish])[0].place for reader, wish in wishes.items()] == [2, 0, 1]
    desk.write(9)
    done = [desk.ask(reader, [wish])[0] for reader, wish in wishes.items()]
    assert [(progress.done, progress.place, progress.written) for progress in done] == [
        (True, 0, direct(wish)) for wish in wishes.values()
    ]


def test_who_comes_in_late_waits_no_longer_than_one_round():
    desk = Still()
    desk.ask("early", [order(name, length=10 * PIECE) for name in "abcd"])
    desk.write(6)
    desk.ask("late", [late := order("late")])
    desk.write(2)
    assert desk.turns[-1] is late


def test_the_texts_of_a_reader_grow_together():
    desk, wishes = Still(), [order(length=5 * PIECE, seed=seed) for seed in range(4)]
    for _ in range(20):
        sizes = [len(progress.written) for progress in desk.ask("me", wishes)]
        assert max(sizes) - min(sizes) <= PIECE
        desk.write()
    assert all(progress.done for progress in desk.ask("me", wishes))


def test_the_same_order_of_two_readers_is_written_once():
    desk, wish = Still(), order()
    for reader in ("one", "other"):
        desk.ask(reader, [wish])
    assert desk.write(10) == 3
    assert desk.ask("one", [wish]) == desk.ask("other", [order()])
    assert desk.ask("later", [wish])[0].done


def test_a_longer_text_goes_on_from_the_shorter_one():
    desk, short, long = Still(), order(length=10), order(length=26)
    desk.ask("me", [short])
    desk.write(10)
    (begun,) = desk.ask("me", [long])
    assert (begun.written, begun.done) == (direct(short), False)
    desk.write(10)
    assert desk.ask("me", [long])[0].written == direct(long)
    (again,) = desk.ask("me", [short])
    assert (again.written, again.done) == (direct(short), True)
    assert desk.turns == [short] * 2 + [long] * 2, "8 + 2, then 8 + 8 bytes"


def test_another_wish_replaces_the_old_one_and_nothing_written_is_lost():
    desk, old, new = Still(), order(length=10 * PIECE), order(temperature=1.5)
    desk.ask("me", [old])
    desk.write(2)
    desk.ask("me", [new])
    desk.write(10)
    assert desk.turns == [old, old, new, new, new]
    (progress,) = desk.ask("me", [old])
    assert progress.written == direct(old)[: 2 * PIECE]


@pytest.mark.parametrize("how", ["says so", "asks for nothing", "is silent"])
def test_a_reader_who_leaves_frees_the_thread(how):
    desk, wish = Still(), order(length=10 * PIECE)
    desk.ask("gone", [wish])
    desk.write()
    if how == "says so":
        desk.leave("gone")
    elif how == "asks for nothing":
        assert desk.ask("gone", []) == ()
    else:
        desk.now = SILENCE + 1
    desk.ask("here", [other := order("b")])
    desk.write(10)
    assert desk.turns == [wish, other, other, other]
    assert not desk._writers, "no keys and values are kept for nobody"
    assert len(desk.ask("back", [wish])[0].written) == PIECE, "what was written is still there"


def test_who_asks_again_and_again_stays():
    desk, wish = Still(), order(length=10 * PIECE)
    for _ in range(10):
        desk.ask("me", [wish])
        desk.now += SILENCE - 1
        assert desk.write() == 1
    assert desk.ask("me", [wish])[0].done


def test_a_model_that_ends_says_why_and_keeps_its_text():
    desk, wish, short = Still(), order(model="learned", length=100), order(model="learned", length=10)
    desk.ask("me", [wish])
    desk.write(5)
    (progress,) = desk.ask("me", [wish])
    assert (len(progress.text), progress.done) == (32, True)
    assert progress.problem == "Learned positions go from 0 to 31; position 32 has no vector."
    (progress,) = desk.ask("me", [short])
    assert (len(progress.written), progress.done, progress.problem) == (10, True, "")
    assert desk.write() == 0


def test_an_order_that_fails_fails_alone_and_is_tried_anew_later(caplog):
    def breaking(name: str) -> DecoderLM:
        if name == "broken":
            raise RuntimeError("at /some/path")
        return load(name)

    desk = Still(breaking)
    gone, broken, good = wishes = [order(model=name) for name in ("gone", "broken", "alibi")]
    desk.ask("me", wishes)
    with caplog.at_level(logging.CRITICAL):
        assert desk.write(10) == 5
    progress = dict(zip(wishes, desk.ask("me", wishes), strict=True))
    assert (progress[gone].done, progress[gone].problem) == (True, "This model is not here.")
    assert (progress[broken].done, progress[broken].problem) == (True, "The model could not write on (RuntimeError).")
    assert (progress[good].problem, progress[good].written) == ("", direct(good))
    assert desk.write() == 0, "not tried again and again"
    desk.ask("me", [good])
    MODELS["gone"] = tiny()
    try:
        desk.ask("me", [gone])
        assert desk.write(5) == 3
    finally:
        del MODELS["gone"]


def test_a_text_that_fails_midway_keeps_its_bytes(monkeypatch):
    model = tiny()
    desk, wish = Still(lambda name: model), order()
    desk.ask("me", [wish])
    desk.write()
    model.norm.weight.fill_(torch.nan)
    desk.write()
    (progress,) = desk.ask("me", [wish])
    assert progress.written == direct(wish)[:PIECE]
    assert progress.problem == "The model cannot write on: its logits became NaN or infinite."


@pytest.mark.parametrize(("bound", "value"), [("MOST_TEXTS", 3), ("MOST_BYTES", 3 * (PIECE + 1))])
def test_the_cache_drops_what_was_used_the_longest_ago(bound, value, monkeypatch):
    monkeypatch.setattr(desk_module, bound, value)
    desk, wishes = Still(), [order(name, length=PIECE) for name in "abcdef"]
    for wish in wishes:
        desk.ask("me", [wish])
        desk.write()
        desk.ask("me", [wishes[0]])  # used all the time
    desk.write()
    assert [key[1] for key in desk._texts] == [b"e", b"f", b"a"]


def test_what_somebody_waits_for_or_looks_at_is_never_dropped(monkeypatch):
    monkeypatch.setattr(desk_module, "MOST_TEXTS", 1)
    desk, looked_at, waited = Still(), order("seen", length=PIECE), [order(name) for name in "abcd"]
    desk.ask("looking", [looked_at])
    desk.write()
    desk.ask("waiting", waited)
    desk.ask("another", [order("x")])
    desk.write(3)
    assert {key[1] for key in desk._texts} == {b"seen", b"a", b"b", b"c", b"d", b"x"}
    desk.leave("looking")
    desk.leave("waiting")
    desk.write()
    assert {key[1] for key in desk._texts} == {b"x"}


def test_readers_are_bounded_too(monkeypatch):
    monkeypatch.setattr(desk_module, "MOST_READERS", 3)
    desk = Still()
    for number in range(9):
        desk.ask(f"reader {number}", [order(str(number))])
    assert list(desk._readers) == ["reader 6", "reader 7", "reader 8"]


def test_with_little_room_for_keys_and_values_the_texts_are_the_same(monkeypatch):
    monkeypatch.setattr(desk_module, "CACHE_BYTES", 1)
    desk, wishes = Still(), [order(name) for name in "abc"]
    desk.ask("me", wishes)
    while desk.write():
        assert len(desk._writers) <= 2, "the newest from before, and the one that goes on"
    assert [progress.written for progress in desk.ask("me", wishes)] == [direct(wish) for wish in wishes]


def test_what_is_shipped_is_there_at_once_and_goes_on():
    wish = order(length=25)
    desk = Still(shipped=lambda order: (direct(wish)[:20], "") if order.key == wish.key else (b"", ""))
    (progress,) = desk.ask("me", [order(length=20)])
    assert (progress.written, progress.done) == (direct(wish)[:20], True)
    assert not desk.ask("me", [wish])[0].done
    assert desk.write(9) == 1
    assert desk.ask("me", [wish])[0].written == direct(wish)


@pytest.mark.parametrize(
    ("facts", "sentence"),
    [
        ({"temperature": 2.1}, "The temperature must be between 0 and 2, not 2.1."),
        ({"temperature": -0.1}, "between 0 and 2"),
        ({"temperature": float("nan")}, "finite"),
        ({"seed": -1}, "The seed"),
        ({"length": 0}, "The length"),
        ({"length": 2049}, "The length"),
        ({"prompt": "x" * 2049}, "The beginning has 2,049 bytes; at most 2,048 are read."),
    ],
)
def test_an_order_out_of_range_is_refused(facts, sentence):
    with pytest.raises(ValueError, match=sentence.replace(".", r"\.")):
        order(**facts)
    assert order("").prompt == START
    with pytest.raises(ValueError, match="At most 16"):
        Still().ask("me", [order(seed=seed) for seed in range(MOST_ORDERS + 1)])


STEP = st.one_of(
    st.tuples(st.just("ask"), st.integers(0, 3), st.lists(st.integers(0, 7), max_size=4)),
    st.tuples(st.just("leave"), st.integers(0, 3), st.just([])),
    st.tuples(st.just("wait"), st.integers(1, 5), st.just([])),
    st.tuples(st.just("write"), st.integers(1, 5), st.just([])),
)
TEXTS = [order(str(number), length=3 + 6 * (number % 4)) for number in range(8)]
WRITTEN = {wish: direct(wish) for wish in TEXTS}


@given(st.lists(STEP, max_size=40))
def test_whatever_readers_do_texts_are_right_and_turns_fair(steps):
    desk, wishes, heard = Still(), dict[int, list[Order]](), dict[int, float]()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(desk_module, "MOST_TEXTS", 3)
        for what, number, texts in steps:
            if what == "ask":
                wishes[number], heard[number] = [TEXTS[text] for text in texts], desk.now
                for progress in desk.ask(str(number), wishes[number]):
                    assert WRITTEN[progress.order].startswith(progress.written)
                    assert progress.done == (progress.written == WRITTEN[progress.order])
                    assert 0 <= progress.place < len(wishes)
            elif what == "leave":
                desk.leave(str(number))
                wishes.pop(number, None)
            elif what == "wait":
                desk.now += number
            else:
                desk.write(number)
                here = {text for who, of in wishes.items() if desk.now - heard[who] <= SILENCE for text in of}
                asked = {order.key for reader in desk._readers.values() for order in reader.orders}
                assert asked <= {text.key for text in here}
                assert len(desk._texts) <= max(3, len(asked) + 1)
                assert desk._writers.keys() <= asked
        for who in range(4):
            desk.leave(str(who))
        everyone = {str(who): [TEXTS[who], TEXTS[who + 4]] for who in range(4)}
        asked = {reader: desk.ask(reader, texts) for reader, texts in everyone.items()}
        waiting = [everyone[reader] for reader, of in asked.items() if not all(progress.done for progress in of)]
        began = len(desk.turns)
        assert desk.write(len(waiting)) == len(waiting)
        assert all(sum(turn in texts for turn in desk.turns[began:]) == 1 for texts in waiting), "one turn each"


def test_many_threads_ask_and_one_writes():
    texts = [order(str(number % 6), length=30) for number in range(12)]
    writers: set[int] = set()

    class Watched(Desk):
        def _go_on(self, order: Order, written: bytes) -> tuple[bytes, str, bool]:
            writers.add(threading.get_ident())
            return super()._go_on(order, written)

    desk, results = Watched(load), dict[int, bytes]()

    def read(number: int) -> None:
        end = time.monotonic() + 60
        while not (progress := desk.ask(str(number), [texts[number]])[0]).done and time.monotonic() < end:
            time.sleep(0.002)
        results[number] = progress.written

    readers = [threading.Thread(target=read, args=(number,)) for number in range(12)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    assert [results[number] for number in range(12)] == [direct(text) for text in texts]
    if (thread := desk._thread) is not None:
        thread.join(60)
    assert desk._thread is None, "with nothing to write the thread ends"
    assert len(writers) <= 2, "one at a time; a second only if the first had ended"
    desk.ask("later", [later := order("later", length=10)])  # and starts again
    if (thread := desk._thread) is not None:
        thread.join(60)
    assert desk.ask("later", [later])[0].written == direct(later)


def test_the_servers_desk_has_the_shipped_texts_and_refuses_what_is_not_there():
    shipped, desk = writing.shipped(), writing.desk()
    assert shipped is not None
    assert desk is writing.desk()
    orders = [shipped.order(method) for method in pretrained.METHODS]
    for progress in desk.ask("test", orders):
        assert progress.done
        assert progress.written == shipped.texts[progress.order.model][0]
        assert progress.problem == shipped.ends.get(progress.order.model, "")
    missing = Order("0123456789abcdef", b"x", length=5)
    desk.ask("test", [missing])
    if (thread := desk._thread) is not None:
        thread.join(60)
    assert desk.ask("test", [missing])[0].problem == "This model is not here, or its training has not finished."
    desk.leave("test")
