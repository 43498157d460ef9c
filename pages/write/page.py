"""Writing: models that differ in their position method alone write on, far beyond their training length."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from alibi_viz.charts.lines import Line, on_log_axis
from alibi_viz.lessons import Lesson, joined
from alibi_viz.lessons.languages import ENGLISH
from alibi_viz.lm.corpus import HELP_TEXTS, of_language
from alibi_viz.lm.words import CharacterCount, Count
from alibi_viz.lm.writing import HIGHEST_TEMPERATURE, LONGEST, LONGEST_PROMPT, START, check, sample
from alibi_viz.pictures.hands.message import Value
from alibi_viz.positions import title_of
from alibi_viz.results import pretrained, table, writing
from alibi_viz.results.writing import Writing
from alibi_viz.ui import address, lesson, page, texts
from alibi_viz.ui.texts import TEMPERATURE, Choices, Counts

LENGTHS = 8  # training lengths that a text has
BYTES = 3  # of a Han character or a kana
LATEX = r"$$p(\text{byte}) = \text{softmax}\left(\frac{z}{T}\right)$$"


def main() -> None:
    train_length = table.train_length()
    text, controls = lesson.begin("write", {"length": train_length}, lead)
    language, prompt = language_of_models(text), default_prompt(text)
    user_text = controls.line("write_text", prompt, longest=LONGEST_PROMPT, visible_when={"write_after": [0]})
    about = text.entry("help", "write_after", length=train_length)
    held_out = controls.slider("write_after", 0, low=0, high=LONGEST_PROMPT, help=about, advanced=True, typed=True)
    temperature = controls.slider(
        "temperature", TEMPERATURE, low=0.0, high=HIGHEST_TEMPERATURE, step=0.05, advanced=True
    )
    seed = controls.slider("write_seed", 1, low=0, high=99_999, advanced=True, typed=True)
    usual = LENGTHS * train_length - len(prompt.encode())
    length = controls.slider("write_length", usual, low=64, high=LONGEST, advanced=True, typed=True)
    titles = {method: title_of(method) for method in pretrained.METHODS_OF[language]}
    leading = [method for method in pretrained.WRITERS if method in titles]
    methods = controls.multi_choice("write_methods", titles, leading, advanced=True)
    near = controls.switch("write_near")
    controls.moved("write_at", 0, low=0, high=LONGEST_PROMPT + LONGEST)
    lesson.say_problems(text)
    choices = Choices(beginning(user_text, held_out, language) or START, temperature, seed, train_length if near else 0)
    controls.defaults = {}  # a preset leaves what it does not name
    shown = texts.show(
        texts.shipped(methods, language),
        [writer for of in writing.LANGUAGES for writer in texts.shipped(pretrained.METHODS_OF[of], of)],
        choices,
        controls.hands(presets(prompt, usual, titles, leading)),
        length=length,
        train_length=train_length,
        key="write",
        alt=lambda titles, counts: text.label("alt", methods=titles, shares=shares(text, counts)["beyond"]),
        filename=f"writing-{'near-' if near else ''}{seed}",
        reader=text.language,
        held_out=beginning("", LONGEST_PROMPT, writing.language_of("", text.language)),
    )
    is_han = language in HELP_TEXTS
    facts = {"length": train_length, **shares(text, shown.counts)}
    sentence = text.text("seen_han" if is_han else "seen", facts) if shown.counts else text.text("seen_waiting")
    real = writing.real_text(language)
    counted = text.text("counted_han" if is_han else "counted", {"real": real.share, "words": real.words})
    hidden = [text.text("near", {"length": train_length, "reach": 2 * train_length})] if near else []  # of two layers
    said = [sentence, *texts.agreement(text, shown.checks), *hidden, counted]
    if is_han or text.language != ENGLISH:
        of_characters = {"length": train_length, "characters": train_length / BYTES}
        said.append(text.text("characters_han" if is_han else "characters", of_characters))
    lesson.seen_and_formula(said, [LATEX, text.text("formula", {"temperature": temperature})])
    shipped = writing.shipped(language)
    sections = {"after": partial(after, text, shipped), "all": partial(every_method, text, shipped, is_han=is_han)}
    lesson.end(text, sections, check, sample)


def language_of_models(text: Lesson) -> str:
    """That of the beginning, which may come with a link; of held-out text it is the reader's."""
    user_text = address.text("write_text", default_prompt(text), LONGEST_PROMPT)
    held_out = address.number("write_after", 0, low=0, high=LONGEST_PROMPT)
    return writing.language_of("" if held_out else user_text, text.language)


def default_prompt(text: Lesson) -> str:
    """The beginning of the shipped texts in the reader's language."""
    return writing.shipped(writing.language_of("", text.language)).prompt.decode()


