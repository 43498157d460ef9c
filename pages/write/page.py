"""Writing: models that differ in their position method alone write on, far beyond their training length."""

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from alibi_viz.charts.lines import Line, on_log_axis
from alibi_viz.lessons import Lesson, joined
from alibi_viz.lessons.languages import ENGLISH
from alibi_viz.lm.corpus import python_text
from alibi_viz.lm.writing import HIGHEST_TEMPERATURE, LONGEST, LONGEST_PROMPT, Writer, sample
from alibi_viz.pictures.hands.message import Value
from alibi_viz.positions import title_of
from alibi_viz.results import pretrained, table, writing
from alibi_viz.results.writing import Writing
from alibi_viz.ui import lesson, page
from alibi_viz.ui import writing as columns
from alibi_viz.ui.control_panel import ControlPanel
from alibi_viz.ui.writing import PROMPT, TEMPERATURE

DEFAULT_METHODS = ("alibi", "rope", "t5", "sinusoidal")
LENGTH = 993  # bytes: to eight training lengths
PRESET_VALUES: dict[str, dict[str, Value]] = {
    "function": {"write_text": PROMPT},
    "after": {"write_after": 1024, "write_length": 512},
    "likeliest": {"temperature": 0.0},
    "all": {"write_methods": ",".join(pretrained.METHODS)},
}
LATEX = r"$$p(\text{byte}) = \text{softmax}\left(\frac{z}{T}\right)$$"


def main() -> None:
    train_length = table.train_length()
    text = lesson.begin("write", {"length": train_length})
    controls = ControlPanel(text)
    user_text = controls.line("write_text", PROMPT, longest=LONGEST_PROMPT, visible_when={"write_after": [0]})
    about = text.entry("help", "write_after", length=train_length)
    held_out = controls.slider("write_after", 0, low=0, high=LONGEST_PROMPT, help=about, advanced=True, typed=True)
    temperature = controls.slider(
        "temperature", TEMPERATURE, low=0.0, high=HIGHEST_TEMPERATURE, step=0.05, advanced=True
    )
    seed = controls.slider("write_seed", 1, low=0, high=99_999, advanced=True, typed=True)
    length = controls.slider("write_length", LENGTH, low=64, high=LONGEST, advanced=True, typed=True)
    titles = {method: title_of(method) for method in pretrained.METHODS}
    methods = controls.multi_choice("write_methods", titles, DEFAULT_METHODS, advanced=True)
    near = controls.switch("write_near")
    controls.moved("write_at", 0, low=0, high=LONGEST_PROMPT + LONGEST)
    lesson.say_problems(text)
    shares = columns.show(
        text,
        columns.shipped(methods),
        beginning(user_text, held_out),
        controls.hands(PRESET_VALUES),
        seed=seed,
        length=length,
        train_length=train_length,
        temperature=temperature,
        window=train_length if near else 0,
        key="write",
        alt="alt",
        name="writing-near" if near else "writing",
    )
    facts = {"length": train_length, "within": shares.within, "beyond": shares.beyond}
    sentence = text.text("seen", facts) if shares.is_done else text.text("seen_waiting")
    real = writing.real_text()
    counted = text.text("counted", {"real": real.share, "words": real.words})
    hidden = [text.text("near", {"length": train_length, "reach": 2 * train_length})] if near else []  # of two layers
    said = [sentence, *hidden, counted]
    if text.language != ENGLISH:  # the models have learned English text, byte by byte
        said.append(text.text("characters", {"length": train_length, "characters": train_length / 3}))
    lesson.seen_and_formula(said, [LATEX, text.text("formula", {"temperature": temperature})])
    shipped = writing.shipped()
    sections = {"after": partial(after, text, shipped), "all": partial(every_method, text, shipped)}
    lesson.sections(text, sections, Writer.write, sample)
    lesson.end(text)


def beginning(user_text: str, held_out: int) -> bytes:
    """The reader's own text, or so many bytes of held-out text, which no model has learned: those that end where the
    shipped long beginning does."""
    if not held_out:
        return user_text.encode()[:LONGEST_PROMPT]
    end = writing.shipped().long_span[1]
    return python_text().held_out[max(end - held_out, 0) : end]


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


def every_method(text: Lesson, shipped: Writing) -> None:
    """All ten methods, by stretch."""
    headers, rows = text.entries("columns"), []
    for method, counts in shipped.stretches.items():
        shares = ["–" if count.share is None else f"{count.share:.0%}" for count in counts]
        rows.append([title_of(method), *shares, sum(count.words for count in counts)])
    table = pd.DataFrame(rows, columns=list(headers.values()))
    st.dataframe(table, hide_index=True)
    facts = {"prompt": shipped.prompt.decode().strip(), "seeds": len(shipped.seeds), "temperature": shipped.temperature}
    lesson.prose(text.text("all", facts))
    page.download_csv(lambda: table, name="words-by-stretch.csv", key="all_csv")


if __name__ == "__main__":
    main()
