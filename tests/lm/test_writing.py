"""What models write: sampling, pieces, prompts of any bytes, the end of a table, known words, and the shipped texts."""

from collections import Counter

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from alibi_viz.lm.corpus import HELP_TEXTS, python_text
from alibi_viz.lm.words import characters, count_characters, in_han_or_kana, known_words, whole_words
from alibi_viz.lm.writing import START, Writer, check, sample
from alibi_viz.results import pretrained, trained, writing
from tests.lm.tiny import tiny
from tools import writing as command

METHODS = pretrained.METHODS
L = 128
LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


TINY = tiny("kerple", 32)


def test_draws_taken_evenly_give_every_byte_its_probability():
    logits, temperature, number = torch.randn(256, generator=torch.Generator().manual_seed(1)) * 3, 0.6, 5_000
    taken = Counter(sample(logits, temperature, (index + 0.5) / number) for index in range(number))
    for byte, probability in enumerate((logits.double() / temperature).softmax(0).tolist()):
        assert abs(taken[byte] - number * probability) <= 1


@pytest.mark.parametrize("draw", [2.0**-53, 0.5, 1.0])
def test_the_most_likely_byte_at_temperature_0_and_in_the_limit_and_never_one_that_cannot_be(draw):
    logits = torch.randn(256, generator=torch.Generator().manual_seed(2))
    for temperature in (0, 5e-324, 1e-6):
        assert sample(logits, temperature, draw) == int(logits.argmax())
    logits = torch.full((256,), -1e4)
    logits[[65, 66]] = 0.0
    assert sample(logits, 2.0, draw) in (65, 66)


@given(st.lists(st.integers(0, 5), max_size=6), st.binary(max_size=40), st.sampled_from([0, 0.7, 2.0]))
def test_pieces_and_length_do_not_matter(pieces, prompt, temperature):
    whole = Writer(TINY, prompt, temperature=temperature, seed=5).write(30)
    writer = Writer(TINY, prompt, temperature=temperature, seed=5)
    assert b"".join(writer.write(size) for size in pieces) == whole[: sum(pieces)] == writer.written
    again = Writer(TINY, prompt, temperature=temperature, seed=5, written=writer.written)
    again.write(30 - sum(pieces))
    assert again.written == whole, "a text that is taken up again goes on"


@pytest.mark.parametrize(
    "prompt",
    ["🙂 ein Gesicht, 顔".encode(), b"\xff\xfe\x80", b"\0\0\0", b"x", b"", b"y" * 2048],
    ids=["emoji", "no UTF-8", "NUL", "one byte", "nothing", "2,048 bytes"],
)
@pytest.mark.parametrize("method", ["alibi", "rope", "none"])
def test_any_bytes_can_begin_a_text(method, prompt):
    model = trained.shipped(method)
    writer = Writer(model, prompt)
    new = writer.write(8)
    assert writer.prompt == (prompt or START)
    assert (len(new), bytes(writer.text)) == (8, writer.prompt + new)
    assert check(model, prompt, new, temperature=0.7, seed=1).farthest <= command.MISS


@pytest.mark.parametrize(("before", "left"), [(1, 127), (31, 97), (127, 1), (128, 0), (300, 0)])
def test_a_table_of_positions_ends_the_text_with_its_sentence(before, left):
    writer = Writer(trained.shipped("learned"), b"a" * before)
    assert (writer.ended is not None) == (left == 0)
    assert len(writer.write(200)) == left
    assert str(writer.ended) == "Learned positions go from 0 to 127; position 128 has no vector."
    assert writer.write(5) == b""


def test_what_is_too_large_is_refused():
    with pytest.raises(ValueError, match="too large"):
        Writer(tiny("kerple", heads=16, head_dim=128, layers=9), b"x")


@given(st.binary(max_size=20), st.sampled_from([0, 0.7, 2.0]), st.integers(0, 39), st.integers(1, 255))
def test_a_check_agrees_with_what_the_model_writes_and_finds_any_other_byte(prompt, temperature, at, other):
    """The bytes after it are drawn as the text stands, so that one byte that is wrong is one."""
    new = Writer(TINY, prompt, temperature=temperature, seed=5).write(40)
    assert check(TINY, prompt, new, temperature=temperature, seed=5).agrees
    wrong = bytearray(new)
    wrong[at] = (wrong[at] + other) % 256
    found = check(TINY, prompt, bytes(wrong[: at + 1]), temperature=temperature, seed=5)
    assert (found.written, found.others) == (at + 1, 1)
    assert found.farthest > 0
    assert found.first in (None, len(prompt or START) + at)
    assert found.agrees == (found.farthest <= 1e-3)


def recounted(text, begin):
    """Where the words of three letters or more stand that are written from `begin` on and are whole: byte by byte."""
    words, start = [], None
    for at, byte in enumerate(text):
        if byte in LETTERS:
            start = at if start is None else start
        elif start is not None:
            words += [(start, at)] if at - start >= 3 and start >= begin else []
            start = None
    return words


def words_by_hand(train):
    """Of three letters or more, in small letters."""
    blank = bytes(byte if byte in LETTERS else 0x20 for byte in range(256))
    return Counter(word.lower() for word in train.translate(blank).split() if len(word) >= 3)


TRAIN_COUNTS = words_by_hand(python_text().train)