def lead(text: Lesson) -> str:
    """The section that says what the models have learned."""
    language = language_of_models(text)
    return f"lead_{language}" if language in HELP_TEXTS else "lead"


def presets(prompt: str, usual: int, methods: Iterable[str], leading: Iterable[str]) -> dict[str, dict[str, Value]]:
    """The first one leads back from the others; each begins anew."""
    usually: dict[str, Value] = {"write_after": 0, "write_length": usual, "temperature": TEMPERATURE}
    usually["write_methods"] = ",".join(leading)
    changes: dict[str, dict[str, Value]] = {
        "function": {"write_text": prompt, **usually},
        "after": {"write_after": 1024, "write_length": 512},
        "likeliest": {"temperature": 0.0},
        "all": {"write_methods": ",".join(methods)},
    }
    return {name: {"write_at": 0, **values} for name, values in changes.items()}


def beginning(user_text: str, held_out: int, language: str = "en") -> bytes:
    """The reader's own text, or about so many bytes of held-out text, which no model has learned: whole characters that end
    where the shipped long beginning does."""
    if not held_out:
        return user_text.encode()[:LONGEST_PROMPT]
    end = writing.shipped(language).long_span[1]
    return of_language(language).held_out[max(end - held_out, 0) : end].decode(errors="ignore").encode()


def shares(text: Lesson, counts: Mapping[str, Counts]) -> dict[str, str]:
    """Known words, where there are any (“ALiBi 13 of 14”): one text has few. Shares of bytes in whole characters (“ALiBi
    100%”)."""

    def of_words(count_of: Callable[[Counts], Count]) -> str:
        found = {title: count_of(each) for title, each in counts.items()}
        return joined(
            f"{title} {text.entry('picture', 'of', known=count.known, all=count.words)}"
            for title, count in found.items()
            if count.words
        )

    def of_characters(count_of: Callable[[Counts], CharacterCount]) -> str:
        found = ((title, count_of(each).share) for title, each in counts.items())
        return joined(f"{title} {share:.0%}" for title, share in found if share is not None)

    return {
        "within": of_words(lambda each: each.words[0]),
        "beyond": of_words(lambda each: each.words[2] + each.words[3]),
        "whole_within": of_characters(lambda each: each.characters[0]),
        "whole_beyond": of_characters(lambda each: each.characters[2] + each.characters[3]),
    }


def after(text: Lesson, shipped: Writing) -> None:
    """Shares of words after so many bytes of held-out text, a line a method."""
    lines, last = [], []
    for method, counts in shipped.after.items():
        shares = [(n, count.share) for n, count in zip(shipped.contexts, counts, strict=True) if count and count.words]
        x, y = (np.array(side, dtype=np.float64) for side in zip(*shares, strict=True))
        lines.append(Line(method, title_of(method), x, y))
        last.append(f"{title_of(method)} {y[-1]:.0%}")
    facts = {
        "places": len(shipped.places),
        "new": shipped.new_bytes,
        "temperature": shipped.temperature,
        "least": min(count.words for counts in shipped.after.values() for count in counts if count),
        "shares": joined(last),
    }
    labels = text.entries("chart")
    axes = {"x": labels["context"], "y": labels["share"], "hover": joined(("%{x:,}", "%{y:.0%}"), "colon")}
    fig = on_log_axis(lines, axes, dark=page.dark(), log_y=False, ends_y=(0, 1.03))
    fig.y_axis(tickformat=".0%")
    page.chart(fig, key="after", alt=text.text("alt_after", facts), name="words-after-real-text")
    lesson.prose(text.text("after", facts))


def every_method(text: Lesson, shipped: Writing, *, is_han: bool) -> None:
    """Every method, by stretch: known words, and before them in Han characters and kana the bytes in whole characters."""
    headers, rows = text.entries("columns"), []
    for method, counts in shipped.stretches.items():
        cells = [_percent(count.share) for count in counts]
        if is_han:
            characters = [_percent(count.share) for count in shipped.characters[method]]
            cells = [f"{whole} / {known}" for whole, known in zip(characters, cells, strict=True)]
        rows.append([title_of(method), *cells, sum(count.words for count in counts)])
    table = pd.DataFrame(rows, columns=list(headers.values()))
    st.dataframe(table, hide_index=True)
    facts = {"prompt": shipped.prompt.decode().strip(), "seeds": len(shipped.seeds), "temperature": shipped.temperature}
    lesson.prose(text.text("all", facts), *([text.text("all_han")] if is_han else []))
    page.download_csv(lambda: table, name="words-by-stretch.csv", key="all_csv")


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.0%}"
