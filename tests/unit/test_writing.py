"""What models write: sampling, pieces, prompts of any bytes, the end of a table, known words, and the shipped texts."""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from alibi_viz.files import read_weights
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.corpus import python_text
from alibi_viz.lm.desk import Order
from alibi_viz.lm.model import DecoderLM
from alibi_viz.lm.training import trained_model
from alibi_viz.lm.words import Count, Word, count, known_words, stretches, whole_words
from alibi_viz.lm.writing import (
    LONGEST,
    START,
    Writer,
    draws,
    largest_miss,
    logits_along,
    sample,
)
from alibi_viz.results import pretrained, writing
from tests.cases import some
from tools import verify
from tools import writing as command

METHODS = pretrained.METHODS
L = 128
LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def tiny(method: str = "kerple", **shape: Any) -> DecoderLM:
    torch.manual_seed(0)
    model = DecoderLM(method, **{"train_length": 32, "width": 16, "layers": 2, "heads": 2} | shape)
    return model.eval().requires_grad_(False)


TINY = tiny()


def shipped() -> writing.Writing:
    file = writing.shipped()
    assert file is not None
    return file


# Sampling


def test_draws_taken_evenly_give_every_byte_its_probability():
    logits, temperature, number = torch.randn(256, generator=torch.Generator().manual_seed(1)) * 3, 0.6, 5_000
    taken = Counter(sample(logits, temperature, (index + 0.5) / number) for index in range(number))
    for byte, probability in enumerate((logits.double() / temperature).softmax(0).tolist()):
        assert abs(taken[byte] - number * probability) <= 1


@pytest.mark.parametrize("draw", [2.0**-53, 0.5, 1.0])
def test_the_most_likely_byte_at_temperature_0_and_in_the_limit(draw):
    logits = torch.randn(256, generator=torch.Generator().manual_seed(2))
    for temperature in (0, 5e-324, 1e-6):
        assert sample(logits, temperature, draw) == int(logits.argmax())


def test_a_byte_that_cannot_be_is_never_drawn():
    logits = torch.full((256,), -1e4)
    logits[[65, 66]] = 0.0
    assert {sample(logits, 2.0, draw) for draw in (2.0**-53, 0.3, 0.5, 1.0)} == {65, 66}


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
@pytest.mark.parametrize("temperature", [0, 0.7])
def test_logits_that_are_no_numbers_are_refused(value, temperature):
    logits = torch.zeros(256)
    logits[3] = value
    with pytest.raises(ValueError, match="NaN or infinite"):
        sample(logits, temperature, 0.5)


def test_draws_are_those_of_the_seed_alone():
    numbers = random.Random(1)
    assert draws(1)[:2] == [1 - numbers.random(), 1 - numbers.random()]
    assert len(draws(1)) == LONGEST
    assert draws(1) != draws(2)
    assert all(0 < draw <= 1 for draw in draws(7))


# Writing in pieces


@given(st.lists(st.integers(0, 5), max_size=6), st.binary(max_size=40), st.sampled_from([0, 0.7, 2.0]))
def test_pieces_and_length_do_not_matter(pieces, prompt, temperature):
    whole = Writer(TINY, prompt, temperature=temperature, seed=5).write(30)
    writer = Writer(TINY, prompt, temperature=temperature, seed=5)
    assert b"".join(writer.write(size) for size in pieces) == whole[: sum(pieces)] == writer.written
    again = Writer(TINY, prompt, temperature=temperature, seed=5, written=writer.written)
    again.write(30 - sum(pieces))
    assert again.written == whole, "a text that is taken up again goes on"


def test_the_seed_and_the_temperature_count():
    texts = {Writer(TINY, b"x", temperature=t, seed=s).write(30) for t, s in ((0.7, 1), (0.7, 2), (1.5, 1))}
    assert len(texts) == 3
    greedy = {Writer(TINY, b"x", temperature=0, seed=seed).write(30) for seed in (1, 2)}
    assert len(greedy) == 1, "without chance the seed is nothing"


@pytest.mark.parametrize(
    "prompt",
    ["🙂 ein Gesicht, 顔".encode(), b"\xff\xfe\x80", b"\0\0\0", b"x", b"", b"y" * 2048],
    ids=["emoji", "no UTF-8", "NUL", "one byte", "nothing", "2,048 bytes"],
)
@pytest.mark.parametrize("method", ["alibi", "rope", "none"])
def test_any_bytes_can_begin_a_text(method, prompt):
    model = command.model_of(method)
    writer = Writer(model, prompt)
    new = writer.write(8)
    assert writer.prompt == (prompt or START)
    assert (len(new), bytes(writer.text)) == (8, writer.prompt + new)
    assert largest_miss(model, prompt, new, temperature=0.7, seed=1) <= command.MISS


