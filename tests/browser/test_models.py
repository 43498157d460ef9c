"""My model in a real Chromium: an uploaded file that is taken to another lesson, and the heads of four families."""

from __future__ import annotations

import json
import re
from urllib.parse import parse_qs, quote, urlsplit

import pytest

from alibi_viz.checkpoints import local
from alibi_viz.checkpoints.folder import SETTING
from tests.browser.actions import address_has, cells, gone, open_at, pictures, point_at, settle
from tests.checkpoints.tiny import TEXT, save

CONFIG = {"model_type": "llama", "num_hidden_layers": 4, "num_attention_heads": 8, "hidden_size": 512}
CONFIG |= {"rope_theta": 25_000, "max_position_embeddings": 1024}
FAMILIES = ("bloom", "mpt", "llama", "t5")


def file(config: dict[str, object]) -> dict[str, object]:
    return {"name": "config.json", "mimeType": "application/json", "buffer": json.dumps(config, indent=2).encode()}


@pytest.mark.slow
def test_an_uploaded_file_is_shown_and_opens_in_the_rope_lab(app, new_page):
    page = open_at(new_page(), f"{app}/models?model_source=config&models_open=facts")
    page.get_by_text("Paste the text of a config.json").wait_for()
    upload = page.locator("input[type=file]")
    upload.set_input_files(file({"model_type": "\ud800"}))
    page.get_by_text("config.json holds a lone surrogate").wait_for()
    upload.set_input_files(file(CONFIG))
    page.get_by_text("4 layers with 8 heads").wait_for()
    settle(page)
    page.get_by_test_id("stMain").get_by_role("link", name="RoPE", exact=True).click()
    page.get_by_label("Position", exact=True).first.wait_for()
    page.wait_for_function("() => new URLSearchParams(location.search).get('rope_base') === '25000'")
    query = parse_qs(urlsplit(page.url).query)
    assert (query["rope_dim"], query["rope_trained"]) == (["64"], ["1024"])


@pytest.mark.slow
def test_four_families_show_every_head_of_a_layer(start_app, new_page, tmp_path, monkeypatch):
    """One is chosen after the other; a click opens a head, and a cell says the weight that transformers computes."""
    for family in FAMILIES:
        save(tmp_path / family, family)
    monkeypatch.setenv(SETTING, str(tmp_path))
    _, address = start_app(**{SETTING: str(tmp_path)})
    page = open_at(new_page(), f"{address}/models?model_source=folder&model_layer=2&model_text={quote(TEXT)}")
    before = ""
    for family in FAMILIES:
        page.get_by_label("Model", exact=True).select_option(family)
        page.get_by_text(re.compile(f"^{family}, .*: attention sinks")).wait_for()
        settle(page)
        small = page.locator(".beside .panel")
        assert small.count() == 6
        assert len(set(pictures(page)[1:])) == 6, "every head is drawn, and none is like another"
        assert pictures(page)[1] != before
        before = pictures(page)[1]
        small.nth(4).click()
        page.get_by_text("Layer 2, head 5: weights").wait_for()
        address_has(page, "head", "5")
        settle(page)
        point_at(page, cells(page, "Layer 2, head 5"), 0.3, 0.8)
        said = page.get_by_text(re.compile("gives key")).first.inner_text().replace("−", "-")
        i, j, weight = re.search(r"Query (\d+) .* gives key (\d+) .* the weight ([\d.e-]+)\.", said).groups()
        computed = local.read(family, TEXT).attention[1, 4, int(i), int(j)]
        assert float(weight) == pytest.approx(float(computed), rel=0.01)
        small.nth(0).click()
        gone(page, "Layer 2, head 5")