def test_known_words_are_those_that_stand_three_times():
    assert known_words(b"Two two TWO; one one-one, is is is cab cab caba") == {b"two", b"one"}
    assert known_words(python_text().train) == {word for word, times in TRAIN_COUNTS.items() if times >= 3}


def test_the_share_of_known_words_in_real_text_is_the_ceiling():
    """By other code: of the held-out text's words nearly all are known, but not all."""
    words = words_by_hand(python_text().held_out)
    known = sum(times for word, times in words.items() if TRAIN_COUNTS[word] >= 3)
    real = writing.real_text()
    assert (real.known, real.words) == (known, words.total())
    assert 0.95 < real.share < 0.96


def test_words_of_han_and_kana_are_those_of_the_dictionary_and_a_character_alone_is_none():
    text = "猫追老鼠，abc ネズミを".encode() + b"\xe8\x80" + "老鼠".encode() + b"\xe9"
    assert [text[start:end].decode() for start, end in in_han_or_kana(text)] == ["老鼠", "ネズミ", "老鼠"]
    known = known_words("老鼠、老鼠、老鼠、注意、注意。".encode(), in_han_or_kana)
    assert known == {"老鼠".encode()}
    words = whole_words("注意老鼠。".encode() + b"\xe9", 0, known, in_han_or_kana)
    assert [(word.start, word.end, word.known) for word in words] == [(0, 6, False), (6, 12, True)]
    assert not whole_words("注意".encode(), 0, known, in_han_or_kana), "cut by the end of the text"
    clicks = "データ をクリック".encode()
    for cut in range(len("クリック".encode())):
        written = whole_words(clicks[: len(clicks) - cut], 0, known, in_han_or_kana)
        assert [word.end for word in written] == [len("データ".encode())], (
            "the end is inside a word, or inside a character"
        )
    assert [word.start for word in whole_words("注意老鼠。".encode(), 3, known, in_han_or_kana)] == [6]


def test_bytes_that_are_no_character_are_counted_one_by_one_and_a_cut_one_waits():
    text = b"a" + "字".encode() + b"\xe5\xad" + "é".encode() + b"\x80" + "😀".encode() + b"\xe5\xad"
    assert characters(text).tolist() == [1, 3, 0, 0, 255, 255, 2, 0, 255, 4, 0, 0, 0, 3, 0]
    whole = count_characters(characters(text), 0, len(text))
    assert (whole.whole, whole.bytes) == (10, 13), "the two last bytes may still become one"
    across = count_characters(characters(text), 0, 2)
    assert (across.whole, across.bytes) == (1, 1), "a character across an edge is on neither side"
    assert characters(b"").tolist() == []


@given(st.binary(max_size=60))
def test_whole_characters_of_any_bytes_are_what_python_decodes(text):
    """Its size where a character begins, 0 within it; 255 for each byte that no character has."""
    sizes = []
    for letter in (text + b"\n").decode(errors="surrogateescape"):
        is_broken = "\udc80" <= letter <= "\udcff"
        sizes += [255] if is_broken else [len(letter.encode()), *[0] * (len(letter.encode()) - 1)]
    assert characters(text + b"\n").tolist() == sizes


@pytest.mark.parametrize("language", [language for language in writing.LANGUAGES if language in HELP_TEXTS])
def test_a_model_that_breaks_breaks_the_characters_first(language):
    """What the page and the story say: within L all write whole characters; beyond 2 L RoPE writes few, and with the far
    keys hidden it writes them again. ALiBi writes on."""
    file = writing.shipped(language)

    def share(counts):
        total = counts[2] + counts[3]
        assert total.share is not None
        return total.share

    for method, whole in file.characters.items():
        assert whole[0].share > 0.95, method
    assert share(file.characters["alibi"]) > 0.97
    assert share(file.stretches["alibi"]) > 0.8
    assert share(file.characters["rope"]) < 0.9
    assert share(file.near_characters["rope"]) > 0.97


@pytest.mark.parametrize("method", METHODS)
def test_the_underlined_words_are_those_that_the_training_text_lacks(method):
    """Recounted by other code; and so are the shares of the shipped file."""
    file, edges = writing.shipped(), [0, L, 2 * L, 4 * L, 10**6]
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


def test_the_tables_show_who_still_writes_words():
    """What the page is about: within L all write words, and after the same held-out text two of four do not."""
    file = writing.shipped()
    for method in ("alibi", "t5", "rope", "sinusoidal"):
        for counts in (file.stretches[method], file.after[method]):
            assert min(counts[0].words, counts[-1].words) >= 100
            assert counts[0].share > 0.85
            assert counts[-1].share > 0.85 if method in ("alibi", "t5") else counts[-1].share < 0.3
    assert file.after["learned"][0] is not None
    assert file.after["learned"][1:] == (None,) * 6


def test_other_choices_are_not_taken_for_shipped_ones():
    file = writing.shipped()
    choices = {"model": "alibi", "prompt": file.prompt, "temperature": file.temperature, "seed": 2, "window": 0}
    assert writing.shipped_text(**choices) == file.texts["alibi"][1]
    assert writing.shipped_text(**choices | {"window": file.window}) == file.near_texts["alibi"][1]
    others = {"model": "0123456789abcdef", "prompt": b"Another", "temperature": 0.8, "seed": 17, "window": 64}
    for name, other in others.items():
        assert writing.shipped_text(**choices | {name: other}) == b"", name
