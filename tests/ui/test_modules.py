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
CLIENT = TestClient(Starlette(routes=modules.routes()), base_url="http://reader/")


def test_a_module_and_all_that_it_imports_are_served_and_kept():
    source = modules.source("slopes/view.js", "picture.css", "slopes/view.css")
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
    assert len(seen) == len(pictures.modules(pictures.HERE / "slopes/view.js"))
    written = json.loads(style.removeprefix("export default ").removesuffix(";"))
    assert written == pictures.style("picture.css", "slopes/view.css")


@pytest.mark.parametrize("path", ["../app.py", "pictures/message.py", "%2e%2e/%2e%2e/etc/passwd", "pictures/no.css.js"])
def test_nothing_else_is_served(path):
    folder = re.search(r'"(modules-[^/]+)/', modules.source("matrices/view.js", "picture.css"))[1]
    assert CLIENT.get(f"{folder}/{path}").status_code == 404
