"""The recall task: what stands in its sequences, and that its measures tell recall from cheap imitations of it."""

from types import SimpleNamespace
from typing import Any, cast

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st

from alibi_viz.lm import evaluation
from alibi_viz.lm.evaluation import recall
from alibi_viz.lm.model import DecoderLM
from alibi_viz.lm.recall import IGNORED, farthest, recall_batch, recall_questions, sequence_length, shortest
from alibi_viz.positions import build
from tests.cases import some
from tests.lm.tiny import tiny


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def pairs_of(text: str) -> list[tuple[int, str, str]]:
    """(place, key, digit) of every pair, in order."""
    return [(i, text[i], text[i + 1]) for i in range(len(text) - 1) if text[i].isupper() and text[i + 1].isdigit()]


def read(row: torch.Tensor) -> str:
    return bytes(row.tolist()).decode()


@given(st.integers(2, 8), st.integers(0, 40), st.integers(0, 60), st.integers(0, 5), st.booleans())
def test_training_sequences_are_what_they_say(pairs: int, more: int, distance: int, seed: int, first: bool) -> None:
    length = shortest(pairs) + more
    inputs, targets = recall_batch(8, length, pairs, generator(seed), distance=distance, pairs_first=first)
    assert inputs.shape == targets.shape == (8, length)
    for row, answers in zip(inputs, targets.tolist(), strict=True):
        text = read(row)
        there = pairs_of(text)
        keys, digits = ([pair[part] for pair in there] for part in (1, 2))
        span = max(distance, 2) + 1 if 0 < distance < length else length
        assert len(there) == min(pairs, (span - 1) // 2)
        assert len(set(keys)) == len(set(digits)) == len(there)
        questions = [place for place, answer in enumerate(answers) if answer != IGNORED]
        assert questions
        assert sum(letter.isupper() for letter in text) == len(there) + len(questions)
        assert not first or max(pair[0] for pair in there) < questions[0]
        for place in questions:
            ((at, _, digit),) = [pair for pair in there if pair[1] == text[place]]
            assert ord(digit) == answers[place]
            assert 2 <= place - at <= max(distance or length - 1, 2)


@given(st.integers(2, 8), st.integers(2, 80), st.integers(0, 20), st.integers(0, 5))
def test_a_question_is_asked_at_its_distance(pairs: int, distance: int, more: int, seed: int) -> None:
    length = sequence_length(distance, pairs) + more
    assert farthest(length, pairs) == distance + more
    asked = recall_questions(8, distance, pairs, generator(seed), length=length)
    assert asked.text.shape == (8, length)
    for n, row in enumerate(asked.text):
        text = read(row)
        there = pairs_of(text)
        assert len(there) == len({pair[1] for pair in there}) == len({pair[2] for pair in there}) == pairs
        assert sum(letter.isupper() for letter in text) == pairs + 1
        assert there[[pair[1] for pair in there].index(text[-1])][0] == length - 1 - distance
        digit = {pair[1]: ord(pair[2]) for pair in there}
        assert digit[text[-1]] == asked.digits[n, 0]
        assert digit[chr(asked.other[n])] == asked.digits[n, 1]
        assert ord(there[-1][2]) == asked.digits[n, asked.nearest[n]]
        assert sorted(digit.values()) == sorted(asked.digits[n].tolist())


class Rule:
    """A “model” that keeps what it read in the cache and answers by a rule of its own."""

    def __init__(self, name: str) -> None:
        self.name, self.blocks = name, [None]
        self.position = build("none", heads=1, head_dim=2)
        self.embedding = SimpleNamespace(weight=torch.zeros(1))

    def __call__(self, tokens: torch.Tensor, *, caches: list[Any]) -> torch.Tensor:
        (cache,) = caches
        rows = tokens[:, None, :, None]
        seen = cache.append(rows, rows, torch.arange(len(cache), len(cache) + tokens.shape[1]))[0][:, 0, :, 0]
        answers = torch.tensor([ord(self.answer(read(row))) for row in seen])
        return F.one_hot(answers, 256)[:, None].expand(-1, tokens.shape[1], -1)

    def read(self, tokens: torch.Tensor, caches: list[Any]) -> None:
        self(tokens, caches=caches)

    def answer(self, text: str) -> str:
        digits = {key: digit for _, key, digit in pairs_of(text)}
        if not digits:
            return "?"
        nearest, first = list(digits.values())[-1], next(iter(digits.values()))
        return {"recalls": digits.get(text[-1], "?"), "nearest digit": nearest, "first digit": first}[self.name]


def ask(name: str, distance: int, pairs: int, **options: int) -> dict[str, Any]:
    return recall(cast(DecoderLM, Rule(name)), distance, pairs, **options)


@pytest.mark.parametrize(("distance", "pairs"), [(2, 4), (8, 2), (63, 8), (200, 4)])
def test_perfect_recall_is_measured_as_perfect(distance: int, pairs: int) -> None:
    result = ask("recalls", distance, pairs, length=64, rows=100)
    nearest = None if distance == 2 else 0.0  # two bytes back, the asked pair is the nearest
    assert list(result.values()) == [distance, pairs, 100, 1.0, 0.0, nearest]


@pytest.mark.parametrize("pairs", some([2, 4, 8], 2))
def test_naming_a_digit_without_reading_the_key_is_not_taken_for_recall(pairs: int) -> None:
    """Both rules are always right where a sequence has one pair, as in the first form of the task."""
    for distance in (121 - 2 * pairs, *([2041] if pairs == 4 else [])):
        first, nearest = (ask(f"{which} digit", distance, pairs, rows=1000) for which in ("first", "nearest"))
        shares = [share for answers in (first, nearest) for share in (answers["accuracy"], answers["wrong_key"])]
        assert shares == pytest.approx([1 / pairs] * 4, abs=0.05)
        assert (first["nearest"], nearest["nearest"]) == (0.0, 1.0)
    short = ask("nearest digit", 2, pairs, length=64)
    assert list(short.values())[-3:] == [1.0, 1.0, None], "two bytes back, only the control tells"


@pytest.mark.parametrize("method", ["alibi", "rope", "t5", "sinusoidal"])
def test_answers_read_from_the_cache_are_those_of_the_whole_sequence(method, monkeypatch):
    model = tiny(method, 32)
    asked = recall_questions(64, 27, 3, generator())
    before, keys = asked.text[:, :-1], torch.stack((asked.text[:, -1], asked.other), dim=1)
    with torch.inference_mode():
        whole = [model(torch.cat((before, key[:, None]), dim=1))[:, -1].argmax(-1) for key in keys.unbind(1)]
        for tokens, scores in ((8192, 2**24), (40, 2 * 32 * 4)):  # at once; in small batches and pieces
            monkeypatch.setattr(evaluation, "TOKENS", tokens)
            monkeypatch.setattr(evaluation, "SCORES", scores)
            assert torch.equal(evaluation._answers(model, before, keys), torch.stack(whole, dim=1))
    assert not torch.equal(*whole)


def test_learned_positions_beyond_their_table_answer_nothing():
    result = recall(tiny("learned", 16), 16, 2, length=16)
    assert (result["length"], result["pairs"]) == (16, 2)
    assert "no vector" in result["missing"]
