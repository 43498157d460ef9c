"""One name a thing, on every page and in every language: two protocols, and one unit in which models are compared."""

from __future__ import annotations

import re

import pytest

from alibi_viz.lessons import load, path
from alibi_viz.lessons.languages import LANGUAGES, beside, parse
from tests.ui.test_languages import LESSONS

#: What the protocols, or a method, were called beside their names in the glossary.
OTHER_NAMES = {
    "en": ("one after the other", "separate windows", "separate ones", "RoPE, unscaled", "RoPE without scaling"),
    "zh": ("分开的窗口", "互不重叠", "RoPE，未缩放", "RoPE 未缩放"),
    "ja": ("別々のウィンドウ", "RoPEはスケーリングなし"),
}
#: Models are compared by perplexity. The word for its logarithm stands where that is the thing itself: where it is
#: explained, and where a training is watched.
LOSS = {"en": r"\bloss(es)?\b|\bnats?\b", "zh": "损失|奈特", "ja": "損失|ナット"}
ITSELF = {
    "glossary": {"names", "order", "terms"},
    "shared": {"formulas"},
    "extrapolation": {"formula"},
    "train": {"labels", "choices", "chart", "readout"},
    "use": {"chart", "alt_steps", "learned"},
    "problems": {"training"},
    "heirs": {"kinds", "chart"},  # steps, not losses, in nats
}
PER_WORD = {"en": "per word", "zh": "每词", "ja": "1単語あたり"}
PUBLISHED = {"extrapolation": ("test", "lengths_paper", "sources"), "early_token_curse": ("paper",)}


def sections(name: str, language: str) -> dict[str, str]:
    file = path(name) if language == "en" else beside(path(name), language)
    return {section: text for section, (text, _) in parse(file.read_text(encoding="utf-8")).items()}


@pytest.mark.parametrize("language", list(LANGUAGES))
def test_a_protocol_and_a_unit_have_one_name(language: str) -> None:
    for name in LESSONS:
        for section, text in sections(name, language).items():
            for other in OTHER_NAMES[language]:
                assert other.lower() not in text.lower(), f"{name}, {section}"
            if section not in ITSELF.get(name, ()):
                assert not re.search(LOSS[language], text), f"{name}, {section}: perplexity is what a reader compares"


@pytest.mark.parametrize("language", list(LANGUAGES))
def test_published_perplexities_are_labelled_per_word(language: str) -> None:
    for name, names in PUBLISHED.items():
        for section in names:
            assert PER_WORD[language] in sections(name, language)[section], f"{name}, {section}"


@pytest.mark.parametrize("language", list(LANGUAGES))
def test_what_a_class_draws_calls_its_windows_as_the_glossary_does(language: str) -> None:
    """A singular in the glossary may be a plural in a sentence."""
    term = load("glossary", language).entry("names", "sliding")
    assert term.lower() in load("shared", language).entry("predict", "draw").lower()
