"""Sentences: numbers are put in or missed, terms explain themselves, and a measured number stands with its protocol.

`tests/lm/test_facts.py` holds the numbers against the records; here are the words."""

import html
import re
from pathlib import Path

import pytest

from alibi_viz import APP_FOLDER
from alibi_viz.lessons import fill, linked, load, path, plain
from alibi_viz.lessons.languages import LANGUAGES, parse
from alibi_viz.results import table
from pages.story.page import STEPS

PAGES = ["shared", *sorted({file.parent.name for file in (APP_FOLDER / "pages").glob("*/text.md")})]


def test_a_missing_section_or_number_is_an_error():
    with pytest.raises(KeyError, match="no section"):
        load("shared").text("nothing")
    assert fill("{share:.0%} of {bytes:,}", {"share": 0.123, "bytes": 4096}) == "12% of 4,096"
    assert fill("{z.real:.1f} and {z.imag:.1f}", {"z": 1 - 2j}) == "1.0 and −2.0"
    for unknown in ("{x} of {y}", "{z.part}", "{real.z}", "{x", "{ x }"):
        with pytest.raises(KeyError, match="no number"):
            fill(unknown, {"z": 1 - 2j, "x": 1})


def test_a_term_links_to_its_meaning_and_has_it_at_hand():
    glossary = load("glossary").entries("terms")
    assert list(load("glossary").entries("names")) == list(glossary)
    for term, meaning in glossary.items():
        link = linked(f"[words](glossary#{term.replace('_', '-')})", "en")
        assert plain(link) == "words", "a meaning does not end its link"
        assert plain(meaning) in html.unescape(link)
    for name in PAGES:
        terms = re.findall(r"\]\(glossary#([\w-]+)\)", path(name).read_text(encoding="utf-8"))
        assert {term.replace("-", "_") for term in terms} <= glossary.keys(), name


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", [name for name in PAGES if name not in ("shared", "glossary", "lesson")])
def test_a_term_of_the_first_screen_is_a_link_once_and_has_a_card(name, language):
    """Its lead; in the story the steps. A translation has the links of its English (test_languages.py)."""
    book, english = load(name, language), load(name, "en").sections
    sections = [f"{step}.text" for step in STEPS] if name == "story" else ["lead"]
    links = re.findall(
        r"\]\(glossary#([\w-]+) \"([^\"]+)\"\)", " ".join(linked(book.sections[key], language) for key in sections)
    )
    assert all(len(meaning) > 20 for _, meaning in links)
    linked_terms = [term.replace("-", "_") for term, _ in links]
    assert len(linked_terms) == len(set(linked_terms))
    text = re.sub(r"\[[^\]]+\]\([^)]*\)|\{[^}]*\}", "", " ".join(english[key] for key in sections))
    for term, names in load("glossary", "en").entries("names").items():
        words = "|".join(re.escape(word.removesuffix(" L")) for word in names.split(", "))
        assert term in linked_terms or not re.search(rf"\b({words})s?\b", text, re.IGNORECASE), term


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


@pytest.mark.parametrize("place", ORIGINS, ids=".".join)
def test_a_measured_number_stands_with_its_seeds_and_predictions(place):
    (lesson, section, *entry), part = place, ORIGINS[place]
    body = sections(lesson)[section]
    sentence = next(line for line in body.splitlines() if line.startswith(f"- {entry[0]}:")) if entry else body
    tables = {"readings": table.readings, "penalties": table.penalties}
    runs = tables[part]() if part in tables else table.measurements(part).dropna(subset="loss")
    if runs.seed.nunique() > 1:
        assert "{seeds}" in sentence, "the mean of several seeds, and it does not say of how many"
    else:
        assert "first seed" in sentence.lower(), "one seed, and it does not say so"
        assert not re.search(r"mean of (the|\{)", sentence.lower()), "it is the mean of nothing"
    predictions = int(runs.predictions.min()) if "predictions" in runs else FULL
    assert predictions == FULL or "{predictions" in sentence, "fewer than elsewhere, and it does not say how many"
    assert predictions >= FEWEST
