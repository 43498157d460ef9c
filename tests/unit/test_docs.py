"""What docs/ says of the code is what the code says."""

from __future__ import annotations

import sys

import pytest

import alibi_viz
from benchmarks import control_names, interface


def test_the_list_of_controls_is_that_of_the_lessons():
    assert control_names.FILE.read_text(encoding="utf-8") == control_names.text(), "make docs"


def test_what_others_build_on_is_listed_as_it_is():
    """A change here is made on purpose: `make docs`, and a line in CHANGELOG.md."""
    assert interface.FILE.read_text(encoding="utf-8") == interface.text(), "make docs"


@pytest.mark.parametrize(
    ("where", "name", "changed"),
    [
        ("alibi_viz.checkpoints.table.FAMILIES", "`gpt2`", {}),
        ("alibi_viz.ui.shell.navigation.ICONS", "/slopes", {}),
        ("alibi_viz.pitfalls.reading.ENDINGS", "`.npy`", ()),
    ],
)
def test_the_list_tells_a_change(where, name, changed, monkeypatch):
    module, _, attribute = where.rpartition(".")
    assert name in interface.text()
    monkeypatch.setattr(sys.modules[module], attribute, changed)
    monkeypatch.setattr(interface, attribute, changed, raising=False)
    assert name not in interface.text()


def test_the_changes_of_this_version_are_listed():
    assert f"## {alibi_viz.__version__}" in (interface.FILE.parents[1] / "CHANGELOG.md").read_text(encoding="utf-8")
