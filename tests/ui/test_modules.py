"""The code of a component reaches a browser once: as a module at an address that has a digest of all of them."""

from __future__ import annotations

import json
import re

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from alibi_viz import pictures
from alibi_viz.ui.components import modules

IMPORT = re.compile(r'^import .* from "(\.[^"]+)";$', re.MULTILINE)


@pytest.fixture
def client():
    return TestClient(Starlette(routes=modules.routes()), base_url="http://reader/")


def test_a_module_and_all_that_it_imports_are_served_and_kept(client):
    source = modules.source("matrix_view/entry.js")
    assert len(source) < 1_000
    assert "\n" in source.strip(), "Streamlit takes one line for a path"
    waiting, seen = [re.search(r'"(modules-[^"]+)"', source)[1]], set()
    while waiting:
        answer = client.get(address := waiting.pop())
        assert answer.status_code == 200, address
        assert answer.headers["content-type"].startswith("text/javascript")
        assert "immutable" in answer.headers["cache-control"]
        seen.add(str(answer.url))
        found = {str(answer.url.join(name)) for name in IMPORT.findall(answer.text)}
        waiting += found - seen
    assert len(seen) == len(pictures.modules(pictures.HERE / "matrix_view/entry.js"))


def test_a_small_module_is_sent_as_it_is():
    path = modules.PACKAGE / "ui/streamlit_patches/theme.js"
    assert modules.source(path) == pictures.javascript(path)


def test_its_styles_are_a_module_after_what_all_share(client):
    source = modules.source("curve_view/entry.js", "picture.css", "curve_view/view.css")
    (address,) = re.findall(r'"([^"]+\.css\.js)"', source)
    answer = client.get(address)
    assert answer.headers["content-type"].startswith("text/javascript")
    style = json.loads(answer.text.removeprefix("export default ").removesuffix(";"))
    assert style == pictures.style("picture.css", "curve_view/view.css")


@pytest.mark.parametrize(
    "path", ["../app.py", "pictures/message.py", "export/host.js", "%2e%2e/%2e%2e/etc/passwd", "pictures/no.css.js", ""]
)
def test_nothing_else_is_served(client, path):
    folder = re.search(r'"(modules-[^/]+)/', modules.source("matrix_view/entry.js"))[1]
    assert client.get(f"{folder}/{path}").status_code == 404
