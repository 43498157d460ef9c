"""What sentences say of measured losses: their words come from the one rule, and a number stands with its protocol.

`tests/lm/test_facts.py` holds the numbers against the records; here are the words.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from alibi_viz import APP_FOLDER
from alibi_viz.lessons.languages import parse
from alibi_viz.results import table

LESSONS = ("story", "extrapolation", "early_token_curse", "why", "compare", "heirs", "train", "write", "playground")
MEASURED = re.compile(r"perplexity|\bloss|one rule|:\.2f}")
#: Words of a difference that no interval stands behind.
VAGUE = re.compile(
    r"\b(almost|nearly|slightly|hardly|barely|roughly|marginally|practically|virtually|clearly|considerably|somewhat"
    r"|about as|as good as|a (little|bit) (better|worse|higher|lower)|much (better|worse|higher|lower)"
    r"|(keeps?|holds?) (its|their|the) level)\b",
    re.IGNORECASE,
)
#: Not of a loss: FIRE's threshold is a number of bytes.
OTHERWISE = {("extrapolation", "table"): "almost L. So almost no query of training used it"}


def sections(lesson: str) -> dict[str, str]:
    text = Path(APP_FOLDER, "pages", lesson, "text.md").read_text(encoding="utf-8")
    return {name: body for name, (body, _) in parse(text).items()}


def vague_words(lesson: str, name: str, body: str) -> list[str]:
    body = body.replace(OTHERWISE.get((lesson, name), "\0"), "")
    lines = body.splitlines() if name in ("picture", "labels", "try", "help", "chart", "verdict") else [body]
    return [found[0] for line in lines if MEASURED.search(line) for found in VAGUE.finditer(line)]


@pytest.mark.parametrize("lesson", LESSONS)
def test_no_sentence_has_a_word_of_its_own_for_a_difference_of_losses(lesson):
    """“The same”, “better”, “worse”, “breaks” and “not told apart here” are the rule's (`results.comparison`)."""
    found = {name: words for name, body in sections(lesson).items() if (words := vague_words(lesson, name, body))}
    assert found == {}


def test_a_planted_almost_is_found():
    planted = "ALiBi keeps its level, T5 almost. ([Sliding windows](glossary#sliding), perplexity of {seeds} seeds.)"
    assert vague_words("story", "guess.after", planted) == ["keeps its level", "almost"]


#: A sentence (a section, or a line of a table) and the part of the records that its numbers come from.
ORIGINS = {
    ("story", "guess.text"): "sliding",
    ("story", "guess.after"): "sliding",
    ("story", "picture", "near"): "near_keys",
    ("story", "end.after"): "contexts",
    ("story", "end.holds"): "sliding",
    ("story", "end.uses"): "contexts",
    ("story", "picture", "all"): "near_keys",
    ("story", "picture", "curtained"): "contexts",
    ("early_token_curse", "pair"): "sliding",
    ("early_token_curse", "context"): "contexts",
    ("why", "hidden"): "windows",
    ("why", "keys"): "windows",
    ("why", "stretched"): "longer",
}
FULL = 65_949  # predictions: every byte of the held-out text but the first
FEWEST = 16_384  # in a measurement that stands beside one of FULL


def problem_with(sentence: str, part: str) -> str:
    """What a sentence says otherwise than the records of this part: how many seeds, how many predictions."""
    runs = table.measurements(part).dropna(subset="loss")
    seeds = runs.seed.nunique()
    if seeds == 1 and ("first seed" not in sentence.lower() or re.search(r"mean of (the|\{)", sentence.lower())):
        return "one seed, and it does not say so"
    if seeds > 1 and "{seeds}" not in sentence:
        return "the mean of several seeds, and it does not say of how many"
    predictions = int(runs.predictions.min()) if "predictions" in runs else FULL
    if predictions < FULL and "{predictions" not in sentence:
        return "fewer predictions than elsewhere, and it does not say how many"
    return f"{predictions} predictions beside {FULL}" if predictions < FEWEST else ""


@pytest.mark.parametrize("place", ORIGINS, ids=".".join)
def test_a_measured_number_stands_with_its_seeds_and_predictions(place):
    lesson, section, *entry = place
    body = sections(lesson)[section]
    sentence = next(line for line in body.splitlines() if line.startswith(f"- {entry[0]}:")) if entry else body
    assert problem_with(sentence, ORIGINS[place]) == ""


@pytest.mark.parametrize(
    ("sentence", "part"),
    [
        ("ALiBi’s perplexity from the last {seen} bytes; from {most}: {all}. (Three seeds.)", "contexts"),
        ("ALiBi has {seen_128}, mean of the seeds, {predictions} predictions (first seed)", "contexts"),
        ("ALiBi has {seen_128} (first seed)", "contexts"),
        ("At 16 L, compared with L: {far} (first seed)", "sliding"),
    ],
)
def test_a_planted_claim_with_another_protocol_is_found(sentence, part):
    assert problem_with(sentence, part)


def test_a_planted_measure_of_few_predictions_is_found(monkeypatch):
    few = table.measurements("contexts").assign(predictions=2048)
    monkeypatch.setattr(table, "measurements", lambda part: few)
    sentence = "ALiBi has {seen_128} (first seed, {predictions} predictions)"
    assert problem_with(sentence, "contexts") == f"2048 predictions beside {FULL}"