def test_a_prompt_that_is_too_long_is_refused():
    with pytest.raises(ValueError, match="has 2,049 bytes; at most 2,048"):
        Writer(TINY, b"x" * 2049)


def test_a_text_ends_after_the_longest():
    writer = Writer(TINY, b"x", written=b"y" * (LONGEST - 3))
    assert writer.ended == ""
    assert len(writer.write(64)) == 3
    assert writer.ended == "A text ends after 2,048 new bytes."


@pytest.mark.parametrize(("before", "left"), [(1, 127), (31, 97), (127, 1), (128, 0), (300, 0)])
def test_a_table_of_positions_ends_the_text_with_its_sentence(before, left):
    writer = Writer(command.model_of("learned"), b"a" * before)
    assert (writer.ended != "") == (left == 0)
    assert len(writer.write(200)) == left
    assert writer.ended == "Learned positions go from 0 to 127; position 128 has no vector."
    assert writer.write(5) == b""


def test_a_model_whose_keys_and_values_take_too_much_is_refused():
    with pytest.raises(ValueError, match="too large"):
        Writer(tiny(heads=16, head_dim=128, layers=9), b"x")


# With and without the cache


def differences(model: DecoderLM, text: bytes) -> tuple[float, float]:
    """Largest, with the cache and without, of a logit and of a probability."""
    cached, full = logits_along(model, text, cached=True), logits_along(model, text)
    assert cached.shape == full.shape == (len(text), 256)
    return float((cached - full).abs().max()), float((cached.softmax(-1) - full.softmax(-1)).abs().max())


@pytest.mark.parametrize("method", METHODS)
def test_with_and_without_the_cache_the_logits_agree(method):
    model, text = command.model_of(method), python_text().held_out[5000:5300]
    text = text[: model.position.max_position]
    logit, probability = differences(model, text)
    # Without positions scores are large, and float32 rounds them more coarsely: 1.7e-4 along 1,024 bytes.
    assert logit <= (4e-4 if method == "none" else 1e-4)
    assert probability <= 1e-4
    assert differences(model.double(), text)[0] <= 1e-10, "what remains above is rounding"


@pytest.mark.parametrize("method", ["alibi", "rope"])
def test_a_model_of_llama_blocks_writes_too(method):
    records = (TrainConfig.from_dict(record["config"]) for record in pretrained.load_all("blocks"))
    config = next(config for config in records if (config.method, config.heads) == (method, 8))
    path = pretrained.weights_path(method, "blocks", 8)
    model = trained_model(config, read_weights(path, config.largest_file))
    new = Writer(model, b"The function ").write(150)
    assert largest_miss(model, b"The function ", new, temperature=0.7, seed=1) <= command.MISS
    assert differences(model, new)[0] <= 1e-4


def test_in_pieces_a_long_text_has_the_same_logits(monkeypatch):
    model, text = command.model_of("t5"), python_text().held_out[:200]
    whole = logits_along(model, text)
    monkeypatch.setattr("alibi_viz.lm.evaluation.SCORES", 8 * 200 * 64)
    assert float((logits_along(model, text) - whole).abs().max()) <= 1e-4


# Words


def recounted(text: bytes, begin: int) -> list[tuple[int, int]]:
    """Where the words of three letters or more stand that are written from `begin` on and are whole: byte by byte."""
    words, start = [], None
    for at, byte in enumerate(text):
        if byte in LETTERS:
            start = at if start is None else start
        elif start is not None:
            words += [(start, at)] if at - start >= 3 and start >= begin else []
            start = None
    return words


def words_by_hand(train: bytes) -> Counter[bytes]:
    """Of three letters or more, in small letters."""
    blank = bytes(byte if byte in LETTERS else 0x20 for byte in range(256))
    return Counter(word.lower() for word in train.translate(blank).split() if len(word) >= 3)


TRAIN_COUNTS = words_by_hand(python_text().train)


def test_known_words_are_those_that_stand_three_times():
    assert known_words(b"Two two TWO; one one-one, is is is") == {b"two", b"one"}
    assert known_words(b"cab cab caba cab1cab") == {b"cab"}
    assert known_words(b"two two") == frozenset()
    assert known_words(python_text().train) == {word for word, times in TRAIN_COUNTS.items() if times >= 3}


def test_only_whole_words_that_were_written_count():
    known = frozenset({b"word", b"list"})
    text = b"A list of wo" + b"rd word, is Wor\xc3\xa9 list" + b" lis"
    words = whole_words(text, 12, known)
    assert words == (Word(15, 19, True), Word(24, 27, False), Word(30, 34, True))
    assert whole_words(text[:34], 12, known) == words[:2], "the last one may go on"
    assert whole_words(text, 10, known)[0] == Word(10, 14, True), "begun by the model itself"


