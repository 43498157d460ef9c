"""What sentences say of measured losses: their words come from the one rule, and a number stands with its protocol.

`tests/lm/test_facts.py` holds the numbers against the records; here are the words.
"""

import re
from pathlib import Path

import pytest

from alibi_viz import APP_FOLDER
from alibi_viz.lessons.languages import parse
from alibi_viz.results import table


def sections(lesson: str) -> dict[str, str]:
    text = Path(APP_FOLDER, "pages", lesson, "text.md").read_text(encoding="utf-8")
    return {name: body for name, (body, _) in parse(text).items()}


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
    ("why", "readings"): "readings",
    ("why", "penalties"): "penalties",
    ("why", "keys"): "windows",
    ("why", "stretched"): "longer",
}
FULL = 65_949  # predictions: every byte of the held-out text but the first
FEWEST = 16_384  # in a measurement that stands beside one of FULL


def problem_with(sentence: str, part: str) -> str:
    """What a sentence says otherwise than the records of this part: how many seeds, how many predictions."""
    tables = {"readings": table.readings, "penalties": table.penalties}
    runs = tables[part]() if part in tables else table.measurements(part).dropna(subset="loss")
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
