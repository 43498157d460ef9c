"""What models need in a browser: each file at an address that only a page gives, and nothing else."""

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.corpus import python_text
from alibi_viz.lm.runs import Run, RunStore
from alibi_viz.lm.training import build_model
from alibi_viz.lm.words import known_words
from alibi_viz.ui import weights

CLIENT = TestClient(Starlette(routes=weights.routes()), base_url="http://reader/")
CONFIG = TrainConfig("fire", width=16, heads=2, head_dim=8, length=16, steps=1)


@pytest.fixture
def own(tmp_path, monkeypatch):
    """The hash of a reader's finished run."""
    monkeypatch.setenv("ALIBI_VIZ_DATA", str(tmp_path))
    model = build_model(CONFIG)
    RunStore().finish(Run(CONFIG, status="finished", step=1), {n: p.detach() for n, p in model.named_parameters()})
    return CONFIG.hash


def test_a_shipped_file_and_a_reader_s_come_from_the_addresses_that_pages_give(own):
    for name in ("alibi", "zh/t5", own):
        answer = CLIENT.get(weights.address_of(name))
        assert (answer.status_code, answer.content) == (200, weights.content(name))
        assert "immutable" in answer.headers["cache-control"]
    words = CLIENT.get(weights.address_of_words("en")).content.split(b"\n")
    assert set(words) == known_words(python_text().train)


def test_nothing_is_served_at_an_address_that_no_page_gives(own):
    """A run's name follows from its configuration, which others can guess."""
    token = weights.address_of("alibi").split("/")[1]
    for path in (
        own,
        f"{token}/{own}",
        f"{'0' * 32}/{own}",
        f"{token}/rope",
        f"{token}/../alibi",
        f"{token}/é",
        "é/rope",
    ):
        assert CLIENT.get(f"weights/{path}").status_code == 404, path
    for name in ("../../app", "0123456789abcdef", "", "words/", "words/xx", "recall/alibi"):
        assert CLIENT.get(f"weights/{token}/{name}").status_code == 404, name
        assert weights.address_of(name) == ""


def test_a_message_names_the_files_that_go_into_an_exported_one():
    named = [weights.address_of("alibi"), weights.address_of_words("ja")]
    message = f'{{"columns": [{{"weights": "{named[0]}"}}], "known": "{named[1]}", "text": "weights/alibi"}}'
    assert weights.used(message) == {address: CLIENT.get(address).content for address in named}