@given(st.binary(max_size=60), st.integers(0, 60))
def test_words_are_those_of_a_count_byte_by_byte(text, begin):
    assert [(word.start, word.end) for word in whole_words(text, begin, frozenset())] == recounted(text, begin)


def test_a_word_across_an_edge_counts_in_neither_stretch():
    words = [Word(0, 4, True), Word(6, 9, True), Word(8, 11, False), Word(10, 13, False), Word(50, 60, True)]
    assert count(words, 0, 10) == Count(2, 2)
    assert stretches(words, 10) == (Count(2, 2), Count(0, 1), Count(0, 0), Count(1, 1))
    assert (Count(0, 0).share, Count(1, 4).share) == (None, 0.25)


# The shipped texts


def test_the_file_has_every_method_and_seed():
    file = shipped()
    assert tuple(file.texts) == tuple(file.stretches) == tuple(file.after) == METHODS
    assert (file.prompt, file.temperature, file.seeds) == (b"The function returns a list of ", 0.7, tuple(range(1, 17)))
    for method, texts in file.texts.items():
        whole = L if method == "learned" else 1024
        assert {len(file.prompt + text) for text in texts} == {whole}, method
    assert file.ends == {"learned": "Learned positions go from 0 to 127; position 128 has no vector."}
    assert len(file.long_prompt) == 1024
    assert file.long_prompt in python_text().held_out
    assert (file.contexts, file.new_bytes, len(file.places)) == ((28, 64, 128, 256, 512, 1024, 2048), 100, 24)
    assert file.order("rope", 3) == Order("rope", file.prompt, 0.7, 3, 1024 - len(file.prompt))
    assert pretrained.WRITING.stat().st_size < 300_000
    assert json.loads(pretrained.WRITING.read_bytes())["corpus"] == python_text().sha256


@pytest.mark.parametrize("method", METHODS)
def test_the_underlined_words_are_those_that_the_training_text_lacks(method):
    """Recounted by other code; and so are the shares of the shipped file."""
    file, edges = shipped(), [0, L, 2 * L, 4 * L, 10**6]
    begin, totals = len(file.prompt), [[0, 0] for _ in range(4)]
    for new in file.texts[method]:
        text = file.prompt + new
        spans = recounted(text, begin)
        lacking = [(start, end) for start, end in spans if TRAIN_COUNTS[text[start:end].lower()] < 3]
        words = whole_words(text, begin, known_words(python_text().train))
        assert [(word.start, word.end) for word in words if not word.known] == lacking
        for total, start, end in zip(totals, edges, edges[1:], strict=False):
            inside = [span for span in spans if start <= span[0] and span[1] <= end]
            total[0] += sum(span not in lacking for span in inside)
            total[1] += len(inside)
    assert totals == [[count.known, count.words] for count in file.stretches[method]]


@pytest.mark.parametrize("method", METHODS)
def test_the_shipped_weights_take_the_shipped_bytes(method):
    """Two seeds of each; `verify` looks at all."""
    file, model = shipped(), command.model_of(method)
    for seed in (1, 16):
        text = file.texts[method][file.seeds.index(seed)]
        assert largest_miss(model, file.prompt, text, temperature=file.temperature, seed=seed) <= command.MISS
        other = bytes([255]) + text[1:]
        assert largest_miss(model, file.prompt, other, temperature=file.temperature, seed=seed) > 0.1
        assert largest_miss(model, file.prompt, text, temperature=file.temperature, seed=seed + 1) > 0.1


def test_the_tables_show_who_still_writes_words():
    """What the page is about: within L all write words, and after the same held-out text two of four do not."""
    file = shipped()

    def share(counts: tuple[Count | None, ...], index: int) -> float:
        counted = counts[index]
        assert counted is not None
        assert counted.words >= 100
        assert counted.share is not None
        return counted.share

    for method in ("alibi", "t5", "rope", "sinusoidal"):
        assert share(file.stretches[method], 0) > 0.85
        assert share(file.after[method], 0) > 0.85
        goes_on = method in ("alibi", "t5")
        for counts in (file.stretches[method], file.after[method]):
            assert (share(counts, -1) > 0.85) == goes_on
            assert goes_on or share(counts, -1) < 0.3
    assert file.after["learned"][1:] == (None,) * 6
    assert file.after["learned"][0] is not None


def test_the_second_table_is_made_from_the_weights(monkeypatch):
    """One context of one method, at every place, counted by other code; `verify` makes all of it again."""
    file, model, held_out = shipped(), command.model_of("none"), python_text().held_out
    assert list(file.places) == command.places()
    known = total = 0
    for seed, place in enumerate(file.places, 1):
        prompt = held_out[place - 64 : place]
        text = prompt + Writer(model, prompt, seed=seed).write(100)
        spans = recounted(text, 64)
        total += len(spans)
        known += sum(TRAIN_COUNTS[text[start:end].lower()] >= 3 for start, end in spans)
    counted = file.after["none"][1]
    assert counted is not None
    assert known / total == pytest.approx(counted.known / counted.words, abs=command.CLOSE)


