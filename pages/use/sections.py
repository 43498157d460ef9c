"""The sections of the lesson: the sources, memory, padding, `transformers`, and how the runs were made."""

from functools import lru_cache
from pathlib import Path

import pandas as pd
import streamlit as st

from alibi_viz.drop_in import drop_in, recipes
from alibi_viz.lessons import Lesson
from alibi_viz.ui import page
from alibi_viz.ui.controls import frame, widgets
from alibi_viz.ui.format import format_bytes, format_difference
from alibi_viz.ui.shell import navigation
from pages.use import controls, source
from pages.use.facts import Batch, Facts, layer_of
from pages.use.study import BLOCK, BLOCKS, memory, padded

FILE = Path(drop_in.__file__)
TRANSFORMERS = FILE.with_name("drop_in_transformers.py")  # read as text: the app does without `transformers`


@lru_cache(maxsize=2)
def text_of(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def download(lesson: Lesson, key: str) -> None:
    """The file with both blocks."""
    if frame.presenting():
        return
    label, text, icon = lesson.label("download"), text_of(FILE), ":material/download:"
    st.download_button(label, text, FILE.name, "text/x-python", key=key, icon=icon, on_click="ignore")


def sources(lesson: Lesson) -> None:
    """The two blocks, the lines that differ marked; and the file."""
    page.prose(lesson, "source")
    download(lesson, "use_download")
    titles = (lesson.entry("variants", "rope"), lesson.entry("variants", "alibi"))
    st.html(both_sources(titles))
    page.prose(lesson, "source_rest")
    page.code(drop_in.alibi_slopes, drop_in.alibi_bias, drop_in.with_key_features, drop_in.attend)


@lru_cache(maxsize=4)
def both_sources(titles: tuple[str, str]) -> str:
    return source.side_by_side(page.source_of(BLOCKS["rope"]), page.source_of(BLOCKS["alibi"]), titles)


def memory_table(lesson: Lesson) -> None:
    """Bytes of one layer, counted."""
    tokens = widgets.show(controls.TOKENS, lesson)
    page.prose(lesson, "memory", layer_of(tokens))
    rows, labels = memory(tokens), lesson.entries("memory_table")
    columns = {"what": [labels[row.key] for row in rows]}
    columns |= {m: [format_bytes(getattr(row, m)) if getattr(row, m) else "0" for row in rows] for m in BLOCKS}
    headers = {"what": labels["what"]} | {method: lesson.entry("variants", method) for method in BLOCKS}
    st.dataframe(pd.DataFrame(columns).rename(columns=headers), hide_index=True)
    page.prose(lesson, "memory_seen", layer_of(tokens))


def padding(lesson: Lesson) -> None:
    """One sequence behind padding, in three ways, against the sequence alone."""
    page.prose(lesson, "padding", Batch())
    labels = lesson.entries("padding_table")
    rows = [[labels[way.key], *(format_difference(d, way.scale) for d in way.differences.values())] for way in padded()]
    titles = [lesson.entry("variants", method) for method in BLOCKS]
    st.dataframe(pd.DataFrame(rows, columns=[labels["what"], *titles]), hide_index=True)
    page.prose(lesson, "padding_seen")


def transformers(lesson: Lesson) -> None:
    """ALiBi in a Llama of `transformers`, as the tests run it."""
    page.prose(lesson, "transformers")
    st.code(text_of(TRANSFORMERS), language="python", wrap_lines=True)


def kernels(lesson: Lesson) -> None:
    """ALiBi in the kernels of others: what each takes, and the code."""
    page.prose(lesson, "kernels")
    for name in ("sdpa", "flex_attention", "flash_attn", "xformers"):
        page.prose(lesson, f"kernels.{name}")
        page.code(getattr(recipes, f"with_{name}"))


def run(lesson: Lesson, facts: Facts) -> None:
    """How the runs were made, and the same on the reader's machine."""
    page.prose(lesson, "run", facts)
    query = {"train_block": BLOCK, "train_heads": str(facts.heads), "train_show": "loss"}
    navigation.link("train", lesson.label("train"), {"train": "alibi,rope", "train_slopes": "paper"} | query)
    navigation.link("train", lesson.label("train_blog"), {"train": "alibi", "train_slopes": "2^-h"} | query)


#: Of the lesson's table `closer`; they need no shipped runs, or say that these are missing.
SECTIONS = {
    "source": sources,
    "memory": memory_table,
    "padding": padding,
    "transformers": transformers,
    "kernels": kernels,
}
