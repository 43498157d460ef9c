"""The code of a component reaches a browser once: as a module at an address that has a digest of all of them."""

import re

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

import alibi_viz.ui.components.hands  # noqa: F401, so that its components are mounted
from alibi_viz.ui.components import modules

FOLDER = re.search(r'"(modules-[^/]+)/', modules.source(modules.SOURCES["slopes"][0]))[1]
CLIENT = TestClient(Starlette(routes=modules.routes()), base_url="http://reader/")


@pytest.mark.parametrize(
    "path",
    [
        "../app.py",
        "again-1/again-1/pictures/plot.js",
        "pictures/message.py",
        "%2e%2e/%2e%2e/etc/passwd",
        "pictures/no.css.js",
    ],
)
def test_nothing_else_is_served(path):
    assert CLIENT.get(f"{FOLDER}/{path}").status_code == 404


def test_no_list_of_styles_is_made_that_no_component_has():
    """Thousands of them in one address took the server from everybody for seconds."""
    sheet = "pictures/picture.css"
    for sheets in ([sheet], [sheet] * 2, [sheet] * 3_000):
        answer = CLIENT.get(f"{FOLDER}/{'+'.join(sheets)}.js")
        assert (answer.status_code, len(answer.content)) == (404, len("Not Found"))
