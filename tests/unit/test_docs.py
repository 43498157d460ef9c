"""What docs/ says of the code is what the code says."""

from __future__ import annotations

from benchmarks import control_names


def test_the_list_of_controls_is_that_of_the_lessons():
    assert control_names.FILE.read_text(encoding="utf-8") == control_names.text(), "make docs"
