"""A reader's own file in a real Chromium: uploaded, shown, and taken to another lesson."""

from __future__ import annotations

import json
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.browser.actions import open_at, settle

CONFIG = {"model_type": "llama", "num_hidden_layers": 4, "num_attention_heads": 8, "hidden_size": 512}
CONFIG |= {"rope_theta": 25_000, "max_position_embeddings": 1024}


def file(config: dict[str, object]) -> dict[str, object]:
    return {"name": "config.json", "mimeType": "application/json", "buffer": json.dumps(config, indent=2).encode()}


@pytest.mark.slow
def test_an_uploaded_file_is_shown_and_opens_in_the_rope_lab(app, new_page):
    page = open_at(new_page(), f"{app}/models?model_source=config")
    page.get_by_text("Paste the text of a config.json").wait_for()
    page.locator(".st-key-stage_more summary").click()
    upload = page.locator("input[type=file]")
    upload.set_input_files(file({"model_type": "\ud800"}))
    page.get_by_text("config.json holds a lone surrogate").wait_for()
    upload.set_input_files(file(CONFIG))
    page.get_by_text("4 layers with 8 query heads").wait_for()
    page.keyboard.press("Escape")
    settle(page)
    page.get_by_test_id("stMain").get_by_role("link", name="RoPE", exact=True).click()
    page.get_by_label("Position", exact=True).first.wait_for()
    page.wait_for_function("() => new URLSearchParams(location.search).get('rope_base') === '25000'")
    query = parse_qs(urlsplit(page.url).query)
    assert (query["rope_dim"], query["rope_trained"]) == (["64"], ["1024"])
