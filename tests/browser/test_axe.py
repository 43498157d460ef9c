"""axe-core on what the tour of test_layout.py does not open: the scenes of the story, and every section of every lesson."""

from __future__ import annotations

from typing import Any

import pytest

from alibi_viz.ui.shell import navigation
from benchmarks.control_names import controls
from tests.browser.actions import open_at, settle
from tests.browser.axe import violations


@pytest.fixture(scope="module")
def page(new_shared_page: Any) -> Any:
    return new_shared_page(color_scheme="light")


def found(page: Any, address: str) -> list[str]:
    """The violations at this address, in both themes."""
    open_at(page, address)
    lines = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        settle(page)
        lines += violations(page)
    page.emulate_media(color_scheme="light")
    return lines


@pytest.mark.slow
@pytest.mark.parametrize("scene", range(2, 10))  # the first one is on the tour
def test_a_scene_breaks_no_rule(app, page, scene):
    assert found(page, f"{app}/story?scene={scene}") == []


@pytest.mark.slow  # a page and a computation for each section
@pytest.mark.parametrize(
    ("lesson", "param"),
    [(name, param) for name in navigation.ICONS for param in controls(name) if param.key == f"{name}_open"],
)
def test_a_section_breaks_no_rule(app, page, lesson, param):
    sections = [name for name in param.choices if name != param.default]
    assert [line for name in sections for line in found(page, f"{app}/{lesson}?{param.key}={name}")] == []
