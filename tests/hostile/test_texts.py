"""Texts and files of a hostile reader, wherever a page takes one: a sentence or a picture, and never markup."""

from __future__ import annotations

import random

import pytest

from tests.hostile import nonsense
from tests.hostile.looking import NIGHTLY, campaign, check
from tests.pages.apptest import open_page, release

#: Lesson, its address, the text box; the rest of the address opens what shows the text.
BOXES = (
    ("attention", {"attention_open": "row"}, "text"),
    ("attention", {"content": "trained model", "attention_open": "row"}, "passage"),
    ("compare", {"content": "same words attract", "compare_open": "tests"}, "text"),
    ("early_token_curse", {"early_token_curse_open": "cost"}, "widget_curse_text"),
    ("story", {}, "story_text"),
    ("train", {"train_text": "own text"}, "train_paste"),
    ("models", {"model_source": "config"}, "widget_model_config"),
    ("pitfalls", {"pitfalls_open": "mine"}, "widget_mine"),
)
UPLOADS = (
    ("models", {"model_source": "config"}, "model_upload", (".json",)),
    ("pitfalls", {"pitfalls_open": "mine"}, "pitfalls_upload", (".npy", ".safetensors", ".csv")),
    ("train", {"train_text": "own text"}, "train_upload", (".txt", ".html", "")),
)
NAMES = ("a", "../../etc/passwd", "x" * 300, f"<img src=//{nonsense.HOST}>", "CON", "é\u202e")


def write(rng: random.Random) -> None:
    lesson, url, key = rng.choice(BOXES)
    at = open_page(lesson, **url)
    for text in (nonsense.text(rng), nonsense.text(rng, 300), ""):
        box = next((box for box in (*at.text_area, *at.text_input) if box.key == key), None)
        if box:
            box.set_value(nonsense.sent(text)).run()
        else:
            release(at, is_step=False, **{key: nonsense.sent(text)})
        check(at)


def upload(rng: random.Random) -> None:
    lesson, url, key, endings = rng.choice(UPLOADS)
    at = open_page(lesson, **url)
    for _ in range(2):
        name = rng.choice(NAMES) + rng.choice(endings)
        at.file_uploader(key=key).set_value((name, nonsense.data(rng), "application/octet-stream")).run()
        check(at)


@pytest.mark.parametrize("share", [1, pytest.param(NIGHTLY // 200, marks=pytest.mark.slow)])
def test_hostile_texts_and_files(share: int) -> None:
    campaign("text", 4 * share, write)
    campaign("upload", 8 * share, upload)
