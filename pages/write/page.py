"""Writing: models that differ in their position method alone write on, far beyond their training length."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from alibi_viz.charts.lines import Line, on_log_axis
from alibi_viz.lessons import Lesson
from alibi_viz.lm.writing import HIGHEST_TEMPERATURE, LONGEST, LONGEST_PROMPT, Writer, sample
from alibi_viz.pictures.hands.message import Hands, Preset, Several, Slider, Value
from alibi_viz.pictures.hands.message import Line as TextLine
from alibi_viz.positions import METHODS
from alibi_viz.results import pretrained, table, writing
from alibi_viz.results.writing import Writing
from alibi_viz.ui import address, lesson, page, written
from alibi_viz.ui.written import PROMPT, TEMPERATURE, Text
from pages.write import study

SHOWN = ("alibi", "rope", "t5", "sinusoidal")
LENGTH = 993  # bytes: to eight training lengths
PLAIN: dict[str, Value] = {"write_text": PROMPT, "write_after": 0, "write_seed": 1, "temperature": TEMPERATURE}
PLAIN |= {"write_methods": ",".join(SHOWN), "write_length": LENGTH, "write_at": 0}
PRESET_VALUES: dict[str, dict[str, Value]] = {
    "function": PLAIN,
    "after": PLAIN | {"write_after": 1024, "write_length": 512},
    "likeliest": PLAIN | {"temperature": 0.0},
    "all": PLAIN | {"write_methods": ",".join(pretrained.METHODS)},
}
LATEX = r"$$p(\text{byte}) = \text{softmax}\left(\frac{z}{T}\right)$$"


def main() -> None:
    train_length = table.train_length()
    text = lesson.begin("write", {"length": train_length})
    own = address.text("write_text", PROMPT, longest=LONGEST_PROMPT)
    held_out = address.number("write_after", 0, low=0, high=LONGEST_PROMPT)
    seed = address.number("write_seed", 1, low=0, high=99_999)
    temperature = address.number("temperature", TEMPERATURE, low=0.0, high=HIGHEST_TEMPERATURE)
    methods = address.choices("write_methods", ",".join(SHOWN), pretrained.METHODS) or SHOWN
    length = address.number("write_length", LENGTH, low=64, high=LONGEST)
    at = address.number("write_at", 0, low=0, high=LONGEST_PROMPT + LONGEST)
    lesson.say_problems(text)
    values: dict[str, Value] = {"write_text": own, "write_after": held_out, "write_seed": seed}
    values |= {"temperature": temperature, "write_methods": ",".join(methods), "write_length": length, "write_at": at}
    beginning = study.beginning(own, held_out)
    texts = written.texts(methods, beginning, seed=seed, length=length, temperature=temperature)
    draw(text, texts, values, train_length)
    lesson.seen_and_formula(
        [seen(text, texts, train_length), text.text("counted")],
        [LATEX, text.text("formula", {"temperature": temperature})],
    )
    shipped = writing.shipped()
    closer = {"after": partial(after, text, shipped), "all": partial(every_method, text, shipped)}
    lesson.sections(text, closer, Writer.write, sample)
    lesson.end(text)


def draw(text: Lesson, texts: Sequence[Text], values: dict[str, Value], train_length: int) -> None:
    """The columns under their hands."""
    names = ", ".join(each.name for each in texts)
    alt = text.label("alt", methods=names, shares=written.shares_of(texts, train_length))
    written.show("write", texts, hands(text, values, train_length), train_length, alt=alt, name="writing")


def hands(text: Lesson, values: dict[str, Value], train_length: int) -> Hands:
    """The row on top of the picture."""
    labels, help_of = text.entries("labels"), text.entries("help")
    titles = [(method, METHODS[method].title) for method in pretrained.METHODS]
    about = text.entry("help", "write_after", length=train_length)
    row = (
        TextLine("write_text", labels["write_text"], "", {"write_after": [0]}, longest=LONGEST_PROMPT),
        Slider("write_after", labels["write_after"], about, further=True, high=LONGEST_PROMPT, typed=True),
        Slider("temperature", labels["temperature"], help_of["temperature"], further=True, high=2, step=0.05),
        Slider("write_seed", labels["write_seed"], further=True, high=99_999, typed=True),
        Slider("write_length", labels["write_length"], further=True, low=64, high=LONGEST, typed=True),
        Several("write_methods", labels["write_methods"], further=True, options=titles),
    )
    presets = [Preset(text.entry("try", name), to) for name, to in PRESET_VALUES.items()]
    return Hands(row, values, presets, labels["more"])


def seen(text: Lesson, texts: Sequence[Text], train_length: int) -> str:
    """What became of the words, in numbers."""
    if not all(each.progress.done for each in texts):
        return text.text("seen_waiting")
    return text.text("seen", {"length": train_length, "shares": written.shares_of(texts, train_length)})


def after(text: Lesson, shipped: Writing) -> None:
    """Shares of words after so many bytes of held-out text, a line a method."""
    lines, last = [], []
    for method, counts in shipped.after.items():
        shares = [(n, count.share) for n, count in zip(shipped.contexts, counts, strict=True) if count and count.words]
        x, y = (np.array(side, dtype=np.float64) for side in zip(*shares, strict=True))
        lines.append(Line(method, METHODS[method].title, x, y))
        last.append(f"{METHODS[method].title} {y[-1]:.0%}")
    facts = {
        "places": len(shipped.places),
        "new": shipped.new_bytes,
        "temperature": shipped.temperature,
        "least": min(count.words for counts in shipped.after.values() for count in counts if count),
        "shares": ", ".join(last),
    }
    page.chart(after_chart(text, lines), key="after", alt=text.text("alt_after", facts), name="words-after-real-text")
    lesson.prose(text.text("after", facts))


def after_chart(text: Lesson, lines: Sequence[Line]) -> go.Figure:
    labels = text.entries("chart")
    axes = {"x": labels["context"], "y": labels["share"], "hover": "%{x:,}: %{y:.0%}"}
    fig = on_log_axis(lines, axes, dark=page.dark(), log_y=False, ends_y=(0, 1.03))
    fig.update_yaxes(tickformat=".0%")
    return fig


def every_method(text: Lesson, shipped: Writing) -> None:
    """All ten methods, by stretch."""
    headers, rows = text.entries("columns"), []
    for method, counts in shipped.stretches.items():
        shares = ["–" if count.share is None else f"{count.share:.0%}" for count in counts]
        rows.append([METHODS[method].title, *shares, sum(count.words for count in counts)])
    table = pd.DataFrame(rows, columns=list(headers.values()))
    st.dataframe(table, hide_index=True)
    facts = {"prompt": shipped.prompt.decode().strip(), "seeds": len(shipped.seeds), "temperature": shipped.temperature}
    lesson.prose(text.text("all", facts))
    page.download_csv(lambda: table, name="words-by-stretch.csv", key="all_csv")


if __name__ == "__main__":
    main()
