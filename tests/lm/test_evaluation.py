"""Evaluation: equal to a plain loop, every prediction once, both protocols, any length, bounded pieces; and the recall
task: what stands in its sequences, and that its measures tell recall from cheap imitations of it.
"""

import math
import random
from statistics import fmean
from types import SimpleNamespace
from typing import cast

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st

from alibi_viz.lm import evaluation
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.evaluation import evaluate, recall
from alibi_viz.lm.model import DecoderLM
from alibi_viz.lm.recall import IGNORED, farthest, recall_batch, recall_questions, sequence_length, shortest
from alibi_viz.positions import build
from tests.cases import some
from tests.lm.tiny import tiny
from tools import measures

TEXT = bytes(random.Random(0).choices(range(256), k=101))  # 100 predictions


def plain_loop(model, text, length, stride):
    """(place in its window, loss) of every prediction, one at a time, each from the window that first reaches it."""
    losses = []
    for target in range(1, len(text)):
        begin = 0
        while begin + length < target:
            begin += stride
        scores = model(torch.tensor([list(text[begin:target])]))[0, -1]
        losses.append((target - begin - 1, -float(scores.log_softmax(-1)[text[target]])))
    return losses


@pytest.mark.parametrize("method", ["alibi", "sinusoidal", "learned"])
@torch.inference_mode()
def test_a_cut_context_is_all_that_a_prediction_sees(method, monkeypatch):
    """The same predictions from each context, one at a time."""
    monkeypatch.setattr(measures, "CONTEXTS", (1, 5, 32))
    monkeypatch.setattr(measures, "PREDICTIONS", 10)
    model = tiny(method, 32)
    targets = [int(32 + index * (100 - 32) / 9) for index in range(10)]
    for entry in measures.contexts(model, TrainConfig(method), TEXT):
        context, loss = entry["context"], entry["loss"]
        losses = []
        for target in targets:
            scores = model(torch.tensor([list(TEXT[target - context : target])]))[0, -1]
            losses.append(-float(scores.log_softmax(-1)[TEXT[target]]))
        assert loss == pytest.approx(sum(losses) / 10, abs=1e-3)


@pytest.mark.parametrize("method", ["alibi", "rope", "t5", "learned"])
@pytest.mark.parametrize(("length", "stride"), [(16, 16), (16, 5), (30, 1), (100, 100), (64, 32), (7, 7)])
@torch.inference_mode()
def test_it_equals_a_plain_loop_in_all_and_at_every_place_of_a_window(method, length, stride):
    model = tiny(method, 200)
    losses = plain_loop(model, TEXT, length, stride)
    result = evaluate(model, TEXT, length, stride)
    assert result["loss"] == pytest.approx(fmean(loss for _, loss in losses), abs=1e-5)
    assert result["perplexity"] == pytest.approx(math.exp(result["loss"]))
    assert result["predictions"] == 100
    for place, mean in enumerate(result["by_position"]):
        here = [loss for at, loss in losses if at == place]
        assert mean == (pytest.approx(fmean(here), abs=1e-4) if here else None)


@pytest.mark.parametrize("method", ["alibi", "t5", "sinusoidal"])
def test_small_pieces_give_the_same(method, monkeypatch):
    whole = evaluate(tiny(method, 200), TEXT, 64, 16)
    monkeypatch.setattr(evaluation, "TOKENS", 20)
    monkeypatch.setattr(evaluation, "SCORES", 64 * 2 * 7)
    pieces = evaluate(tiny(method, 200), TEXT, 64, 16)
    assert pieces["loss"] == pytest.approx(whole["loss"], abs=1e-5)
    assert pieces["by_position"] == pytest.approx(whole["by_position"], abs=2e-4)


def test_what_cannot_be_measured_is_missing_with_a_reason():
    beyond, short = evaluate(tiny("learned", 32), TEXT, 33), evaluate(tiny("alibi", 200), TEXT, 101)
    for missing, words in ((beyond, "position 32 has no vector"), (short, "shorter than one window")):
        assert words in missing["missing"]
    assert "missing" not in evaluate(tiny("learned", 32), TEXT, 32)
    for stride in (0, 17, 2.5, True):
        with pytest.raises(ValueError, match="stride"):
            evaluate(tiny("alibi", 200), TEXT, 16, stride)


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


def pairs_of(text):
    """(place, key, digit) of every pair, in order."""
    return [(i, text[i], text[i + 1]) for i in range(len(text) - 1) if text[i].isupper() and text[i + 1].isdigit()]


def read(row):
    return bytes(row.tolist()).decode()


@given(st.integers(2, 8), st.integers(0, 40), st.integers(0, 60), st.integers(0, 5), st.booleans())
def test_training_sequences_are_what_they_say(pairs, more, distance, seed, first):
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
def test_a_question_is_asked_at_its_distance(pairs, distance, more, seed):
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

    def __init__(self, name):
        self.name, self.blocks = name, [None]
        self.position = build("none", heads=1, head_dim=2)
        self.embedding = SimpleNamespace(weight=torch.zeros(1))

    def __call__(self, tokens, *, caches):
        (cache,) = caches
        rows = tokens[:, None, :, None]
        seen = cache.append(rows, rows, torch.arange(len(cache), len(cache) + tokens.shape[1]))[0][:, 0, :, 0]
        answers = torch.tensor([ord(self.answer(read(row))) for row in seen])
        return F.one_hot(answers, 256)[:, None].expand(-1, tokens.shape[1], -1)

    def read(self, tokens, caches):
        self(tokens, caches=caches)

    def answer(self, text):
        digits = {key: digit for _, key, digit in pairs_of(text)}
        if not digits:
            return "?"
        nearest, first = list(digits.values())[-1], next(iter(digits.values()))
        return {"recalls": digits.get(text[-1], "?"), "nearest digit": nearest, "first digit": first}[self.name]


def ask(name, distance, pairs, **options):
    return recall(cast(DecoderLM, Rule(name)), distance, pairs, **options)


@pytest.mark.parametrize(("distance", "pairs"), [(2, 4), (8, 2), (63, 8), (200, 4)])
def test_perfect_recall_is_measured_as_perfect(distance, pairs):
    result = ask("recalls", distance, pairs, length=64, rows=100)
    nearest = None if distance == 2 else 0.0  # two bytes back, the asked pair is the nearest
    assert list(result.values()) == [distance, pairs, 100, 1.0, 0.0, nearest]


@pytest.mark.parametrize("pairs", some([2, 4, 8], 2))
def test_naming_a_digit_without_reading_the_key_is_not_taken_for_recall(pairs):
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