def test_verify_names_what_does_not_hold(monkeypatch):
    file = shipped()
    monkeypatch.setattr(command, "after_text", lambda model: list(file.after["alibi"]))
    assert command.problems_of("alibi") == []

    def found(**changes: Any) -> list[str]:
        changed = replace(file, **{name: getattr(file, name) | {"alibi": value} for name, value in changes.items()})
        with monkeypatch.context() as patch:
            patch.setattr(writing, "shipped", lambda: changed)
            return command.problems_of("alibi")

    texts = file.texts["alibi"]
    swapped = (texts[1], texts[0], *texts[2:])
    assert [sentence.split(":")[0] for sentence in found(texts=swapped)] == ["alibi, seed 1", "alibi, seed 2"]
    at = texts[2].index(b" the ", 500)
    spelled = (*texts[:2], texts[2][:at] + b" thq " + texts[2][at + 5 :], *texts[3:])
    assert [sentence.split(":")[0] for sentence in found(texts=spelled)] == ["alibi, seed 3", "alibi"]
    first, *rest = file.stretches["alibi"]
    assert "words" in " ".join(found(stretches=(Count(first.known - 1, first.words), *rest)))
    first, *rest = file.after["alibi"]
    assert first is not None
    assert "differs by 0.498" in " ".join(found(after=(Count(first.known - first.words // 2, first.words), *rest)))
    assert "the other none" in " ".join(found(after=(None, *rest)))
    monkeypatch.setattr(writing, "shipped", lambda: None)
    assert command.problems_of("alibi") == ["The file is missing or damaged."]


def test_verify_asks_for_the_texts_too(monkeypatch):
    monkeypatch.setattr(verify, "differing_records", lambda folder, console: {})
    monkeypatch.setattr(verify, "differing_texts", lambda console: {"writing.json": ["It does not hold."]})
    assert verify.main() == 1
    monkeypatch.setattr(verify, "differing_texts", lambda console: {})
    assert verify.main() == 0


def damaged(**changes: Any) -> str:
    return json.dumps(json.loads(pretrained.WRITING.read_bytes()) | changes)


@pytest.mark.parametrize(
    "content",
    [
        None,
        "",
        "{",
        "[]",
        "{}",
        lambda: damaged(stretches={method: [{"known": 2, "words": 1}] * 4 for method in METHODS}),
        lambda: damaged(stretches={"guess": [{"known": 1, "words": 2}] * 4}),
        lambda: damaged(seeds=[1, 2]),
        lambda: damaged(texts={method: ["x" * 5000] * 16 for method in METHODS}),
        lambda: damaged(temperature="0.7"),
        lambda: damaged(long_span=[5, 5]),
        lambda: damaged(prompt="x" * 1_000_000),
        lambda: damaged(texts={method: ["\u20ac"] * 16 for method in METHODS}),
    ],
)
def test_a_damaged_file_counts_as_not_there(content, tmp_path: Path, monkeypatch):
    path = tmp_path / "writing.json"
    if content is not None:
        path.write_text(content if isinstance(content, str) else content())
    monkeypatch.setattr(pretrained, "WRITING", path)
    assert writing.shipped() is None
    order = Order("alibi", b"The function returns a list of ", length=5)
    assert writing._shipped_text(order) == (b"", "")


@pytest.mark.parametrize(
    "change", [{"model": "0123456789abcdef"}, {"prompt": b"Another"}, {"temperature": 0.8}, {"seed": 17}]
)
def test_another_order_is_not_taken_for_a_shipped_one(change):
    order = shipped().order("alibi", 2)
    assert writing._shipped_text(order) == (shipped().texts["alibi"][1], "")
    assert writing._shipped_text(replace(order, **change)) == (b"", "")


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_with_and_without_the_cache_the_shipped_text_has_the_same_logits(method):
    file = shipped()
    logit, probability = differences(command.model_of(method), file.prompt + file.texts[method][0])
    assert logit <= (4e-4 if method == "none" else 1e-4)
    assert probability <= 1e-4


@pytest.mark.parametrize("method", some(METHODS, "alibi", "rope"))
def test_the_command_writes_the_shipped_bytes_again(method):
    """On another machine a draw may tip over; here and now the first bytes of a text are the same."""
    file = shipped()
    new = Writer(command.model_of(method), file.prompt).write(90)
    same = next((at for at, pair in enumerate(zip(new, file.texts[method][0], strict=False)) if len(set(pair)) > 1), 90)
    assert same >= 60
