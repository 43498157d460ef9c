"""The code of a component reaches a browser once: as a module at an address that has a digest of all of them."""

from __future__ import annotations

import json
import re

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

import alibi_viz.ui.components.hands  # noqa: F401, so that its components are mounted
from alibi_viz import pictures
from alibi_viz.ui.components import modules

IMPORT = re.compile(r'^import\s[^;]*?\sfrom "(\.[^"]+)";$', re.MULTILINE)
FOLDER = re.search(r'"(modules-[^/]+)/', modules.source(modules.SOURCES["slopes"][0]))[1]
CLIENT = TestClient(Starlette(routes=modules.routes()), base_url="http://reader/")


def test_a_module_and_all_that_it_imports_are_served_and_kept():
    module, css = modules.SOURCES["slopes"]
    source = modules.source(module, *css)
    assert "\n" in source.strip(), "Streamlit takes one line for a path"
    waiting, seen = re.findall(r'"(modules-[^"]+)"', source), {}
    while waiting:
        answer = CLIENT.get(address := waiting.pop())
        assert answer.status_code == 200, address
        assert answer.headers["content-type"].startswith("text/javascript")
        assert "immutable" in answer.headers["cache-control"]
        seen[str(answer.url)] = answer.text
        waiting += {str(answer.url.join(name)) for name in IMPORT.findall(answer.text)} - seen.keys()
    (style,) = (seen.pop(address) for address in list(seen) if address.endswith(".css.js"))
    assert len(seen) == len(pictures.modules(pictures.HERE / module))
    written = json.loads(style.removeprefix("export default ").removesuffix(";"))
    assert written == pictures.style(*css)


def test_a_further_try_finds_the_same_module_at_another_address():
    first, again = (CLIENT.get(f"{FOLDER}/{path}pictures/slopes/view.js") for path in ("", "again-3/"))
    assert first.status_code == 200
    assert again.text == first.text


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
